#include "panto/ik/own_rows.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kLargest = 1e9;        // larger values, in metres or as a weight, are damage
constexpr double kRotation = 1e-2;      // a matrix further from a rotation is refused
constexpr double kRelaxedWeight = 1e4;  // of a coupled row that yields, relative to the heaviest target
constexpr double kHalfTurn = 0.5;       // sin(150 deg)
constexpr double kNoDirection = 1e-9;   // shorter cross products give none

bool plausible(double x) noexcept { return x >= 0.0 && x <= kLargest; }  // false for NaN
bool plausible(const Eigen::Vector3d& v) noexcept { return v.squaredNorm() <= kLargest * kLargest; }
bool are_factors(const Eigen::Vector3d& v) noexcept {
  return plausible(v.x()) && plausible(v.y()) && plausible(v.z());
}

Eigen::Vector3d perpendicular(const Eigen::Vector3d& d) noexcept {
  Eigen::Index least = 0;
  d.cwiseAbs().minCoeff(&least);
  return d.cross(Eigen::Vector3d::Unit(least)).normalized();
}

// The unit vector about which `d` turns towards `g`, of length sin(theta); beyond 150 degrees the length
// stays sin(150 deg).
Eigen::Vector3d turn_between(const Eigen::Vector3d& d, const Eigen::Vector3d& g, bool recover) noexcept {
  const Eigen::Vector3d turn = d.cross(g);
  if (!recover || d.dot(g) > kCos150) return turn;
  const double sine = turn.norm();
  return kHalfTurn * (sine > kNoDirection ? Eigen::Vector3d(turn / sine) : perpendicular(d));
}

// The same with the whole angle as length.
Eigen::Vector3d whole_turn_between(const Eigen::Vector3d& d, const Eigen::Vector3d& g) noexcept {
  const Eigen::Vector3d turn = d.cross(g);
  const double sine = turn.norm();
  if (!(sine > 0.0)) return Eigen::Vector3d::Zero();
  return atan2(sine, d.dot(g)) / sine * turn;
}

}  // namespace

std::vector<int> OwnRows::links(const OwnTargets& own, const Model& model) {
  check(own, model);
  std::vector<int> links;
  const auto add = [&](const std::string& name) { links.push_back(model.link_index(name)); };
  for (const PositionTarget& target : own.positions) add(target.link);
  for (const OrientationTarget& target : own.orientations) add(target.link);
  for (const DirectionTarget& target : own.directions) add(target.link);
  for (const RelativeTarget& target : own.relatives) add(target.from), add(target.link);
  return links;
}

OwnRows::OwnRows(const Model& model, const Blocks& blocks, const OwnTargets& own)
    : floating_base_(model.floating_base()), declared_(own) {
  const Eigen::Matrix3d same = Eigen::Matrix3d::Identity();
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  for (const PositionTarget& t : own.positions) add(model, blocks, Kind::Place, t.link, "", t.point_L, same);
  for (const OrientationTarget& t : own.orientations)
    add(model, blocks, Kind::Turn, t.link, "", origin, t.R_LT);
  for (const DirectionTarget& t : own.directions)
    add(model, blocks, Kind::Direction, t.link, "", t.direction_L.normalized(), same);
  for (const RelativeTarget& t : own.relatives) {
    add(model, blocks, Kind::Place, t.link, t.from, t.point_B, same);
    add(model, blocks, Kind::Turn, t.link, t.from, origin, same);
  }
}

namespace {

// The blocks from `lane` to the base, without the base.
std::vector<std::size_t> chain_of(const Blocks& blocks, std::size_t lane) {
  std::vector<std::size_t> chain;
  for (; lane != at(blocks.base()); lane = at(blocks.parent[lane])) chain.push_back(lane);
  return chain;
}

std::vector<int> slots_of(const Blocks& blocks, const std::vector<std::size_t>& way) {
  std::vector<int> slots;
  for (const std::size_t b : way) {
    for (int k = 0; k < 3; ++k) {
      const std::size_t slot = LaneArray<3>::index(k, b);
      if (blocks.dof_of_slot[slot] >= 0) slots.push_back(static_cast<int>(slot));
    }
  }
  return slots;
}

}  // namespace

// `point`: of the link, or the direction.
void OwnRows::add(const Model& model, const Blocks& blocks, Kind kind, const std::string& link,
                  const std::string& from, const Eigen::Vector3d& point, const Eigen::Matrix3d& R) {
  Tie tie;
  tie.kind = kind;
  tie.relative = !from.empty();
  const LinkFrame& frame = model.frame(model.link_index(link));
  tie.lane = tie.from_lane = at(blocks.block_of(frame.body));
  const Eigen::Matrix3d R_NL = blocks.B[tie.lane].transpose() * frame.R_BL;
  tie.r_N = R_NL * point;
  if (kind != Kind::Direction) tie.r_N += blocks.B[tie.lane].transpose() * frame.p_BL;
  tie.R_NT = R_NL * R;
  tie.way = chain_of(blocks, tie.lane);
  tie.sign.assign(tie.way.size(), 1.0);
  if (tie.relative) {
    const LinkFrame& seen_from = model.frame(model.link_index(from));
    tie.from_lane = at(blocks.block_of(seen_from.body));
    const Eigen::Matrix3d turn = blocks.B[tie.from_lane].transpose();
    tie.R_NF = turn * seen_from.R_BL;
    tie.from_r_N = turn * seen_from.p_BL;
    std::vector<std::size_t> other = chain_of(blocks, tie.from_lane);
    while (!other.empty() && !tie.way.empty() && other.back() == tie.way.back())
      other.pop_back(), tie.way.pop_back();
    tie.sign.resize(tie.way.size());
    tie.way.insert(tie.way.end(), other.begin(), other.end());
    tie.sign.resize(tie.way.size(), -1.0);
  }
  if (tie.way.empty() && (tie.relative || !floating_base_)) {
    throw ModelError("own target of link '" + link + "'" +
                     (tie.relative ? " relative to '" + from + "'" : "") + ": no joint of model '" +
                     model.name() + "' moves it");
  }
  tie.rows = kind == Kind::Direction ? 2 : 3;
  tie.row = at(costs_.size());
  const std::vector<int> slots = slots_of(blocks, tie.way);
  for (std::size_t k = 0; k < tie.rows; ++k) costs_.add(slots);
  ties_.push_back(std::move(tie));
}

bool OwnRows::read(const OwnTargets& own) noexcept {
  any_ = same_counts(own, declared_);
  if (!any_) return false;
  auto tie = ties_.begin();
  const auto take = [&tie](const auto& target, double weight, const Eigen::Vector3d& axes) -> Goal& {
    Goal& goal = (tie++)->now;
    goal.weight = weight * axes;
    goal.gain = target.gain;
    goal.feed_forward = target.feed_forward;
    goal.on =
        are_factors(axes) && plausible(weight) && plausible(target.gain) && goal.weight.maxCoeff() > 0.0;
    return goal;
  };
  const auto set_place = [](Goal& goal, const Eigen::Vector3d& p) {
    goal.p = p;
    goal.on = goal.on && plausible(p);
  };
  const auto set_turn = [](Goal& goal, const Eigen::Matrix3d& R) {
    goal.on = goal.on && so3::is_rotation(R, kRotation);
    if (goal.on) goal.R = so3::is_rotation(R, 1e-14) ? R : so3::project(R);
  };
  for (const PositionTarget& t : own.positions) set_place(take(t, t.weight, t.axes_W), t.place_W);
  for (const OrientationTarget& t : own.orientations) set_turn(take(t, t.weight, t.axes_W), t.R_WT);
  for (const DirectionTarget& t : own.directions) {
    Goal& goal = take(t, t.weight, Eigen::Vector3d::Ones());
    set_place(goal, t.direction_W);
    const double length = t.direction_W.norm();
    goal.on = goal.on && length > 0.0;
    if (goal.on) goal.p = t.direction_W / length;
  }
  for (const RelativeTarget& t : own.relatives) {
    set_place(take(t, t.position_weight, t.position_axes_A), t.place_A);
    set_turn(take(t, t.orientation_weight, t.orientation_axes_A), t.R_AB);
  }
  any_ = std::any_of(ties_.begin(), ties_.end(), [](const Tie& t) { return t.now.on; });
  return true;
}

void OwnRows::keep(Time t) noexcept {
  for (Tie& tie : ties_) tie.before = tie.now;
  t_before_ = t;
  kept_ = true;
}

void OwnRows::place(const BlockKinematics& at, const Eigen::Vector3d& p_WB) noexcept {
  for (Tie& tie : ties_) {
    const Eigen::Matrix3d N = to_eigen(mat3(at.frames(), tie.lane));
    tie.F.setIdentity();
    Eigen::Vector3d origin = -p_WB;  // of F, from the base origin
    if (tie.relative) {
      tie.F = to_eigen(mat3(at.frames(), tie.from_lane)) * tie.R_NF;
      origin = at.point(tie.from_lane, tie.from_r_N);
    }
    tie.d = N * tie.r_N;
    if (tie.kind == Kind::Direction) continue;
    tie.point = at.point(tie.lane, tie.r_N);
    tie.p_F = tie.F.transpose() * (tie.point - origin);
    tie.R_FT = tie.F.transpose() * N * tie.R_NT;
  }
}

// How the link must move to meet `goal`, in axes of F [m], or of length sin(theta).
Eigen::Vector3d OwnRows::residual(const Tie& tie, const Goal& goal, bool recover) const noexcept {
  switch (tie.kind) {
    case Kind::Place:
      break;
    case Kind::Turn:
      return orientation_residual(goal.R, tie.R_FT, recover);
    case Kind::Direction:
      return turn_between(tie.d, goal.p, recover);
  }
  return goal.p - tie.p_F;
}

// Mean velocity of the goal since the previous sample.
Eigen::Vector3d OwnRows::mean_velocity(const Tie& tie, double dt) const noexcept {
  switch (tie.kind) {
    case Kind::Place:
      break;
    case Kind::Turn:
      return so3::log(tie.now.R * tie.before.R.transpose()) / dt;
    case Kind::Direction:
      return whole_turn_between(tie.before.p, tie.now.p) / dt;
  }
  return (tie.now.p - tie.before.p) / dt;
}

void OwnRows::correct(double dt, bool from_before, const DynamicalOptions& options) noexcept {
  for (Tie& tie : ties_) {
    tie.counts = tie.now.on;
    if (!tie.counts) continue;
    const bool follows = from_before && tie.before.on && tie.now.feed_forward;
    tie.mean = follows ? mean_velocity(tie, dt) : Eigen::Vector3d::Zero();
    const bool printed = options.pairing == Pairing::Printed;
    const Eigen::Vector3d r = residual(tie, follows && !printed ? tie.before : tie.now, !printed);
    tie.wanted = tie.mean + effective_gain(tie.now.gain, dt, options.gain_law) * r;
  }
}

void OwnRows::take_rates(double dt, bool from_before) noexcept {
  for (Tie& tie : ties_) {
    tie.counts = tie.now.on && from_before && tie.before.on && tie.now.feed_forward;
    if (tie.counts) tie.wanted = tie.mean = mean_velocity(tie, dt);
  }
}

namespace {

// The vector part of the quaternion from R to the goal, and its real part.
Eigen::Vector4d turn_left(const Eigen::Matrix3d& goal, const Eigen::Matrix3d& R) noexcept {
  return so3::to_quaternion_wxyz(goal * R.transpose());
}

}  // namespace

void OwnRows::descend(bool recover, double per_gain) noexcept {
  for (Tie& tie : ties_) {
    tie.counts = tie.now.on;
    if (!tie.counts) continue;
    const Eigen::Vector3d& w = tie.now.weight;
    if (tie.kind == Kind::Turn) {
      const Eigen::Vector4d q = turn_left(tie.now.R, tie.R_FT);
      const Eigen::Vector3d v = q.tail<3>(), wv = w.cwiseProduct(v);
      tie.pull = 2.0 * (q[0] * wv + wv.cross(v));
    } else if (tie.kind == Kind::Direction) {
      tie.pull = w[0] * residual(tie, tie.now, false);
    } else {
      tie.pull = w.cwiseProduct(residual(tie, tie.now, false));
    }
    if (recover && cosine(tie) <= kCos150) {
      tie.wanted = residual(tie, tie.now, true);
    } else {
      for (int k = 0; k < 3; ++k) tie.wanted[k] = w[k] > 0.0 ? tie.pull[k] / w[k] : 0.0;
    }
    const double share = per_gain > 0.0 ? per_gain * tie.now.gain : 1.0;
    tie.wanted *= share;
    tie.pull *= share;
  }
}

// Cosine of the remaining angle; 1 for positions.
double OwnRows::cosine(const Tie& tie) const noexcept {
  if (tie.kind == Kind::Place) return 1.0;
  if (tie.kind == Kind::Direction) return tie.d.dot(tie.now.p);
  return 0.5 * (tie.now.R.cwiseProduct(tie.R_FT).sum() - 1.0);
}

bool OwnRows::any_far() const noexcept {
  return std::any_of(ties_.begin(), ties_.end(),
                     [this](const Tie& tie) { return tie.now.on && cosine(tie) <= kCos150; });
}

double OwnRows::potential(double per_gain) const noexcept {
  double sum = 0.0;
  for (const Tie& tie : ties_) {
    if (!tie.now.on) continue;
    const double share = per_gain > 0.0 ? per_gain * tie.now.gain : 1.0;
    if (tie.kind == Kind::Turn) {
      const Eigen::Vector3d v = turn_left(tie.now.R, tie.R_FT).tail<3>();
      sum += share * 2.0 * tie.now.weight.dot(v.cwiseAbs2());
    } else if (tie.kind == Kind::Direction) {
      sum += share * 0.5 * tie.now.weight[0] * (tie.now.p - tie.d).squaredNorm();
    } else {
      sum += share * 0.5 * tie.now.weight.dot((tie.now.p - tie.p_F).cwiseAbs2());
    }
  }
  return sum;
}

// Columns in F: the direction in which each row measures the velocity.
Eigen::Matrix3d OwnRows::row_axes(const Tie& tie) const noexcept {
  if (tie.kind != Kind::Direction) return Eigen::Matrix3d::Identity();
  Eigen::Matrix3d E;
  E.col(0) = perpendicular(tie.d);
  E.col(1) = tie.d.cross(E.col(0));
  E.col(2) = tie.d;
  return E;
}

// The velocity of B relative to F along `e` (world axes), as a sum over joints.
void OwnRows::write_row(const Tie& tie, std::size_t row, const Eigen::Vector3d& e,
                        const TreeProblem& tree) noexcept {
  const bool place = tie.kind == Kind::Place;
  std::size_t term = at(costs_.begin[row]);
  for (std::size_t i = 0; i < tie.way.size(); ++i) {
    const std::size_t b = tie.way[i];
    const bool slides = tree.slider[b] != 0;
    const Eigen::Matrix3d axes = to_eigen(mat3(tree.axes, b));
    // e' (a x r) = a' (r x e)
    Eigen::Vector3d along = e;
    if (slides != place) along.setZero();
    if (place && !slides) along = (tie.point - to_eigen(vec3(tree.centre, b))).cross(e);
    for (int k = 0; k < 3; ++k) {
      if (tree.joint[LaneArray<3>::index(k, b)] == 0.0) continue;
      costs_.coefficient[term++] = tie.sign[i] * axes.col(k).dot(along);
    }
  }
  if (tie.relative || !floating_base_) return;
  costs_.linear[row] = place ? e : Eigen::Vector3d::Zero();
  costs_.angular[row] = place ? Eigen::Vector3d(tie.point.cross(e)) : e;
}

void OwnRows::load(TreeProblem& tree) noexcept {
  if (ties_.empty()) return;
  double heaviest = 0.0;
  for (const Tie& tie : ties_) {
    const Eigen::Matrix3d E = row_axes(tie);
    for (std::size_t k = 0; k < tie.rows; ++k) {
      const std::size_t row = tie.row + k;
      const auto axis = E.col(static_cast<Eigen::Index>(k));
      const double weight =
          tie.kind == Kind::Direction ? tie.now.weight[0] : tie.now.weight[static_cast<Eigen::Index>(k)];
      costs_.weight[row] = tie.counts ? weight : 0.0;
      if (!tie.counts) continue;
      heaviest = std::max(heaviest, weight);
      costs_.wanted[row] = axis.dot(tie.wanted);
      costs_.companion[row] = axis.dot(tie.mean);
      write_row(tie, row, tie.F * axis, tree);
    }
  }
  tree.costs = costs_;
  tree.relaxed_weight = std::max(tree.relaxed_weight, kRelaxedWeight * heaviest);
}

void OwnRows::add_gradient(LaneArray<3>& joints, Eigen::Vector3d& linear,
                           Eigen::Vector3d& angular) const noexcept {
  for (const Tie& tie : ties_) {
    if (!tie.now.on) continue;
    const Eigen::Matrix3d E = row_axes(tie);
    for (std::size_t k = 0; k < tie.rows; ++k) {
      const std::size_t row = tie.row + k;
      const double pull = E.col(static_cast<Eigen::Index>(k)).dot(tie.pull);
      for (std::size_t i = at(costs_.begin[row]); i < at(costs_.begin[row + 1]); ++i)
        joints[at(costs_.entry[i])] -= pull * costs_.coefficient[i];
      linear -= pull * costs_.linear[row];
      angular -= pull * costs_.angular[row];
    }
  }
}

void OwnRows::add_curvature(const TreeProblem& tree, double dt, std::vector<double>& by_lane) const noexcept {
  for (const Tie& tie : ties_) {
    if (!tie.now.on) continue;
    const double bend =
        -expm1(-tie.now.gain * dt) * tie.now.weight.maxCoeff() * residual(tie, tie.now, false).norm();
    for (const std::size_t b : tie.way) {
      const bool place = tie.kind == Kind::Place;
      by_lane[b] += bend * (place ? (tie.point - to_eigen(vec3(tree.centre, b))).norm() : 1.0);
    }
  }
}

double OwnRows::stillness(double dt, double speed) const noexcept {
  double square = 0.0;
  for (const Tie& tie : ties_) {
    if (tie.now.on && tie.before.on) square = std::max(square, mean_velocity(tie, 1.0).squaredNorm());
  }
  const double way = speed * dt;
  return way * way / (way * way + square);
}

void OwnRows::report(std::vector<double>& by_target) const noexcept {
  for (std::size_t i = 0; i < ties_.size(); ++i) {
    const Tie& tie = ties_[i];
    Eigen::Vector3d left = Eigen::Vector3d::Zero();
    if (tie.kind == Kind::Place) left = tie.now.p - tie.p_F;
    if (tie.kind == Kind::Turn) left = so3::log(tie.now.R * tie.R_FT.transpose());
    if (tie.kind == Kind::Direction) left[0] = atan2(tie.d.cross(tie.now.p).norm(), tie.d.dot(tie.now.p));
    for (int k = 0; k < 3; ++k) left[k] = tie.now.weight[k] > 0.0 ? left[k] : 0.0;
    by_target[i] = tie.now.on ? left.norm() : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace panto
