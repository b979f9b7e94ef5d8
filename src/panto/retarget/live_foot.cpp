#include "panto/retarget/live_foot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/spring.hpp"
#include "panto/retarget/foot_plan.hpp"

namespace panto {
namespace {

using detail::FootPose;
using Eigen::Vector3d;

constexpr double kRest = 0.02;          // [s] in which a foot comes to rest
constexpr double kRelease = 0.06;       // [s] in which it becomes free
constexpr double kApproach = 0.2;       // [s] before touch-down in which it heads for its place
constexpr double kTurn = 0.35;          // [rad] that a foot in stance turns less than the person's
constexpr double kLevelTime = 0.1;      // [s] in which a foot on heel and ball becomes flat
constexpr double kClearance = 0.004;    // [m] a swinging foot nearer to the floor is lifted
constexpr double kFarthestRest = 0.03;  // [m] in which a foot that lands comes to rest, at most

}  // namespace

LiveFoot::LiveFoot(const Model& model, const robot::Skeleton& skeleton, int side)
    : leg_(leg_solver(model, skeleton, side)),
      side_(at(side)),
      sole_(robot_sole(skeleton, side)),
      frame_(detail::sole_frame(sole_)),
      corners_(foot_corners(model, skeleton, side)) {}

void LiveFoot::reset() noexcept {
  stood_ = chosen_ = slipped_ = false;
  flat_ = 0.0;
  away_ = 1.0;
  velocity_ = offset_ = rate_ = rest_ = rest_rate_ = Vector6::Zero();
}

LiveFoot::Vector6 LiveFoot::between(const FootPose& from, const FootPose& to) noexcept {
  Vector6 way;
  way << to.p_WF - from.p_WF, so3::log(to.R_WF * from.R_WF.transpose());
  return way;
}

FootPose LiveFoot::moved(const FootPose& from, const Vector6& by) noexcept {
  return {from.p_WF + by.head<3>(), so3::exp(by.tail<3>()) * from.R_WF};
}

FootPose LiveFoot::free_pose(const Vector3d& base, const LiveFootFrame& foot) const noexcept {
  FootPose pose{base + foot.arm, foot.R_WF};
  pose.p_WF.z() += detail::sole_rise(corners_, kClearance, 0.0, pose.p_WF, pose.R_WF);
  return pose;
}

Vector3d LiveFoot::ball(const FootPose& pose) const noexcept { return pose.p_WF + pose.R_WF * sole_.ball; }

double LiveFoot::yaw(const FootPose& pose) const noexcept { return detail::sole_yaw(pose.R_WF, frame_); }

void LiveFoot::choose_place(const Vector3d& ball, double yaw) noexcept {
  place_ = {ball.x(), ball.y(), 0.0};
  yaw_ = yaw;
  flat_ = 0.0;
  chosen_ = true;
}

FootPose LiveFoot::standing(const LiveFootFrame& foot) const noexcept {
  const double share = 1.0 - flat_ * flat_ * (3.0 - 2.0 * flat_);
  double pitch = share * detail::sole_pitch(foot.R_WF, frame_);
  if (foot.heel != foot.ball) {
    const double side = foot.ball ? 1.0 : -1.0;
    pitch = side * detail::soft_positive(side * pitch, detail::kSoftPitch);
  }
  const FootPose pose = detail::standing_pose(sole_, frame_, place_, yaw_, pitch);
  return detail::with_own_roll(pose, sole_, frame_, foot.R_WF, share);
}

void LiveFoot::begin(const LiveFootFrame& foot, const FootPose& free, bool joined) noexcept {
  if (!foot.stands() || (stood_ && joined)) return;
  if (!chosen_ || !joined) {
    const FootPose& lands = joined ? target_ : free;
    Vector3d way = joined ? Vector3d(kRest * velocity_.head<3>()) : Vector3d::Zero();
    way *= std::min(1.0, kFarthestRest / std::max(way.norm(), 1e-9));
    choose_place(ball(lands) + way, yaw(lands));
  }
  chosen_ = slipped_ = false;
  rest_.setZero();
  rest_rate_.setZero();
  if (!joined) return;
  rest_ = between(standing(foot), target_);
  rest_rate_ = velocity_;
}

void LiveFoot::plan(const LiveFootFrame& foot, const FootPose& free, const TouchDown& next, double dt,
                    bool joined, const Vector3d& goal) noexcept {
  const FootPose before = target_;
  const Vector6 offset = offset_;
  if (foot.stands()) {
    stand(foot, dt);
    away_ = joined ? std::max(0.0, away_ - 2.0 * dt) : 0.0;
  } else if (joined) {
    swing(free, next, dt, goal);
    const double nearest = next.known ? std::min(away_ + dt, next.in - dt) : away_ + dt;
    away_ = std::max(nearest, away_ - 2.0 * dt);
  } else {
    target_ = free;
    away_ = 1.0;
  }
  offset_ = between(free, target_);
  const bool moves = joined && dt > 0.0;
  rate_ = moves ? Vector6((offset_ - offset) / dt) : Vector6(Vector6::Zero());
  velocity_ = moves ? Vector6(between(before, target_) / dt) : Vector6(Vector6::Zero());
  stood_ = foot.stands();
}

void LiveFoot::stand(const LiveFootFrame& foot, double dt) noexcept {
  const double off = std::remainder(detail::sole_yaw(foot.R_WF, frame_) - yaw_, 2.0 * std::numbers::pi);
  if (const double turn = off - std::clamp(off, -kTurn, kTurn); turn != 0.0) {
    if (foot.heel && !foot.ball)
      place_ += frame_.length * (detail::heading(yaw_ + turn) - detail::heading(yaw_));
    yaw_ += turn;
  }
  const double to = foot.heel && foot.ball ? dt : -dt;
  flat_ = std::clamp(flat_ + to / kLevelTime, 0.0, 1.0);
  detail::settle(kRest, dt, rest_, rest_rate_);
  target_ = moved(standing(foot), rest_);
}

void LiveFoot::swing(const FootPose& free, const TouchDown& next, double dt, const Vector3d& goal) noexcept {
  Vector6 offset = offset_, rate = rate_;
  if (next.known && next.in <= kApproach && next.in > dt) {  // the cubic that ends there
    LiveFootFrame landing;
    landing.R_WF = next.free.R_WF;
    Vector6 end = between(next.free, standing(landing)), end_rate = Vector6::Zero();
    end_rate.head<3>() = -next.velocity;
    const double u = dt / next.in, v = 1.0 - u;
    offset = v * v * (1.0 + 2.0 * u) * offset_ + u * v * v * next.in * rate_ + u * u * (3.0 - 2.0 * u) * end -
             u * u * v * next.in * end_rate;
  } else {
    offset.head<3>() -= goal;
    detail::settle(kRelease, dt, offset, rate);
    offset.head<3>() += goal;
  }
  target_ = moved(free, offset);
  double depth = 0.0;  // where the correction itself would lead under the floor
  for (const Vector3d& corner : corners_)
    depth = std::max(depth, -(target_.p_WF + target_.R_WF * corner).z());
  target_.p_WF.z() += depth;
}

bool LiveFoot::let_go(const Vector3d& missed) noexcept {
  place_.head<2>() -= missed.head<2>();
  const bool first = !slipped_;
  slipped_ = true;
  return first;
}

}  // namespace panto
