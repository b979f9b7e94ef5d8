#include "panto/retarget/clear_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/retarget/limb_solver.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kLimb = 1.0, kWrist = 0.05;  // costs
constexpr int kArms = 0, kLegs = 1;           // ranks
constexpr double kMoves = 1e-9;               // [m/rad] a joint with less does not move the pair

std::vector<int> giving(const Model& model, const GivingJoints& all) {
  if (all.cost.size() != model.dof() || static_cast<int>(all.rank.size()) != model.dof() ||
      !(all.cost.array() > 0.0).all())
    throw ModelError("joints that give way need a cost above 0 and a rank for each joint of the model");
  std::vector<int> joints;
  for (int j = 0; j < model.dof(); ++j)
    if (std::isfinite(all.cost[j])) joints.push_back(j);
  return joints;
}

Eigen::VectorXd costs_of(const GivingJoints& all, const std::vector<int>& joints) {
  Eigen::VectorXd costs(static_cast<Eigen::Index>(joints.size()));
  for (std::size_t i = 0; i < joints.size(); ++i) costs[static_cast<Eigen::Index>(i)] = all.cost[joints[i]];
  return costs;
}

// the joints that give way and move a point, as a sign of each
std::vector<bool> movers(const Model& model, const LinkPoint& point, const GivingJoints& all) {
  std::vector<bool> moves(at(model.dof()), false);
  for (int k = model.frame(point.link).body; k > 0; k = model.tree().parent[at(k)])
    if (std::isfinite(all.cost[model.tree().dof[at(k)]])) moves[at(model.tree().dof[at(k)])] = true;
  return moves;
}

// Leaves out the pairs that no joint moves.
CapsuleBody movable(const Model& model, CapsuleBody body, const GivingJoints& all) {
  std::vector<std::array<std::vector<bool>, 2>> moved;
  for (const Capsule& capsule : body.capsules)
    moved.push_back({movers(model, capsule.from, all), movers(model, capsule.to, all)});
  std::erase_if(body.pairs, [&](const std::pair<int, int>& pair) {
    const auto &a = moved[at(pair.first)], &b = moved[at(pair.second)];
    return a[0] == a[1] && b[0] == b[1] && a[0] == b[0];
  });
  return body;
}

// Returns whether a row leaves a joint no freedom of its own.
bool is_bound(const Model& model, int j) {
  const std::string& joint = model.joint_names()[at(j)];
  return std::any_of(model.rows().begin(), model.rows().end(), [&](const CoupledRow& row) {
    return row.lower == row.upper &&
           std::any_of(row.terms.begin(), row.terms.end(),
                       [&](const CoupledRow::Term& term) { return term.joint == joint; });
  });
}

// Adds the joints between two links of a limb; those after `lower` cost `end`.
void add_limb(const Model& model, int root, int lower, int last, int rank, double end, GivingJoints& giving) {
  const int tip = last >= 0 ? last : lower;
  if (tip < 0) return;
  const Tree& tree = model.tree();
  const int stop = root < 0 ? 0 : model.frame(root).body, bend = lower < 0 ? -1 : model.frame(lower).body;
  bool after = bend >= 0;
  for (int body = model.frame(tip).body; body > 0 && body != stop; body = tree.parent[at(body)]) {
    after = after && body != bend;
    const int j = tree.dof[at(body)];
    if (is_bound(model, j)) continue;
    giving.cost[j] = after ? end : kLimb;
    giving.rank[at(j)] = rank;
  }
}

}  // namespace

GivingJoints giving_joints(const Model& model, const robot::Skeleton& skeleton) {
  GivingJoints giving{Eigen::VectorXd::Constant(model.dof(), kInfinity),
                      std::vector<int>(at(model.dof()), kArms)};
  const auto link = [&](int segment) { return skeleton.link_of(segment); };
  add_limb(model, link(Pelvis), link(RightLowerLeg), link(RightFoot), kLegs, kLimb, giving);
  add_limb(model, link(Pelvis), link(LeftLowerLeg), link(LeftFoot), kLegs, kLimb, giving);
  add_limb(model, link(T8), link(RightForeArm), link(RightHand), kArms, kWrist, giving);
  add_limb(model, link(T8), link(LeftForeArm), link(LeftHand), kArms, kWrist, giving);
  return giving;
}

GivingJoints giving_arms(const Model& model, const robot::Skeleton& skeleton) {
  GivingJoints giving = giving_joints(model, skeleton);
  for (int j = 0; j < model.dof(); ++j)
    if (giving.rank[at(j)] != kArms || in_row(model, j)) giving.cost[j] = kInfinity;
  return giving;
}

std::vector<LimbLinks> arms_of(const robot::Skeleton& skeleton) {
  std::vector<LimbLinks> arms;
  for (const auto& [forearm, hand] : {std::pair(RightForeArm, RightHand), std::pair(LeftForeArm, LeftHand)})
    if (skeleton.link_of(forearm) >= 0 && skeleton.link_of(hand) >= 0)
      arms.push_back({skeleton.link_of(T8), skeleton.link_of(forearm), skeleton.link_of(hand)});
  return arms;
}

ClearFrame::ClearFrame(const Model& model, const CapsuleBody& body, const std::vector<Obstacle>& obstacles,
                       const GivingJoints& all)
    : joints_(giving(model, all)),
      gaps_(model, movable(model, body, all), obstacles),
      kinematics_(model),
      change_(costs_of(all, joints_)),
      gradient_(model.dof()),
      row_(static_cast<Eigen::Index>(joints_.size())) {
  for (const int j : joints_) rank_.push_back(all.rank[at(j)]);
  const auto moves = [&](const LinkPoint& point) {
    const std::vector<bool> joints = movers(model, point, all);
    return std::find(joints.begin(), joints.end(), true) != joints.end();
  };
  for (const Capsule& capsule : body.capsules) moves_.push_back(moves(capsule.from) || moves(capsule.to));
}

double ClearFrame::update(const State& state, double near) noexcept {
  kinematics_.update(state);
  near_pairs_ = gaps_.find(kinematics_, near);
  return smallest(near);
}

double ClearFrame::update(const State& state, double near, std::span<const int> among) noexcept {
  kinematics_.update(state);
  near_pairs_ = gaps_.find(kinematics_, near, among);
  return smallest(near);
}

double ClearFrame::smallest(double near) const noexcept {
  double smallest = near;
  for (const BodyGap& gap : near_pairs_)
    if (counts(gap)) smallest = std::min(smallest, gap.distance);
  return smallest;
}

double ClearFrame::overlap(double margin) const noexcept {
  double squares = 0.0;
  for (const BodyGap& gap : near_pairs_)
    if (counts(gap) && gap.distance < margin) squares += (margin - gap.distance) * (margin - gap.distance);
  return std::sqrt(squares);
}

const Eigen::VectorXd& ClearFrame::row(const BodyGap& gap) noexcept {
  gaps_.gradient(gap, kinematics_, gradient_);
  int first = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < joints_.size(); ++i)
    if (std::abs(gradient_[joints_[i]]) > kMoves) first = std::min(first, rank_[i]);
  for (std::size_t i = 0; i < joints_.size(); ++i)
    row_[static_cast<Eigen::Index>(i)] = rank_[i] == first ? gradient_[joints_[i]] : 0.0;
  return row_;
}

}  // namespace panto
