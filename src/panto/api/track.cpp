#include "panto/api/track.hpp"

#include <algorithm>

#include "panto/api/deriving_sink.hpp"
#include "panto/api/judged_run.hpp"
#include "panto/api/own_watch.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/recording/kept_recording.hpp"
#include "panto/recording/trackable.hpp"
#include "panto/retarget/solved_clip.hpp"
#include "panto/targets/measured_joints.hpp"
#include "panto/tracking/frame_bridge.hpp"
#include "panto/tracking/hanging_arms.hpp"
#include "panto/tracking/measured_tracker.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "panto/tracking/two_way_notes.hpp"

namespace panto {
namespace {

constexpr double kUsualMass = 70.0;  // [kg]

void check_links(const Model& model, const AttachmentMap& map, const std::string& called) {
  for (const Attachment& a : map.attachments) {
    if (model.find_link(a.link)) continue;
    throw ModelError(
        "model '" + model.name() + "' has no link '" + a.link +
        "'; tracking needs the link names of MVN's segments (Pelvis, L5, L3, T12, ... LeftToe). For a "
        "robot: " +
        (called.empty() ? "retarget the recording onto it" : "panto retarget RECORDING --robot " + called));
  }
}

bool has_limits(const Model& model) {
  return (model.lower().array() > -kInfinity).any() || (model.upper().array() < kInfinity).any();
}

// What tracking one recording needs.
struct Job {
  const Model& model;
  const TrackOptions& options;
  const SolverOptions& method;
  const OwnWatch& own;
  const Observer& observer;
  Notes& notes;
};

void track_forwards(const Job& job, Recording& recording, TrackResult& result) {
  const RecordingInfo& info = recording.info();
  SegmentTracker tracker(job.model, info.attachments, job.options.solver, job.method, recording.names(),
                         job.own.option());
  MeasuredTracker<SegmentSample> measured(tracker, job.observer);
  const auto facts = [&](const SegmentSample& seen) {
    job.own.check();
    return FrameFacts{measured.record, true, &seen};
  };
  run_judged({job.model,
              recording,
              measured,
              recording,
              human_names(recording),
              info.frames,
              job.options.settle,
              job.options.keep_motion,
              facts,
              {}},
             job.observer, job.notes, result);
}

// Forwards and backwards; only forwards if the recording is too long.
void track_two_way(const Job& job, Recording& recording, TrackResult& result) {
  const TwoWayOptions two_way;
  KeptRecording kept(recording, two_way.most_samples);
  if (!kept.whole()) return track_forwards(job, kept, result);
  const Observer solving = part_of(job.observer, {0, 2, 3}), judging = part_of(job.observer, {2, 1, 3});
  const TwoWayTracker tracker(job.model, kept.info().attachments, job.options.solver, job.method,
                              kept.names(), kept, two_way, solving, job.own.option());
  job.own.check();
  job.notes.add(two_way_notes(tracker, job.model));
  result.rerouted_at = tracker.rerouted_at();
  for (const TwoWayTracker::Stuck& stuck : tracker.stuck())
    result.stuck.push_back({stuck.t, job.model.joint_names()[at(stuck.joint)]});
  kept.rewind();
  const SolvedClip clip = solved_clip(tracker, job.model);
  PlaybackTracker playback(clip);
  const auto facts = [&](const SegmentSample& seen) { return FrameFacts{playback.record(), true, &seen}; };
  run_judged({job.model,
              kept,
              playback,
              kept,
              human_names(kept),
              kept.info().frames,
              job.options.settle,
              job.options.keep_motion,
              facts,
              {}},
             judging, job.notes, result);
}

}  // namespace

SubjectDimensions subject_of(const RecordingInfo& info, std::optional<double> height,
                             std::optional<double> mass, std::vector<std::string>& notes) {
  if (height) return scaled_subject(*height, mass.value_or(kUsualMass));
  if (info.subject) {
    SubjectDimensions subject = *info.subject;
    if (mass) subject.mass = scaled_subject(subject.height, *mass).mass;  // refuses what no body weighs
    if (subject.height < 1.0 || subject.height > 2.3) {
      notes.push_back("the person in this recording is " + decimals(subject.height, 2) +
                      " m tall: are lengths in another unit? Give the height if so");
    }
    return subject;
  }
  notes.push_back(
      "the recording has no body dimensions: assuming an average body of 1.75 m; give the height if it "
      "differs");
  return scaled_subject(1.75, mass.value_or(kUsualMass));
}

std::vector<TrackedPair> tracked_pairs(const AttachmentMap& map, const std::vector<std::string>& names,
                                       const Model& model) {
  std::vector<TrackedPair> pairs;
  for (const Attachment& a : map.attachments) {
    const auto segment = std::find(names.begin(), names.end(), a.segment);
    if (segment == names.end()) throw ConfigError(unknown_name("segment", a.segment, "the recording", names));
    pairs.push_back({static_cast<int>(segment - names.begin()), model.link_index(a.link), a.R_SF,
                     a.orientation, a.position});
  }
  return pairs;
}

std::vector<TrackedPair> followed_pairs(const Recording& recording, const Model& model,
                                        const std::string& called) {
  check_links(model, recording.info().attachments, called);
  return tracked_pairs(recording.info().attachments, recording.names(), model);
}

TrackResult track(Recording& recording, const Model& model, const TrackOptions& options,
                  const Observer& observer) {
  Notes notes(observer);
  notes.take(recording);
  check_trackable(recording);
  const RecordingInfo& info = recording.info();
  if (!model.rows().empty())
    notes.add("model '" + model.name() + "' couples joints (" + std::to_string(model.rows().size()) +
              (model.rows().size() == 1 ? " row" : " rows") + "); tracking ignores that coupling");
  TrackResult result;
  result.pairs = followed_pairs(recording, model);
  check_own(options.own.targets, model, options.solver);
  const OwnWatch own(options.own);
  SolverOptions method = options.method;
  std::vector<std::string> bridged;
  bridge_frames(info.rate_hz, method.dynamical, bridged);
  notes.add(bridged);
  const std::vector<int> followed = links_of(result.pairs);
  result.part = part_of_person(recording);
  result.unmeasured_joints = names_of_joints(model, unmeasured_joints(model, followed, human_links(model)));
  const std::optional<Model> hanging = with_hanging_arms(model, followed);
  const bool two_way = options.two_way && method.dynamical.align && has_limits(model);
  const Model& solved = hanging ? *hanging : model;
  // differences to the sample before, which lead from frame to frame, are half a frame late as velocities
  const bool derives = method.dynamical.velocity == VelocitySource::Differenced || !info.has_angular_velocity;
  DerivingSink deriving(solved, observer.sinks);
  Observer derived = observer;
  if (derives && !observer.sinks.empty()) derived.sinks = {&deriving};
  (two_way ? track_two_way : track_forwards)({solved, options, method, own, derived, notes}, recording,
                                             result);
  if (derives) {
    (void)deriving.finish();  // the sinks count what they drop
    derive_velocities(result.motion);
  }
  notes.add(own.note());
  result.notes = std::move(notes).all();
  return result;
}

}  // namespace panto
