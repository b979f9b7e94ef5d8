#pragma once
// A recording in memory of a person whose 23 segments are measured exactly, and a robot that is a human of
// another size: what it should do is known.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/recording/recording.hpp"
#include "panto/robot/map.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/targets/attachments.hpp"

namespace panto::test {

/// Samples that may be edited before they are read.
class ShownPerson final : public Recording {
 public:
  /// Shows `model`, built from `subject`, in these states.
  ShownPerson(const Model& model, const SubjectDimensions& subject, std::vector<State> states)
      : truth(std::move(states)) {
    about.path = "shown";
    about.subject = subject;
    about.attachments = mvn_attachments();
    about.rate_hz = 60.0;
    about.frames = static_cast<std::int64_t>(truth.size());
    LinkSampler sampler(model, human_segment_names());
    for (const State& state : truth) sampler.sample(state, samples.emplace_back());
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return segments; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return about; }
  [[nodiscard]] const std::string& problem() const noexcept override { return damage; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= samples.size()) return damage.empty() ? ReadStatus::EndOfMotion : ReadStatus::Malformed;
    sample = samples[next_++];
    return ReadStatus::Sample;
  }
  void rewind() override { next_ = 0; }

  std::vector<std::string> segments = human_segment_names();
  std::vector<State> truth;
  std::vector<SegmentSample> samples;
  RecordingInfo about;
  std::string damage;  ///< not empty: the samples end with damage

 private:
  std::size_t next_ = 0;
};

/// A person of 1.75 m, a human48, in a synthesis at 60 Hz: "walk", "tpose".
inline ShownPerson shown_person(const std::string& synthesis, double seconds) {
  const SubjectDimensions subject = scaled_subject(1.75);
  const Model model = human48(subject);
  return {model, subject, synthesise(make_synthesis(synthesis, model), seconds, 60.0).states};
}

/// Proportions of a robot of 1.3 m with shanks that are long for it, so that its feet slide where its legs
/// only point as the person's do.
inline SubjectDimensions long_shanks() {
  SubjectDimensions subject = scaled_subject(1.3);
  for (const int foot : {HumanSegment::RightFoot, HumanSegment::LeftFoot}) subject.origin[at(foot)] *= 1.15;
  return subject;
}

/// The map of a robot whose links are the segments.
inline robot::Map human_map() { return {"human", mvn_attachments(), {}, {}}; }

}  // namespace panto::test
