#include "panto/api/live_retargeter.hpp"

#include <algorithm>

#include "panto/api/robot_run.hpp"
#include "panto/base/error.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "panto/robot/skeleton.hpp"
#include "panto/robot/touch_weights.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

robot::Map live_map(const Robot& robot, const std::vector<std::string>& segments,
                    const RetargetOptions& options) {
  if (options.smooth || options.scale)
    throw ConfigError("live retargeting cannot smooth or scale (both need the whole motion): unset both");
  check_own(robot, options);
  robot::Map map = robot.map;
  if (options.relative) map.relative = *options.relative;
  if (options.raise_touch_gain) raise_touch_gain(map);
  map = followed_map(std::move(map), robot.model,
                     options.feet == FeetMode::Off ? FeetMode::Off : FeetMode::Soft);
  std::erase_if(map.attachments.attachments, [&](const Attachment& a) {
    return std::find(segments.begin(), segments.end(), a.segment) == segments.end();
  });
  if (map.attachments.attachments.empty())
    throw ConfigError("robot '" + robot.model.name() + "' follows none of the segments");
  return map;
}

robot::SkeletonOptions skeleton_options(const robot::Map& map) {
  robot::SkeletonOptions options;
  options.keep_hands = map.relative.hands;
  options.keep_body = map.relative.body;
  return options;
}

}  // namespace

struct LiveRetargeter::Impl {
  Impl(const Robot& followed, const std::vector<std::string>& segments, const SubjectDimensions& person,
       const RetargetOptions& options)
      : robot(followed),
        map(live_map(robot, segments, options)),
        skeleton(robot.model, map, person, segments, skeleton_options(map)),
        at_rest(skeleton),
        tracker(robot.model, map.attachments, options.solver, options.method, segments,
                robot::with_touch_weights(options.own, map.attachments, segments,
                                          options.method.dynamical.position_weight)) {
    posed.segments.resize(segments.size());
  }

  Robot robot;
  robot::Map map;
  robot::Skeleton skeleton, at_rest;
  SegmentTracker tracker;
  SegmentSample posed;
};

LiveRetargeter::LiveRetargeter(const Robot& robot, const std::vector<std::string>& segments,
                               const SubjectDimensions& person, const RetargetOptions& options)
    : impl_(std::make_unique<Impl>(robot, segments, person, options)) {}

LiveRetargeter::~LiveRetargeter() = default;

State LiveRetargeter::rest_state() const { return impl_->tracker.rest_state(); }

const Model& LiveRetargeter::model() const noexcept { return impl_->robot.model; }

StepStatus LiveRetargeter::step(const SegmentSample& person, State& state) noexcept {
  if (person.segments.size() != impl_->posed.segments.size()) return StepStatus::SizeMismatch;
  impl_->skeleton.pose(person, impl_->posed);
  return impl_->tracker.step(impl_->posed, state);
}

const StepReport& LiveRetargeter::last_report() const noexcept { return impl_->tracker.last_report(); }

OwnTargets& LiveRetargeter::own() noexcept { return impl_->tracker.own(); }

void LiveRetargeter::reset() noexcept { impl_->tracker.reset(); }

}  // namespace panto
