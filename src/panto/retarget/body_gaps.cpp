#include "panto/retarget/body_gaps.hpp"

#include <algorithm>
#include <array>

#include "panto/base/index.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kCrossed = 1e-9;  // [m] axes this near cross: their distance has no direction

// Returns the last body that carries both.
int common_body(const Tree& tree, int a, int b) {
  while (a != b) {
    int& later = a > b ? a : b;  // a parent has a smaller index
    later = tree.parent[at(later)];
  }
  return a;
}

void check(const Model& model, const CapsuleBody& body) {
  const auto known = [&](const LinkPoint& point) {
    return point.link >= 0 && point.link < model.link_count();
  };
  for (const Capsule& capsule : body.capsules)
    if (!known(capsule.from) || !known(capsule.to))
      throw ModelError("capsule '" + capsule.name + "': the model has no such link");
  const int count = static_cast<int>(body.capsules.size());
  for (const auto& [a, b] : body.pairs)
    if (a < 0 || b < 0 || a >= count || b >= count || a == b)
      throw ModelError("capsules: a pair names capsules that do not exist, or one twice");
}

}  // namespace

BodyGaps::BodyGaps(const Model& model, CapsuleBody body, std::vector<Obstacle> obstacles)
    : model_(&model), body_(std::move(body)), obstacles_(std::move(obstacles)) {
  check(model, body_);
  for (const Obstacle& obstacle : obstacles_) panto::check(obstacle);
  std::sort(body_.pairs.begin(), body_.pairs.end());
  const auto body_of = [&](const LinkPoint& point) { return model.frame(point.link).body; };
  for (const auto& [a, b] : body_.pairs) {
    const Capsule &first = body_.capsules[at(a)], &second = body_.capsules[at(b)];
    int stop = common_body(model.tree(), body_of(first.from), body_of(second.from));
    for (const LinkPoint* end : {&first.to, &second.to}) stop = common_body(model.tree(), stop, body_of(*end));
    stop_.push_back(stop);
  }
  ends_.resize(body_.capsules.size());
  balls_.resize(body_.capsules.size());
  gaps_.reserve(body_.pairs.size() + obstacles_.size() * body_.capsules.size());
}

std::pair<std::string, std::string> BodyGaps::names(const BodyGap& gap) const {
  if (gap.obstacle >= 0) return {obstacles_[at(gap.obstacle)].name, body_.capsules[at(gap.capsule)].name};
  const auto [a, b] = body_.pairs[at(gap.pair)];
  return {body_.capsules[at(a)].name, body_.capsules[at(b)].name};
}

std::span<const BodyGap> BodyGaps::find(const Kinematics& kinematics, double near) noexcept {
  gaps_.clear();
  place(kinematics);
  for (std::size_t k = 0; k < body_.pairs.size(); ++k) find_pair(k, near);
  if (!obstacles_.empty())
    for (std::size_t i = 0; i < ends_.size(); ++i) find_obstacles(i, near);
  return gaps_;
}

void BodyGaps::place(const Kinematics& kinematics) noexcept {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Capsule& capsule = body_.capsules[i];
    const auto place = [&](const LinkPoint& point) -> Vector3d {
      return kinematics.p_WL(point.link) + kinematics.R_WL(point.link) * point.p_L;
    };
    ends_[i] = {place(capsule.from), place(capsule.to)};
    balls_[i] = {0.5 * (ends_[i].from + ends_[i].to),
                 0.5 * (ends_[i].to - ends_[i].from).norm() + capsule.radius};
  }
}

void BodyGaps::find_pair(std::size_t k, double near) noexcept {
  const std::size_t a = at(body_.pairs[k].first), b = at(body_.pairs[k].second);
  const double reach = balls_[a].reach + balls_[b].reach + near;
  if ((balls_[a].centre - balls_[b].centre).squaredNorm() >= reach * reach) return;
  BodyGap gap;
  gap.points = nearest_points(ends_[a].from, ends_[a].to, ends_[b].from, ends_[b].to);
  gap.distance = gap.points.distance - body_.capsules[a].radius - body_.capsules[b].radius;
  if (!(gap.distance < near)) return;
  gap.pair = static_cast<int>(k);
  const Vector3d across = (ends_[a].to - ends_[a].from).cross(ends_[b].to - ends_[b].from);
  if (gap.points.distance > kCrossed)
    gap.normal_W = (gap.points.b - gap.points.a) / gap.points.distance;
  else if (across.norm() > kCrossed)
    gap.normal_W = across.normalized();
  gaps_.push_back(gap);
}

void BodyGaps::find_obstacles(std::size_t capsule, double near) noexcept {
  for (std::size_t o = 0; o < obstacles_.size(); ++o) {
    const ObstacleGap found = obstacle_gap(obstacles_[o], ends_[capsule].from, ends_[capsule].to);
    BodyGap gap;
    gap.distance = found.distance - body_.capsules[capsule].radius;
    if (!(gap.distance < near)) continue;
    gap.obstacle = static_cast<int>(o);
    gap.capsule = static_cast<int>(capsule);
    gap.normal_W = found.normal_W;
    gap.points.b = found.point_W;
    gap.points.on_b = found.share;
    gaps_.push_back(gap);
  }
}

// Adds what a push on a point of a link moves, joint by joint from the link to the body `stop`.
void BodyGaps::add(const Kinematics& kinematics, int link, int stop, const Vector3d& point_W,
                   const Vector3d& push, Eigen::VectorXd& change) const noexcept {
  const Tree& tree = model_->tree();
  for (int body = model_->frame(link).body; body != stop && body > 0; body = tree.parent[at(body)]) {
    const Vector3d& axis = kinematics.joint_axis()[at(body)];
    const bool turns = tree.type[at(body)] == JointType::Revolute;
    change[tree.dof[at(body)]] +=
        turns ? push.dot(axis.cross(point_W - kinematics.body_position()[at(body)])) : push.dot(axis);
  }
}

void BodyGaps::add(const Kinematics& kinematics, const Capsule& capsule, int stop, double share,
                   const Vector3d& point_W, const Ends& ends, const Vector3d& push,
                   Eigen::VectorXd& change) const noexcept {
  if (capsule.from.link == capsule.to.link)
    return add(kinematics, capsule.from.link, stop, point_W, push, change);
  add(kinematics, capsule.from.link, stop, ends.from, (1.0 - share) * push, change);
  add(kinematics, capsule.to.link, stop, ends.to, share * push, change);
}

void BodyGaps::gradient(const BodyGap& gap, const Kinematics& kinematics,
                        Eigen::VectorXd& change) const noexcept {
  change.setZero();
  const bool alone = gap.pair < 0;
  const int stop = alone ? 0 : stop_[at(gap.pair)];
  const std::size_t b = at(alone ? gap.capsule : body_.pairs[at(gap.pair)].second);
  add(kinematics, body_.capsules[b], stop, gap.points.on_b, gap.points.b, ends_[b], gap.normal_W, change);
  if (alone) return;
  const std::size_t a = at(body_.pairs[at(gap.pair)].first);
  add(kinematics, body_.capsules[a], stop, gap.points.on_a, gap.points.a, ends_[a], -gap.normal_W, change);
}

}  // namespace panto
