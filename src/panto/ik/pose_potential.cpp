#include "panto/ik/pose_potential.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/math/vector_math_inline.hpp"

namespace panto {
namespace {

// cosine of the largest angle whose share is computed by the series of the arctangent; its tangent is below
// kLargestSmallTangent
constexpr double kNear = 0.92;
constexpr double kLeastShare = 0.19;  // sin(theta)/theta at 150 degrees

}  // namespace

PosePotential::PosePotential(const Model& model, const VelocityProblem& problem,
                             const std::vector<Target>& rows)
    : model_(&model),
      problem_(&problem),
      lanes_(model, problem.blocks(), rows),
      place_(rows.size(), Eigen::Vector3d::Zero()),
      pull_(lanes_.weight().size()),
      stiffness_(lanes_.weight().size()),
      cosine_(stiffness_),
      moment_(problem.blocks().lanes()),
      force_(moment_),
      joints_(moment_),
      turns_(problem.blocks().lanes(), 1.0) {
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (problem.has_point(j)) points_.push_back({j, lanes_.block_of_row(j), 0.0, Eigen::Vector3d::Zero()});
  }
  for (const std::size_t b : problem.blocks().sliders) turns_(0, b) = 0.0;
}

bool PosePotential::take(const Targets& targets) noexcept {
  for (Point& point : points_) {
    const Target& row = targets.rows[point.row];
    point.weight = row.has_position ? row.position_weight : 0.0;
  }
  const StepStatus status = lanes_.read(targets);
  return status == StepStatus::Solved || status == StepStatus::NoTarget;
}

namespace {

// Computes pulls w u sin(theta), cosines, and w sin(theta)/theta for small theta, else w. Returns sum w (1 -
// cos(theta)); `least`: the least cosine of an active row.
PANTO_WIDE double measure(const LaneArray<9>& N, const LaneArray<9>& target, const LaneArray<1>& weight,
                          const LaneArray<1>& valid, LaneArray<3>& pull, LaneArray<1>& stiffness,
                          LaneArray<1>& cosine, double& least) noexcept {
  double sums[kLanes] = {}, lows[kLanes];
  for (double& low : lows) low = 1.0;
  for (std::size_t c = 0; c < N.chunk_count(); ++c) {
    const Chunk<9>&model = N.chunk(c), &goal = target.chunk(c);
    const Chunk<1>&w = weight.chunk(c), &has = valid.chunk(c);
    Chunk<3>& out = pull.chunk(c);
    Chunk<1>&stiff = stiffness.chunk(c), &cos = cosine.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 R = mat3(model, l), T = mat3(goal, l), D = T - R;
      const bool counts = has.v[0][l] * w.v[0][l] > 0.0;
      const double own = w.v[0][l], mine = counts ? own : 0.0;
      const Vec3 r = 0.5 * (cross(R.x, T.x) + cross(R.y, T.y) + cross(R.z, T.z));
      // 1 - cos(theta) = |T - R|^2 / 4, without cancellation
      const double versine = 0.25 * (dot(D.x, D.x) + dot(D.y, D.y) + dot(D.z, D.z));
      const double known = counts ? versine : 0.0, x = 1.0 - known;
      const double near = x > kNear ? x : 1.0, tangent = dot(r, r) / (near * near);
      const double square = counts && x > kNear ? tangent : 0.0;
      const double share = near / (1.0 - vector_math::atan_tail_of_square(square));  // sin(theta)/theta
      const Vec3 full = own * r;
      store({counts ? full.x : 0.0, counts ? full.y : 0.0, counts ? full.z : 0.0}, out, l);
      stiff.v[0][l] = mine * share;
      cos.v[0][l] = x;
      sums[l] += mine * known;
      lows[l] = x < lows[l] ? x : lows[l];
    }
  }
  least = *std::min_element(std::begin(lows), std::end(lows));
  return sum_of(sums);
}

}  // namespace

double PosePotential::update(const State& state) noexcept {
  double least = 1.0;
  double value = measure(lanes_.spread(problem_->kinematics().frames()), lanes_.orientation(),
                         lanes_.weight(), lanes_.oriented(), pull_, stiffness_, cosine_, least);
  far_ = least <= kCos150;
  if (!(least > kNear)) soften_far();
  if (points_.empty()) return value;
  problem_->place_rows(state, place_);
  for (Point& point : points_) {
    if (!(point.weight > 0.0)) continue;
    point.residual = lanes_.position(point.row) - place_[point.row];
    value += 0.5 * point.weight * point.residual.squaredNorm();
  }
  return value;
}

// Weights of rows beyond the range of the series, one by one.
void PosePotential::soften_far() noexcept {
  for (std::size_t j = 0; j < lanes_.row_count(); ++j) {
    const std::size_t lane = lanes_.lane_of_row(j);
    const double w = stiffness_(0, lane), x = cosine_(0, lane);
    if (x > kNear || !(w > 0.0)) continue;
    const Vec3 pull = vec3(pull_, lane);
    const double sine = std::sqrt(dot(pull, pull)) / w, angle = atan2(sine, std::max(x, kCos150));
    stiffness_(0, lane) = w * (angle > 1e-4 ? std::max(sine / angle, kLeastShare) : 1.0);
  }
}

void PosePotential::sum_rows(const LaneArray<3>& by_row, LaneArray<3>& by_block) const noexcept {
  std::copy(by_row.data(), by_row.data() + by_block.flat_size(), by_block.data());
  for (const std::size_t j : lanes_.second_rows()) {
    const std::size_t block = lanes_.block_of_row(j);
    store(vec3(by_block, block) + vec3(by_row, lanes_.lane_of_row(j)), by_block, block);
  }
}

// Moments and forces of everything that hangs on a block, from the leaves on.
void PosePotential::carry_to_base(const TreeProblem& tree) noexcept {
  sum_rows(pull_, moment_);
  const bool points = !points_.empty();
  if (points) force_.fill(0.0);
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const Point& point = points_[p];
    if (!(point.weight > 0.0)) continue;
    const Vec3 force = to_vec3(point.weight * point.residual);
    store(vec3(force_, point.lane) + force, force_, point.lane);
    store(vec3(moment_, point.lane) + cross(to_vec3(tree.points[p].point), force), moment_, point.lane);
  }
  for (std::size_t b = tree.base; b-- > 0;) {
    const std::size_t before = at(tree.parent[b]);
    store(vec3(moment_, before) + vec3(moment_, b), moment_, before);
    if (points) store(vec3(force_, before) + vec3(force_, b), force_, before);
  }
}

namespace {

// Minus the work of moment and force per joint: about the block's own point for hinges, along it for a
// slider.
PANTO_WIDE void work(const LaneArray<9>& axes, const LaneArray<3>& centre, const LaneArray<3>& moment,
                     const LaneArray<3>& force, const LaneArray<1>& turns, LaneArray<3>& slope) noexcept {
  for (std::size_t c = 0; c < slope.chunk_count(); ++c) {
    const Chunk<9>& axis = axes.chunk(c);
    const Chunk<3>&point = centre.chunk(c), &m = moment.chunk(c), &f = force.chunk(c);
    const Chunk<1>& turn = turns.chunk(c);
    Chunk<3>& out = slope.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 pull = vec3(f, l), torque = vec3(m, l) - cross(vec3(point, l), pull);
      const double t = turn.v[0][l];
      store(-1.0 * transposed_times(mat3(axis, l), t * torque + (1.0 - t) * pull), out, l);
    }
  }
}

}  // namespace

void PosePotential::update_gradient() noexcept {
  const TreeProblem& tree = problem_->tree;
  carry_to_base(tree);
  work(tree.axes, tree.centre, moment_, force_, turns_, joints_);
  if (!model_->floating_base()) return;
  base_linear_ = -to_eigen(vec3(force_, tree.base));
  base_angular_ = -to_eigen(vec3(moment_, tree.base));
}

void PosePotential::ask(TreeProblem& tree, bool recover) const noexcept {
  sum_rows(pull_, tree.rhs);
  std::copy(stiffness_.data(), stiffness_.data() + tree.weight.flat_size(), tree.weight.data());
  for (const std::size_t j : lanes_.second_rows())
    tree.weight(0, lanes_.block_of_row(j)) += stiffness_(0, lanes_.lane_of_row(j));
  for (std::size_t p = 0; p < points_.size(); ++p) tree.points[p].velocity = points_[p].residual;
  if (!recover || !far_) return;
  const LaneArray<9>& N = problem_->kinematics().frames();
  for (std::size_t j = 0; j < lanes_.row_count(); ++j) {
    const std::size_t lane = lanes_.lane_of_row(j), block = lanes_.block_of_row(j);
    if (!(cosine_(0, lane) <= kCos150)) continue;
    const Eigen::Vector3d longer =
        orientation_residual(to_eigen(mat3(lanes_.orientation(), lane)), to_eigen(mat3(N, block)));
    const Vec3 more = to_vec3(lanes_.weight()(0, lane) * longer) - vec3(pull_, lane);
    store(vec3(tree.rhs, block) + more, tree.rhs, block);
  }
}

void PosePotential::report(const Targets& targets, StepReport& report) noexcept {
  lanes_.versines(problem_->kinematics(), report.versine);
  std::fill(report.origin_error.begin(), report.origin_error.end(), std::numeric_limits<double>::quiet_NaN());
  for (const Point& point : points_) {
    if (targets.rows[point.row].has_position) report.origin_error[point.row] = point.residual.norm();
  }
}

}  // namespace panto
