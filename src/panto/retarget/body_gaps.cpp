#include "panto/retarget/body_gaps.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/model/link_pairs.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kDeep = 0.005;    // [m] links that overlap more are led apart as hulls
constexpr double kSlack = 1e-9;    // [m] more than rounding changes a distance
constexpr double kCrossed = 1e-9;  // [m] axes this near cross: their distance has no direction

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
  ends_.resize(body_.capsules.size());
  balls_.resize(body_.capsules.size());
  add_clusters();
  add_groups();
  gaps_.reserve(keys());
}

void BodyGaps::add_clusters() {
  for (std::size_t i = 0; i < body_.capsules.size(); ++i) {
    const Capsule& capsule = body_.capsules[i];
    auto cluster = std::find_if(clusters_.begin(), clusters_.end(), [&](const Cluster& c) {
      return c.from_link == capsule.from.link && c.to_link == capsule.to.link;
    });
    if (cluster == clusters_.end())
      cluster = clusters_.insert(cluster, Cluster{capsule.from.link, capsule.to.link, {}, {}, {}, {}});
    cluster->capsules.push_back(static_cast<int>(i));
    cluster_of_.push_back(static_cast<int>(cluster - clusters_.begin()));
    if (cluster->from_link != cluster->to_link) continue;
    Ball& ball = cluster->ball_L = {};
    for (const int k : cluster->capsules)
      ball.centre += 0.5 * (body_.capsules[at(k)].from.p_L + body_.capsules[at(k)].to.p_L);
    ball.centre /= static_cast<double>(cluster->capsules.size());
    cluster->core_L = long_axis(cluster->capsules, ball.centre);
    for (const int k : cluster->capsules) {
      const Capsule& one = body_.capsules[at(k)];
      for (const LinkPoint* end : {&one.from, &one.to})
        ball.reach = std::max(ball.reach, (end->p_L - ball.centre).norm() + one.radius);
    }
  }
}

// Returns the long axis of capsules of one link about `centre`, in the link's frame.
BodyGaps::Ends BodyGaps::long_axis(const std::vector<int>& capsules, const Vector3d& centre) const {
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const int k : capsules)
    for (const LinkPoint* end : {&body_.capsules[at(k)].from, &body_.capsules[at(k)].to})
      spread += (end->p_L - centre) * (end->p_L - centre).transpose();
  const Vector3d axis = symmetric_eigen(spread).vectors.col(2);
  double least = 0.0, most = 0.0;
  for (const int k : capsules)
    for (const LinkPoint* end : {&body_.capsules[at(k)].from, &body_.capsules[at(k)].to}) {
      least = std::min(least, axis.dot(end->p_L - centre));
      most = std::max(most, axis.dot(end->p_L - centre));
    }
  return {centre + least * axis, centre + most * axis};
}

void BodyGaps::add_groups() {
  const auto clusters = [&](const std::pair<int, int>& pair) {
    return std::pair(cluster_of_[at(pair.first)], cluster_of_[at(pair.second)]);
  };
  std::sort(body_.pairs.begin(), body_.pairs.end(), [&](const auto& a, const auto& b) {
    return std::pair(clusters(a), a) < std::pair(clusters(b), b);
  });
  for (std::size_t k = 0; k < body_.pairs.size(); ++k) {
    const auto [a, b] = clusters(body_.pairs[k]);
    if (groups_.empty() || groups_.back().a != a || groups_.back().b != b) {
      int stop = model_->frame(clusters_[at(a)].from_link).body;
      for (const int link : {clusters_[at(a)].to_link, clusters_[at(b)].from_link, clusters_[at(b)].to_link})
        stop = common_body(model_->tree(), stop, model_->frame(link).body);
      groups_.push_back({a, b, stop, k, k, k});
    }
    groups_.back().last = k + 1;
  }
}

std::pair<std::string, std::string> BodyGaps::names(const BodyGap& gap) const {
  const std::string& second = body_.capsules[at(gap.second)].name;
  return {gap.obstacle >= 0 ? obstacles_[at(gap.obstacle)].name : body_.capsules[at(gap.first)].name, second};
}

std::span<const BodyGap> BodyGaps::find(const Kinematics& kinematics, double near) noexcept {
  forget();
  for (Cluster& cluster : clusters_) surround(cluster, kinematics);
  for (Group& group : groups_) find_links(group, kinematics, near);
  for (std::size_t o = 0; o < obstacles_.size(); ++o) {
    for (Cluster& cluster : clusters_) {
      const ObstacleGap ball = obstacle_gap(obstacles_[o], cluster.ball.centre, cluster.ball.centre);
      if (!(ball.distance - cluster.ball.reach < near)) continue;
      place(cluster, kinematics);
      for (const int k : cluster.capsules) find_obstacle(o, k, near);
    }
  }
  return gaps_;
}

std::span<const BodyGap> BodyGaps::find(const Kinematics& kinematics, double near,
                                        std::span<const int> among) noexcept {
  forget();
  for (const int key : among) {
    if (at(key) < groups_.size()) {
      Group& group = groups_[at(key)];
      surround(clusters_[at(group.a)], kinematics);
      surround(clusters_[at(group.b)], kinematics);
      find_links(group, kinematics, near);
      continue;
    }
    const std::size_t pair = at(key) - groups_.size(), capsule = pair % body_.capsules.size();
    place(clusters_[at(cluster_of_[capsule])], kinematics);
    find_obstacle(pair / body_.capsules.size(), static_cast<int>(capsule), near);
  }
  return gaps_;
}

void BodyGaps::forget() noexcept {
  gaps_.clear();
  for (Cluster& cluster : clusters_) cluster.surrounded = cluster.placed = false;
}

void BodyGaps::find_links(Group& group, const Kinematics& kinematics, double near) noexcept {
  Cluster &a = clusters_[at(group.a)], &b = clusters_[at(group.b)];
  const double reach = a.ball.reach + b.ball.reach + near;
  if ((a.ball.centre - b.ball.centre).squaredNorm() >= reach * reach) return;
  place(a, kinematics);
  place(b, kinematics);
  BodyGap gap = nearest(group, near);
  if (gap.first < 0) return;
  const double capsules = gap.distance;
  lead_apart(group, kinematics, gap);
  gap.capsules = capsules;
  gap.stop = group.stop;
  gap.key = static_cast<int>(&group - groups_.data());
  gaps_.push_back(gap);
}

NearestPoints BodyGaps::points_of(std::size_t pair) const noexcept {
  const Ends &a = ends_[at(body_.pairs[pair].first)], &b = ends_[at(body_.pairs[pair].second)];
  return nearest_points(a.from, a.to, b.from, b.to);
}

double BodyGaps::radii_of(std::size_t pair) const noexcept {
  return body_.capsules[at(body_.pairs[pair].first)].radius +
         body_.capsules[at(body_.pairs[pair].second)].radius;
}

// Returns the gap between the nearest capsules of two clusters, if it is below `near`.
BodyGap BodyGaps::nearest(Group& group, double near) const noexcept {
  BodyGap gap;
  gap.distance = std::min(near, points_of(group.nearest).distance - radii_of(group.nearest) + kSlack);
  const Ball& around = clusters_[at(group.b)].ball;
  std::size_t before = body_.capsules.size();
  bool apart = false;
  for (std::size_t k = group.first; k < group.last; ++k) {
    const std::size_t a = at(body_.pairs[k].first), b = at(body_.pairs[k].second);
    if (a != before) {  // pairs are in this order
      before = a;
      const double most = balls_[a].reach + around.reach + gap.distance;
      apart = most <= 0.0 || (balls_[a].centre - around.centre).squaredNorm() >= most * most;
    }
    if (apart) continue;
    const double reach = balls_[a].reach + balls_[b].reach + gap.distance;  // farther balls are no nearer
    if (reach <= 0.0 || (balls_[a].centre - balls_[b].centre).squaredNorm() >= reach * reach) continue;
    const NearestPoints points = points_of(k);
    const double distance = points.distance - radii_of(k);
    if (!(distance < gap.distance)) continue;
    gap.distance = distance;
    group.nearest = k;
    gap.first = body_.pairs[k].first;
    gap.second = body_.pairs[k].second;
    gap.points = points;
  }
  if (gap.first < 0) return gap;
  const Ends &a = ends_[at(gap.first)], &b = ends_[at(gap.second)];
  const Vector3d across = (a.to - a.from).cross(b.to - b.from);
  if (gap.points.distance > kCrossed)
    gap.normal_W = (gap.points.b - gap.points.a) / gap.points.distance;
  else if (across.norm() > kCrossed)
    gap.normal_W = across.normalized();
  return gap;
}

// Returns the gap between the hulls of two clusters in one direction.
BodyGap BodyGaps::along(const Group& group, const Vector3d& normal_W) const noexcept {
  BodyGap gap;
  gap.normal_W = normal_W;
  // Finds the end of a cluster that is farthest in the direction.
  const auto farthest = [&](const Cluster& cluster, double sign, int& capsule, double& share,
                            Vector3d& point) {
    double most = -kInfinity;
    for (const int k : cluster.capsules) {
      for (const double end : {0.0, 1.0}) {
        const Vector3d& p = end == 0.0 ? ends_[at(k)].from : ends_[at(k)].to;
        const double reach = sign * normal_W.dot(p) + body_.capsules[at(k)].radius;
        if (!(reach > most)) continue;
        most = reach;
        capsule = k;
        share = end;
        point = p;
      }
    }
    return most;
  };
  const double a = farthest(clusters_[at(group.a)], 1.0, gap.first, gap.points.on_a, gap.points.a);
  const double b = farthest(clusters_[at(group.b)], -1.0, gap.second, gap.points.on_b, gap.points.b);
  gap.distance = -a - b;
  return gap;
}

// Replaces the gap of clusters that overlap by that of their hulls, in the direction between their axes.
void BodyGaps::lead_apart(const Group& group, const Kinematics& kinematics, BodyGap& gap) const noexcept {
  if (!(gap.distance < -kDeep)) return;
  const Ends a = core(clusters_[at(group.a)], kinematics), b = core(clusters_[at(group.b)], kinematics);
  const NearestPoints cores = nearest_points(a.from, a.to, b.from, b.to);
  if (cores.distance > kCrossed) gap = along(group, (cores.b - cores.a) / cores.distance);
}

// Returns the long axis of a cluster in the world.
BodyGaps::Ends BodyGaps::core(const Cluster& cluster, const Kinematics& kinematics) const noexcept {
  const int link = cluster.from_link;
  if (link != cluster.to_link) return ends_[at(cluster.capsules.front())];
  const Eigen::Matrix3d R_WL = kinematics.R_WL(link);
  const Vector3d p_WL = kinematics.p_WL(link);
  return {p_WL + R_WL * cluster.core_L.from, p_WL + R_WL * cluster.core_L.to};
}

// Moves the ball around a cluster to its place.
void BodyGaps::surround(Cluster& cluster, const Kinematics& kinematics) noexcept {
  if (cluster.surrounded) return;
  cluster.surrounded = true;
  const int link = cluster.from_link;
  if (link == cluster.to_link) {
    cluster.ball = {kinematics.p_WL(link) + kinematics.R_WL(link) * cluster.ball_L.centre,
                    cluster.ball_L.reach};
    return;
  }
  place(cluster, kinematics);
  cluster.ball = balls_[at(cluster.capsules.front())];
  for (const int k : cluster.capsules)
    cluster.ball.reach = std::max(cluster.ball.reach,
                                  (balls_[at(k)].centre - cluster.ball.centre).norm() + balls_[at(k)].reach);
}

void BodyGaps::place(Cluster& cluster, const Kinematics& kinematics) noexcept {
  if (cluster.placed) return;
  cluster.placed = true;
  const Eigen::Matrix3d R_from = kinematics.R_WL(cluster.from_link), R_to = kinematics.R_WL(cluster.to_link);
  const Vector3d p_from = kinematics.p_WL(cluster.from_link), p_to = kinematics.p_WL(cluster.to_link);
  for (const int k : cluster.capsules) {
    const Capsule& capsule = body_.capsules[at(k)];
    Ends& ends = ends_[at(k)];
    ends = {p_from + R_from * capsule.from.p_L, p_to + R_to * capsule.to.p_L};
    balls_[at(k)] = {0.5 * (ends.from + ends.to), 0.5 * (ends.to - ends.from).norm() + capsule.radius};
  }
}

void BodyGaps::find_obstacle(std::size_t o, int k, double near) noexcept {
  const ObstacleGap found = obstacle_gap(obstacles_[o], ends_[at(k)].from, ends_[at(k)].to);
  BodyGap gap;
  gap.distance = gap.capsules = found.distance - body_.capsules[at(k)].radius;
  if (!(gap.distance < near)) return;
  gap.obstacle = static_cast<int>(o);
  gap.second = k;
  gap.given = obstacles_[o].given;
  gap.key = static_cast<int>(groups_.size() + o * body_.capsules.size()) + k;
  gap.normal_W = found.normal_W;
  gap.points.b = found.point_W;
  gap.points.on_b = found.share;
  gaps_.push_back(gap);
}

// Returns whether a joint of `dofs` is between a link and the body `stop`.
bool BodyGaps::moves(std::span<const int> dofs, int link, int stop) const {
  const Tree& tree = model_->tree();
  for (int body = model_->frame(link).body; body != stop && body > 0; body = tree.parent[at(body)])
    if (std::find(dofs.begin(), dofs.end(), tree.dof[at(body)]) != dofs.end()) return true;
  return false;
}

std::vector<int> BodyGaps::moved_by(std::span<const int> dofs) const {
  std::vector<int> keys;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Cluster &a = clusters_[at(groups_[k].a)], &b = clusters_[at(groups_[k].b)];
    for (const int link : {a.from_link, a.to_link, b.from_link, b.to_link})
      if (moves(dofs, link, groups_[k].stop)) {
        keys.push_back(static_cast<int>(k));
        break;
      }
  }
  for (std::size_t o = 0; o < obstacles_.size(); ++o)
    for (std::size_t k = 0; k < body_.capsules.size(); ++k)
      if (moves(dofs, body_.capsules[k].from.link, 0) || moves(dofs, body_.capsules[k].to.link, 0))
        keys.push_back(static_cast<int>(groups_.size() + o * body_.capsules.size() + k));
  return keys;
}

// Returns for every joint the most [m/rad, m/m] by which it moves a point of the body.
Eigen::VectorXd BodyGaps::levers() const {
  const Tree& tree = model_->tree();
  Eigen::VectorXd levers = Eigen::VectorXd::Zero(model_->dof());
  for (const Capsule& capsule : body_.capsules)
    for (const LinkPoint* end : {&capsule.from, &capsule.to}) {
      const LinkFrame& frame = model_->frame(end->link);
      double reach = (frame.p_BL + frame.R_BL * end->p_L).norm() + capsule.radius;
      for (int body = frame.body; body > 0; body = tree.parent[at(body)]) {
        const int j = tree.dof[at(body)];
        const bool turns = tree.type[at(body)] == JointType::Revolute;
        levers[j] = std::max(levers[j], turns ? reach : 1.0);
        reach += tree.p_PJ[at(body)].norm();
        if (!turns) reach += std::max(std::abs(model_->lower()[j]), std::abs(model_->upper()[j]));
      }
    }
  return levers;
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
  const auto push = [&](int capsule, double share, const Vector3d& point, const Vector3d& way) {
    add(kinematics, body_.capsules[at(capsule)], gap.stop, share, point, ends_[at(capsule)], way, change);
  };
  if (gap.first >= 0) push(gap.first, gap.points.on_a, gap.points.a, -gap.normal_W);
  push(gap.second, gap.points.on_b, gap.points.b, gap.normal_W);
}

}  // namespace panto
