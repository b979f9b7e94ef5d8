#include "panto/keypoints/live_points.hpp"

#include <algorithm>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/keypoints/landmarks.hpp"
#include "panto/keypoints/point_geometry.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

// share of a new value in an exponential filter
double share_of(double cutoff_hz, double dt) {
  const double turns = 2.0 * std::numbers::pi * cutoff_hz * dt;
  return turns / (turns + 1.0);
}

}  // namespace

LivePoints::LivePoints(const std::vector<std::string>& names, double metre, const LiveOptions& options)
    : options_(options),
      metre_(metre),
      landmarks_(read_landmark_names(names).landmark),
      followers_(names.size()) {
  if (!(metre > 0.0) || !(options.slow_hz > 0.0) || !(options.speed_hz > 0.0) || !(options.per_speed >= 0.0))
    throw ConfigError("live points: unit, slow_hz and speed_hz must be above 0, per_speed not below");
  table_.points = static_cast<int>(names.size());
}

void LivePoints::follow(Time t, double dt, Follower& follower, Vector3d& point) const {
  if (!point.allFinite()) {
    const bool hold = follower.known && to_seconds(t - follower.seen) < options_.hold;
    follower.known = hold;
    if (hold) point = follower.place += follower.speed * dt;
    return;
  }
  if (!follower.known) {
    follower = {point, point, Vector3d::Zero(), t, true};
    return;
  }
  const double since = to_seconds(t - follower.seen);
  follower.speed +=
      share_of(options_.speed_hz, since) * ((point - follower.measured) / since - follower.speed);
  const double cutoff = options_.slow_hz + options_.per_speed * follower.speed.norm() / metre_;
  follower.place += share_of(cutoff, dt) * (point - follower.place);
  follower.measured = point;
  follower.seen = t;
  point = follower.place;
}

void LivePoints::clean(Time t, std::vector<Vector3d>& points) {
  if (points.size() != followers_.size() || (begun_ && t <= last_)) return;
  const double dt = begun_ ? to_seconds(t - last_) : 0.0;
  begun_ = true;
  last_ = t;
  for (std::size_t j = 0; j < points.size(); ++j) follow(t, dt, followers_[j], points[j]);
  if (!learnt_) {
    table_.p.insert(table_.p.end(), points.begin(), points.end());
    if (static_cast<std::size_t>(++table_.frames) < options_.learn) return;
    bones_ = find_bones(table_, landmarks_);
    table_.frames = 1;
    learnt_ = true;
  }
  table_.p.assign(points.begin(), points.end());
  keep_lengths(table_, bones_, std::vector<unsigned char>(points.size(), 1));
  points = table_.p;
}

}  // namespace panto::keypoints
