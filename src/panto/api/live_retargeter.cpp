#include "panto/api/live_retargeter.hpp"

#include <algorithm>
#include <optional>

#include "panto/api/robot_run.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/retarget/live_planter.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "panto/robot/skeleton.hpp"
#include "panto/robot/touch_weights.hpp"
#include "panto/sample/gap_bridge.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

constexpr double kMostAhead = 0.3;  // [s]
constexpr double kJitter = 0.25;    // share of the look-ahead by which samples may come early
constexpr double kLate = 0.05;      // [s] more than the look-ahead, after which states are skipped
constexpr Time kRounding = 1000;    // [ns] of stamps

bool plants(const Robot& robot, const std::vector<std::string>& segments, const RetargetOptions& options) {
  const auto is_foot = [&](const Attachment& a) {
    return (a.segment == "RightFoot" || a.segment == "LeftFoot") &&
           std::find(segments.begin(), segments.end(), a.segment) != segments.end();
  };
  const auto& all = robot.map.attachments.attachments;
  return options.feet == FeetMode::Plant && robot.model.floating_base() && options.own.targets.empty() &&
         !options.own.update && std::any_of(all.begin(), all.end(), is_foot);
}

FeetMode live_feet(const Robot& robot, const std::vector<std::string>& segments,
                   const RetargetOptions& options) {
  if (options.feet == FeetMode::Off) return FeetMode::Off;
  return plants(robot, segments, options) ? FeetMode::Plant : FeetMode::Soft;
}

robot::Map live_map(const Robot& robot, const std::vector<std::string>& segments,
                    const RetargetOptions& options) {
  if (options.smooth || options.scale)
    throw ConfigError("live retargeting cannot smooth or scale (both need the whole motion): unset both");
  if (!(options.live.look_ahead >= 0.0 && options.live.look_ahead <= kMostAhead))
    throw ConfigError("live retargeting: `look_ahead` must be 0 to 0.3 s");
  check_own(robot, options);
  robot::Map map = robot.map;
  if (options.relative) map.relative = *options.relative;
  if (options.raise_touch_gain) raise_touch_gain(map);
  map = followed_map(std::move(map), robot.model, live_feet(robot, segments, options));
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
      : robot(with_hanging_arms(followed, segments).value_or(followed)),
        map(live_map(robot, segments, options)),
        skeleton(robot.model, map, person, segments, skeleton_options(map)),
        at_rest(skeleton),
        bridge(segments.size()),
        tracker(robot.model, map.attachments, options.solver, options.method, segments,
                robot::with_touch_weights(options.own, map.attachments, segments,
                                          options.method.dynamical.position_weight)),
        look_ahead(from_seconds(options.live.look_ahead)),
        returns(options.method.dynamical.limited_return),
        rest(panto::rest_state(robot.model)),
        free(rest),
        shown(rest) {
    posed.segments.resize(segments.size());
    check_own_carried(options, skeleton.carried());
    if (clears(options)) {
      const LiveClearerOptions clearing{.speed_limit = options.method.dynamical.limits.speed_limit,
                                        .obstacles = obstacles_of(options, map)};
      clearer.emplace(
          robot.model,
          ClearBody{link_body(robot.model, robot.model.rest()), giving_arms(robot.model, skeleton)},
          clearing);
      if (!clearer->able()) clearer.reset();
    }
    if (!plants(robot, segments, options)) return;
    LivePlanterOptions planting{
        options.live.look_ahead, options.live.floor, clearer ? &*clearer : nullptr, {}};
    planting.planting.speed_limit = options.method.dynamical.limits.speed_limit;
    planter.emplace(robot.model, skeleton, segments, person, planting);
    if (!planter->able()) planter.reset();
  }

  StepStatus step_planted(const SegmentSample& person, State& state) noexcept;
  StepStatus step_free(const SegmentSample& person, State& state) noexcept;
  void clear(const SegmentSample& person, bool follows, State& state) noexcept;
  StepStatus step_carried(const SegmentSample& person, State& state) noexcept;
  [[nodiscard]] bool due(Time now, Time earlier) const noexcept {
    return planter->pending() > 0 && planter->oldest() <= now - earlier + kRounding;
  }

  Robot robot;
  robot::Map map;
  robot::Skeleton skeleton, at_rest;
  GapBridge bridge;
  SegmentTracker tracker;
  SegmentSample posed;
  std::optional<LiveClearer> clearer;
  std::optional<LivePlanter> planter;
  Time look_ahead;
  bool returns;  // gaps are crossed within the limits
  bool begun = false, filled = false, shows = false;
  State rest, free;  // `free`: before planting
  State shown;       // the last one that the clearer saw, if it `shows` one; of a stream without planted feet
};

StepStatus LiveRetargeter::Impl::step_planted(const SegmentSample& person, State& state) noexcept {
  if (state.s.size() != free.s.size() || state.sdot.size() != free.sdot.size())
    return StepStatus::SizeMismatch;
  skeleton.set_floor(planter->floor_under(person));
  skeleton.pose(person, posed);
  const StepStatus status = tracker.step(posed, free);
  if (!advanced(status)) return status;
  const StepReport& report = tracker.last_report();
  const bool gap = report.clock_gap || person.cut;
  planter->push({person, posed, free, status, gap, report.returning, begun && (returns || !gap)}, skeleton);
  begun = true;
  const auto slack = static_cast<Time>(kJitter * static_cast<double>(look_ahead));
  if (!planter->full() && !due(free.t, filled ? look_ahead - slack : look_ahead)) return StepStatus::NoTarget;
  filled = true;
  const StepStatus published = planter->publish(state);
  return due(free.t, look_ahead + from_seconds(kLate)) ? planter->publish(state) : published;
}

StepStatus LiveRetargeter::Impl::step_free(const SegmentSample& person, State& state) noexcept {
  skeleton.pose(person, posed);
  const StepStatus status = tracker.step(posed, state);
  if (!advanced(status)) return status;
  clear(person, true, state);
  return status;
}

// Keeps limbs out of the body. `follows`: as of `LiveClearer::clear`.
void LiveRetargeter::Impl::clear(const SegmentSample& person, bool follows, State& state) noexcept {
  if (!clearer) return;
  const bool joined = shows && !person.cut && !tracker.last_report().clock_gap && state.t > shown.t;
  clearer->clear(joined ? &shown : nullptr, joined ? to_seconds(state.t - shown.t) : 0.0, follows, state);
  shown = state;
  shows = true;
}

// Solves relative to the base, then puts the robot where the base is.
StepStatus LiveRetargeter::Impl::step_carried(const SegmentSample& person, State& state) noexcept {
  skeleton.pose(person, posed);
  if (state.s.size() != free.s.size() || state.sdot.size() != free.sdot.size())
    return StepStatus::SizeMismatch;
  const StepStatus status = tracker.step(posed, free);
  if (!advanced(status)) return status;
  const Time passed = free.t - state.t;
  const bool goes_on = begun && !tracker.last_report().clock_gap && passed > 0;
  const robot::Skeleton::BasePose& base = skeleton.base();
  const double rate = goes_on ? 1.0 / to_seconds(passed) : 0.0;
  const Eigen::Vector3d v = rate * (base.p_WB - state.p_WB),
                        w = rate * so3::log(base.R_WB * state.R_WB.transpose());
  state = free;
  state.p_WB = base.p_WB;
  state.R_WB = base.R_WB;
  state.v_WB = v;
  state.w_WB = w;
  clear(person, false, state);
  begun = true;
  return status;
}

LiveRetargeter::LiveRetargeter(const Robot& robot, const std::vector<std::string>& segments,
                               const SubjectDimensions& person, const RetargetOptions& options)
    : impl_(std::make_unique<Impl>(robot, segments, person, options)) {}

LiveRetargeter::~LiveRetargeter() = default;

State LiveRetargeter::rest_state() const { return impl_->tracker.rest_state(); }

const Model& LiveRetargeter::model() const noexcept { return impl_->robot.model; }

StepStatus LiveRetargeter::step(const SegmentSample& person, State& state) noexcept {
  if (person.segments.size() != impl_->posed.segments.size()) return StepStatus::SizeMismatch;
  const SegmentSample* const whole = impl_->bridge.fill(person);
  if (whole == nullptr) return StepStatus::TargetNotFinite;  // before it reaches what outlasts the sample
  if (impl_->planter) return impl_->step_planted(*whole, state);
  return impl_->skeleton.carried() ? impl_->step_carried(*whole, state) : impl_->step_free(*whole, state);
}

const StepReport& LiveRetargeter::last_report() const noexcept { return impl_->tracker.last_report(); }

OwnTargets& LiveRetargeter::own() noexcept { return impl_->tracker.own(); }

StepStatus LiveRetargeter::drain(State& state) noexcept {
  if (pending() == 0) return StepStatus::NoTarget;
  const auto joints = impl_->free.s.size();
  if (state.s.size() != joints || state.sdot.size() != joints) return StepStatus::SizeMismatch;
  return impl_->planter->publish(state);
}

std::size_t LiveRetargeter::pending() const noexcept {
  return impl_->planter ? impl_->planter->pending() : 0;
}

std::int64_t LiveRetargeter::let_go() const noexcept { return impl_->planter ? impl_->planter->let_go() : 0; }

void LiveRetargeter::reset() noexcept {
  impl_->tracker.reset();
  impl_->bridge.reset();
  if (impl_->clearer) impl_->clearer->reset();
  if (impl_->planter) impl_->planter->reset();
  impl_->skeleton = impl_->at_rest;
  impl_->free = impl_->rest;
  impl_->begun = impl_->filled = impl_->shows = false;
}

}  // namespace panto
