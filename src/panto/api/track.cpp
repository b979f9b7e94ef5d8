#include "panto/api/track.hpp"

#include <algorithm>

#include "panto/api/judged_run.hpp"
#include "panto/api/own_watch.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/recording/trackable.hpp"
#include "panto/tracking/frame_bridge.hpp"
#include "panto/tracking/measured_tracker.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

constexpr double kUsualMass = 70.0;  // [kg]

void check_links(const Model& model, const AttachmentMap& map) {
  for (const Attachment& a : map.attachments) {
    if (model.find_link(a.link)) continue;
    throw ModelError(
        "model '" + model.name() + "' has no link '" + a.link +
        "'; panto track needs the link names of MVN's segments (Pelvis, L5, L3, T12, ... LeftToe). "
        "For a robot: panto retarget RECORDING --robot " +
        model.name());
  }
}

}  // namespace

SubjectDimensions subject_of(const RecordingInfo& info, std::optional<double> height,
                             std::optional<double> mass, std::vector<std::string>& notes) {
  if (height) return scaled_subject(*height, mass.value_or(kUsualMass));
  if (info.subject) {
    SubjectDimensions subject = *info.subject;
    if (mass) subject.mass = *mass;
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

std::vector<TrackedPair> followed_pairs(const Recording& recording, const Model& model) {
  check_links(model, recording.info().attachments);
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
  SegmentTracker tracker(model, info.attachments, options.solver, method, recording.names(), own.option());
  MeasuredTracker<SegmentSample> measured(tracker, observer);
  const auto facts = [&](const SegmentSample& seen) {
    own.check();
    return FrameFacts{measured.record, true, &seen};
  };
  run_judged({model,
              recording,
              measured,
              recording,
              human_names(recording),
              info.frames,
              options.settle,
              options.keep_motion,
              facts,
              {}},
             observer, notes, result);
  result.notes = std::move(notes).all();
  return result;
}

}  // namespace panto
