#pragma once
// Soles of people who walk, for tests of contacts and planting: from syntheses, from recordings, or drawn.

#include <random>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/synthesis/segments.hpp"

namespace panto::test {

/// Left and right foot of a person with their contacts.
struct Walker {
  double rate_hz = 0.0, leg_length = 0.9;
  std::vector<SegmentSample> samples;
  SubjectDimensions subject;
  std::vector<int> segments;  ///< of the left and the right foot
  std::vector<FootSole> soles;
  std::vector<FootTrack> tracks;
  ClipContacts contacts;
};

inline double leg_length(const SubjectDimensions& subject) {
  return -subject.origin[HumanSegment::LeftLowerLeg].z() - subject.origin[HumanSegment::LeftFoot].z() -
         subject.origin[HumanSegment::LeftToe].z();
}

inline Walker walker(std::vector<SegmentSample> samples, const std::vector<std::string>& names,
                     const SubjectDimensions& subject, double rate_hz) {
  Walker result{rate_hz, leg_length(subject), std::move(samples), subject, {}, {}, {}, {}};
  for (const bool right : {false, true}) {
    const std::string name = right ? "RightFoot" : "LeftFoot";
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw ConfigError("no " + name);
    result.segments.push_back(static_cast<int>(found - names.begin()));
    result.soles.push_back(human_sole(subject, right));
    result.tracks.push_back(foot_track(name, result.samples, result.segments.back(), result.soles.back()));
  }
  ContactOptions options;
  options.leg_length = result.leg_length;
  result.contacts = find_contacts(result.tracks, options);
  return result;
}

inline Walker recorded_walker(const std::string& path) {
  const auto file = io::open_recording(path);
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  return walker(std::move(samples), file->names(), *file->info().subject, file->info().rate_hz);
}

/// A synthesis on the average person, `noise` [m] on every coordinate of the ankles.
inline Walker synthetic_walker(const std::string& name, double seconds, double rate_hz, double noise = 0.0) {
  const SubjectDimensions subject = scaled_subject(1.75);
  const Model human = human66(subject);
  NoiseOptions errors{0.0, 0.0, noise, 0.0, 7};
  SyntheticSource source(make_synthesis(name, human), {seconds, rate_hz, errors, {}});
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; source.read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  return walker(std::move(samples), source.names(), subject, rate_hz);
}

}  // namespace panto::test
