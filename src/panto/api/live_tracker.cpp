// One sample of a person at a time with a model of a human.

#include <algorithm>

#include "panto/api/track.hpp"
#include "panto/base/error.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/gap_bridge.hpp"
#include "panto/tracking/hanging_arms.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

AttachmentMap map_of(const std::vector<std::string>& segments) {
  for (const std::string& segment : segments) {
    if (find_human_segment(segment) < 0)
      throw ConfigError(unknown_name("segment", segment, "a human", human_segment_names()));
  }
  AttachmentMap map = mvn_attachments();
  std::erase_if(map.attachments, [&](const Attachment& a) {
    return std::find(segments.begin(), segments.end(), a.segment) == segments.end();
  });
  return map;
}

// A tracker with its model.
class LiveTracker final : public Tracker<SegmentSample> {
 public:
  LiveTracker(const Model& model, const std::vector<std::string>& segments, const TrackOptions& options)
      : model_(with_hanging_arms(model, segments)),
        segments_(segments.size()),
        bridge_(segments.size()),
        tracker_(model_, map_of(segments), options.solver, options.method, segments, options.own) {}

  StepStatus step(const SegmentSample& person, State& state) noexcept override {
    if (person.segments.size() != segments_) return StepStatus::SizeMismatch;
    const SegmentSample* const whole = bridge_.fill(person);
    return whole != nullptr ? tracker_.step(*whole, state) : StepStatus::TargetNotFinite;
  }
  const StepReport& last_report() const noexcept override { return tracker_.last_report(); }

 private:
  Model model_;
  std::size_t segments_;
  GapBridge bridge_;
  SegmentTracker tracker_;
};

}  // namespace

std::unique_ptr<Tracker<SegmentSample>> live_tracker(const Model& model,
                                                     const std::vector<std::string>& segments,
                                                     const TrackOptions& options) {
  return std::make_unique<LiveTracker>(model, segments, options);
}

}  // namespace panto
