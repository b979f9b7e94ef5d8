// size: one problem and its terms; its loops for several processors must stay beside what calls them
#include "panto/ik/velocity_problem.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

// Ratio of body weights, or of damping and a weight, above which rounding could mislead `DecoupledSolver`;
// and the least |det S| for it.
constexpr double kLargestRatio = 100.0, kLeastApart = 0.05;
constexpr double kRelaxedWeight = 1e4;  // of a row that cannot be met, relative to the heaviest target

void check_row(const Target& row, std::size_t index, const Model& model) {
  const std::string who = "target row " + std::to_string(index) + ": ";
  if (row.link < 0 || row.link >= model.link_count()) {
    throw ConfigError(who + "link index " + std::to_string(row.link) + " is not in 0.." +
                      std::to_string(model.link_count() - 1));
  }
  const auto check = [&](double value, const char* name) {
    if (!(std::isfinite(value) && value >= 0.0)) {
      throw ConfigError(who + name + " of link '" + model.links()[at(row.link)].name + "' is " +
                        std::to_string(value) + ", must be finite and >= 0");
    }
  };
  check(row.orientation_weight, "orientation weight");
  check(row.position_weight, "position weight");
  check(row.orientation_gain, "orientation gain");
  check(row.position_gain, "position gain");
}

// Finds bodies with a target, which end their block. @throws ConfigError naming a row that is out of range.
std::vector<unsigned char> targeted_bodies(const Model& model, const std::vector<Target>& rows,
                                           const OwnTargets& own) {
  std::vector<unsigned char> targeted(at(model.tree().size()), 0);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    check_row(rows[j], j, model);
    targeted[at(model.frame(rows[j].link).body)] = 1;
  }
  for (const int link : OwnRows::links(own, model)) targeted[at(model.frame(link).body)] = 1;
  return targeted;
}

// Points away from the base origin need positions.
bool needs_positions(const Model& model, const std::vector<Target>& rows, const OwnTargets& own) {
  return own.has_targets() || std::any_of(rows.begin(), rows.end(), [&](const Target& row) {
           return row.position_weight > 0.0 && model.frame(row.link).body != 0;
         });
}

std::size_t count_points(const std::vector<Target>& rows) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Target& row) { return row.position_weight > 0.0; }));
}

// 1 at |det| <= singular_below, falling to 0 at regular_above
inline double near_singular(double det, double below, double scale) noexcept {
  const double x = (std::abs(det) - below) * scale;
  const double low = x > 0.0 ? x : 0.0, in = low < 1.0 ? low : 1.0;
  return 1.0 - in * in * (3.0 - 2.0 * in);
}

// World axes of all hinges, and the damping of triples.
PANTO_WIDE void set_axes(const BlockKinematics& at, const LaneArray<1>& ball, const LaneArray<1>& triple,
                         const LaneArray<3>& base_lambda, const DampingOptions& damping,
                         TreeProblem& tree) noexcept {
  const double below = damping.singular_below, scale = 1.0 / (damping.regular_above - damping.singular_below);
  const double singular = damping.singular;
  for (std::size_t c = 0; c < tree.axes.chunk_count(); ++c) {
    const Chunk<9>& N = at.frames().chunk(c);
    const Chunk<3>&s = at.sin().chunk(c), &k = at.cos().chunk(c), &there = tree.joint.chunk(c);
    const Chunk<3>& base = base_lambda.chunk(c);
    const Chunk<1>&is_ball = ball.chunk(c), &is_triple = triple.chunk(c);
    Chunk<9>& axes = tree.axes.chunk(c);
    Chunk<3>& lambda = tree.lambda.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double sb = s.v[1][l], cb = k.v[1][l], sc = s.v[2][l], cc = k.v[2][l];
      const Mat3 R = mat3(N, l);
      const bool free = is_ball.v[0][l] != 0.0;
      // R_x(a)'s axis after R_y(b) R_z(c), and R_y(b)'s after R_z(c)
      const Vec3 x = there.v[0][l] * (R * Vec3{cb * cc, -cb * sc, sb});
      const Vec3 y = there.v[1][l] * (R * Vec3{sc, cc, 0.0});
      const Vec3 z = there.v[2][l] * R.z;
      store(Mat3{{free ? 1.0 : x.x, free ? 0.0 : x.y, free ? 0.0 : x.z},
                 {free ? 0.0 : y.x, free ? 1.0 : y.y, free ? 0.0 : y.z},
                 {free ? 0.0 : z.x, free ? 0.0 : z.y, free ? 1.0 : z.z}},
            axes, l);
      const double extra = is_triple.v[0][l] * singular * near_singular(cb, below, scale);
      lambda.v[0][l] = base.v[0][l] + extra;
      lambda.v[1][l] = base.v[1][l] + extra;
      lambda.v[2][l] = base.v[2][l] + extra;
    }
  }
}

}  // namespace

PANTO_WIDE void triple_rates(const BlockKinematics& at, const LaneArray<3>& omega,
                             const LaneArray<3>& omega_before, const DampingOptions& damping,
                             LaneArray<3>& rate) noexcept {
  const double below = damping.singular_below, scale = 1.0 / (damping.regular_above - damping.singular_below);
  const double singular = damping.singular;
  for (std::size_t c = 0; c < rate.chunk_count(); ++c) {
    const Chunk<9>& N = at.frames().chunk(c);
    const Chunk<3>&s = at.sin().chunk(c), &k = at.cos().chunk(c);
    const Chunk<3>&now = omega.chunk(c), &before = omega_before.chunk(c);
    Chunk<3>& out = rate.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double sb = s.v[1][l], cb = k.v[1][l], sc = s.v[2][l], cc = k.v[2][l];
      const Vec3 w = transposed_times(mat3(N, l), vec3(now, l) - vec3(before, l));  // in the body's own axes
      const Vec3 v{cc * w.x - sc * w.y, sc * w.x + cc * w.y, w.z};                  // before R_z
      const Vec3 u{cb * v.x + sb * v.z, v.y, cb * v.z - sb * v.x};                  // before R_y
      const double last = u.z * cb / (cb * cb + singular * near_singular(cb, below, scale));
      store({u.x - last * sb, u.y, last}, out, l);
    }
  }
}

VelocityProblem::VelocityProblem(const Model& model, const std::vector<Target>& rows,
                                 const DampingOptions& damping, bool balls, const OwnTargets& own)
    : VelocityProblem(model, rows, damping, balls, own,
                      Blocks(model, targeted_bodies(model, rows, own), !needs_positions(model, rows, own))) {}

VelocityProblem::VelocityProblem(const Model& model, const std::vector<Target>& rows,
                                 const DampingOptions& damping, bool balls, const OwnTargets& own,
                                 Blocks blocks)
    : tree(blocks, model.floating_base(), count_points(rows)),
      model_(&model),
      damping_(damping),
      blocks_(std::move(blocks)),
      kinematics_(blocks_, needs_positions(model, rows, own)),
      own_(model, blocks_, own),
      row_state_(rows.size(), 255),
      ball_(blocks_.lanes()),
      triple_(blocks_.lanes()),
      lambda_(blocks_.lanes(), 1.0),
      may_turn_whole_(blocks_.lanes()),
      omega_before_(blocks_.lanes()),
      residual_(blocks_.lanes(), 0.0) {
  int points = 0;
  for (const Target& row : rows) {
    const LinkFrame& frame = model.frame(row.link);
    const std::size_t lane = at(blocks_.block_of(frame.body));
    lane_of_row_.push_back(lane);
    point_of_row_.push_back(row.position_weight > 0.0 ? points++ : -1);
    if (point_of_row_.back() < 0) continue;
    tree.points[at(point_of_row_.back())].block = static_cast<int>(lane);
    row_of_point_.push_back(lane_of_row_.size() - 1);
    point_N_.push_back(blocks_.B[lane].transpose() * frame.p_BL);
  }
  std::vector<int> body_before = blocks_.parent;
  for (std::size_t lane = tree.base; lane < blocks_.lanes(); ++lane)
    body_before[lane] = static_cast<int>(lane);
  body_before_ = LaneSources(body_before);
  loose_.reserve(3 * blocks_.lanes());
  loose_balls_.reserve(blocks_.lanes());

  add_coupled_rows(rows, own.rows);
  describe_blocks(balls);
  tree.costs = own_.costs();
}

// Finds which blocks are balls, their rest rotations, and whose target determines them.
void VelocityProblem::describe_blocks(bool balls) {
  rest_rotation_.assign(blocks_.lanes(), Eigen::Matrix3d::Identity());
  for (std::size_t b = 0; b < at(blocks_.count()); ++b) {
    bool limited = false;
    Eigen::Vector3d rest = Eigen::Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
      const int dof = blocks_.dof_of_slot[LaneArray<3>::index(k, b)];
      if (dof < 0) continue;
      limited = limited || model_->lower()[dof] > -kInfinity || model_->upper()[dof] < kInfinity ||
                model_->velocity_limit()[dof] < kInfinity;
      rest[k] = model_->rest()[dof] + blocks_.mu(k, b);
    }
    ball_(0, b) = balls && may_turn_whole_(0, b) != 0.0 && !limited ? 1.0 : 0.0;
    balls_ = balls_ || ball_(0, b) != 0.0;
    rest_rotation_[b] = blocks_.Q[b] * euler::to_rotation(rest, euler::XYZ);

    // the rest of the group moves one body, up to the next one with a target
    int by = -1;
    for (std::size_t c = b; c < at(blocks_.count()) && by < 0; ++c) {
      const bool same = blocks_.group[c] == blocks_.group[b];
      const auto has_target = [&](std::size_t lane) { return lane == c; };
      if (same && std::any_of(lane_of_row_.begin(), lane_of_row_.end(), has_target)) by = static_cast<int>(c);
    }
    determined_by_.push_back(by);
  }
}

// Adds a row over the joints' slots.
void VelocityProblem::add_coupled_row(const CoupledRow& row) {
  std::vector<std::pair<int, double>> terms;
  for (const CoupledRow::Term& term : row.terms) {
    const int slot = blocks_.slot_of_dof[at(model_->joint_index(term.joint))];
    terms.emplace_back(slot, term.coefficient);
    may_turn_whole_(0, LaneArray<3>::lane(at(slot))) = 0.0;
  }
  tree.rows.add(terms, -kInfinity, kInfinity);
}

// The model's rows, then the user's.
void VelocityProblem::add_coupled_rows(const std::vector<Target>& targets, const std::vector<JointRow>& own) {
  for (std::size_t b = 0; b < at(blocks_.count()); ++b)
    may_turn_whole_(0, b) = blocks_.ball[b] != 0 ? 1.0 : 0.0;
  for (const CoupledRow& row : model_->rows()) add_coupled_row(row);
  for (const JointRow& row : own) add_coupled_row(row);
  for (const Target& target : targets)
    heaviest_ = std::max({heaviest_, target.orientation_weight, target.position_weight});
  if (heaviest_ > 0.0) tree.relaxed_weight = kRelaxedWeight * heaviest_;
}

// Weights of positions change with the samples; relaxed rows must outweigh them.
void VelocityProblem::weigh_points(const Targets& targets) noexcept {
  double heaviest = heaviest_;
  for (std::size_t p = 0; p < row_of_point_.size(); ++p) {
    const Target& row = targets.rows[row_of_point_[p]];
    tree.points[p].weight = row.has_position ? row.position_weight : 0.0;
    heaviest = std::max(heaviest, tree.points[p].weight);
  }
  if (heaviest > 0.0) tree.relaxed_weight = kRelaxedWeight * heaviest;
}

// Chooses damping, and joints with a pull to the rest pose, for the active rows.
void VelocityProblem::choose_damping(const Targets& targets) noexcept {
  tree.weight.fill(0.0);
  bool base_point = false;
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (row.has_orientation) tree.weight(0, lane_of_row_[j]) += row.orientation_weight;
    if (point_of_row_[j] < 0) continue;
    base_point = base_point || (lane_of_row_[j] == tree.base && row.has_position);
  }
  const double lost = damping_.uniform.value_or(damping_.undetermined), held = damping_.uniform.value_or(0.0);
  tree.base_linear_lambda = base_point ? held : lost;
  tree.base_angular_lambda = tree.weight(0, tree.base) > 0.0 ? held : lost;

  tree.reference.fill(0.0);
  lambda_.fill(1.0);
  loose_.clear();
  loose_balls_.clear();
  for (std::size_t b = 0; b < at(blocks_.count()); ++b) {
    const bool determined =
        blocks_.slider[b] == 0 && determined_by_[b] >= 0 && tree.weight(0, at(determined_by_[b])) > 0.0;
    const bool triple = blocks_.ball[b] != 0 && determined_by_[b] == static_cast<int>(b);
    triple_(0, b) = determined && triple && ball_(0, b) == 0.0 && !damping_.uniform ? 1.0 : 0.0;
    for (int k = 0; k < 3; ++k) {
      const std::size_t slot = LaneArray<3>::index(k, b);
      if (blocks_.dof_of_slot[slot] < 0) continue;
      double& lambda = lambda_.data()[slot];
      if (damping_.uniform) {
        lambda = *damping_.uniform;
      } else if (determined) {
        lambda = triple ? 0.0 : damping_.determined;
      } else {
        lambda = damping_.undetermined;
        if (ball_(0, b) == 0.0) loose_.push_back(static_cast<int>(slot));
      }
    }
    if (!damping_.uniform && !determined && ball_(0, b) != 0.0) loose_balls_.push_back(static_cast<int>(b));
  }
}

void VelocityProblem::pull_to_rest(const State& state) noexcept {
  for (const int slot : loose_) {
    const int dof = blocks_.dof_of_slot[at(slot)];
    tree.reference.data()[slot] = damping_.rest_rate * (model_->rest()[dof] - state.s[dof]);
  }
  // a ball as one rotation
  for (const int b : loose_balls_) {
    const Mat3 before = mat3(kinematics_.frames(), at(blocks_.parent[at(b)])),
               now = mat3(kinematics_.frames(), at(b));
    const Eigen::Matrix3d R_WP = to_eigen(before), R_WC = to_eigen(now);
    const Eigen::Matrix3d R_PC = R_WP.transpose() * R_WC;
    const Eigen::Vector3d pull =
        damping_.rest_rate * (R_WP * so3::log(rest_rotation_[at(b)] * R_PC.transpose()));
    store({pull.x(), pull.y(), pull.z()}, tree.reference, at(b));
  }
}

void VelocityProblem::place_points() noexcept {
  for (std::size_t j = 0; j < point_N_.size(); ++j) {
    PointRow& row = tree.points[j];
    const std::size_t lane = at(row.block);
    if (!(row.weight > 0.0)) continue;
    row.point = kinematics_.point(lane, point_N_[j]);
  }
}

void VelocityProblem::place_rows(const State& state, std::vector<Eigen::Vector3d>& by_row) const noexcept {
  for (std::size_t p = 0; p < point_N_.size(); ++p) {
    const std::size_t lane = at(tree.points[p].block);
    by_row[row_of_point_[p]] = state.p_WB + kinematics_.point(lane, point_N_[p]);
  }
}

void VelocityProblem::set_pose(const State& state) noexcept { kinematics_.update(state); }

void VelocityProblem::choose_rows(const Targets& targets) noexcept {
  const auto parts = [](const Target& row) -> unsigned {
    return (row.has_orientation ? 1u : 0u) | (row.has_position ? 2u : 0u);
  };
  unsigned changed = 0;  // no early exit: usually nothing has changed, and checking would cost more
  for (std::size_t j = 0; j < targets.rows.size(); ++j) changed |= parts(targets.rows[j]) ^ row_state_[j];
  if (changed != 0 || !chosen_) {
    chosen_ = true;
    for (std::size_t j = 0; j < targets.rows.size(); ++j)
      row_state_[j] = static_cast<unsigned char>(parts(targets.rows[j]));
    ++rows_version_;
    choose_damping(targets);
    settles_ = settled_by_rows(targets);
  }
  weigh_points(targets);
}

// All conditions of `settles` except well-separated axes of triples at the pose.
bool VelocityProblem::settled_by_rows(const Targets& targets) const noexcept {
  if (!model_->floating_base() || !tree.rows.empty() || damping_.uniform) return false;
  double least = kInfinity, most = 0.0;
  for (std::size_t b = 0; b <= tree.base; ++b) {
    least = std::min(least, tree.weight(0, b));
    most = std::max(most, tree.weight(0, b));
    const bool own = b == tree.base || (blocks_.slider[b] == 0 && determined_by_[b] == static_cast<int>(b));
    if (!own || !(tree.weight(0, b) > 0.0)) return false;
  }
  if (std::max(most, damping_.determined) > kLargestRatio * least) return false;
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    if (std::count(lane_of_row_.begin(), lane_of_row_.end(), lane_of_row_[j]) > 1) return false;
    if (point_of_row_[j] < 0 || !targets.rows[j].has_position) continue;
    if (lane_of_row_[j] != tree.base || !point_N_[at(point_of_row_[j])].isZero(0.0)) return false;
  }
  return true;
}

namespace {

PANTO_WIDE bool well_apart(const LaneArray<3>& cos, const LaneArray<1>& triple, double least) noexcept {
  double lacking[kLanes] = {};
  for (std::size_t c = 0; c < cos.chunk_count(); ++c) {
    const Chunk<3>& k = cos.chunk(c);
    const Chunk<1>& is_triple = triple.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l)
      lacking[l] += std::abs(k.v[1][l]) >= least ? 0.0 : is_triple.v[0][l];
  }
  return sum_of(lacking) == 0.0;
}

// A ball's rates are its relative angular velocity.
PANTO_WIDE void take_balls(const LaneArray<1>& ball, const LaneArray<3>& omega, const LaneArray<3>& before,
                           LaneArray<3>& rate) noexcept {
  for (std::size_t c = 0; c < rate.chunk_count(); ++c) {
    const Chunk<1>& is_ball = ball.chunk(c);
    const Chunk<3>&now = omega.chunk(c), &last = before.chunk(c);
    Chunk<3>& out = rate.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 turn = vec3(now, l) - vec3(last, l), other = vec3(out, l);
      const bool own = is_ball.v[0][l] != 0.0;
      store({own ? turn.x : other.x, own ? turn.y : other.y, own ? turn.z : other.z}, out, l);
    }
  }
}

// Takes rates from the rotation by each joint's vector, in world axes: columns.
PANTO_WIDE void take_rows(const LaneArray<9>& rows, const LaneArray<3>& joint, const LaneArray<3>& omega,
                          const LaneArray<3>& before, LaneArray<3>& rate) noexcept {
  for (std::size_t c = 0; c < rate.chunk_count(); ++c) {
    const Chunk<9>& row = rows.chunk(c);
    const Chunk<3>&now = omega.chunk(c), &last = before.chunk(c), &there = joint.chunk(c);
    Chunk<3>& out = rate.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 turn = vec3(now, l) - vec3(last, l);
      store(times(vec3(there, l), transposed_times(mat3(row, l), turn)), out, l);
    }
  }
}

}  // namespace

bool VelocityProblem::regular_pose() const noexcept {
  return well_apart(kinematics_.cos(), triple_, std::max(damping_.regular_above, kLeastApart));
}

void VelocityProblem::settle_bodies(const LaneArray<3>& omega, const std::vector<Eigen::Vector3d>& linear,
                                    TreeSolution& solution) const noexcept {
  solution.omega = omega;
  double weight = tree.base_linear_lambda;
  Eigen::Vector3d pull = Eigen::Vector3d::Zero();
  for (std::size_t p = 0; p < point_N_.size(); ++p) {
    if (!(tree.points[p].weight > 0.0)) continue;
    weight += tree.points[p].weight;
    pull += tree.points[p].weight * linear[row_of_point_[p]];
  }
  store(to_vec3((weight > 0.0 ? 1.0 / weight : 0.0) * pull), solution.v, tree.base);
}

void VelocityProblem::settle_rates(TreeSolution& solution) noexcept {
  take_lanes(body_before_, solution.omega, omega_before_);
  triple_rates(kinematics_, solution.omega, omega_before_, damping_, solution.rate);
  if (balls_) take_balls(ball_, solution.omega, omega_before_, solution.rate);
}

void VelocityProblem::settle_rates(const LaneArray<9>& rows, TreeSolution& solution) noexcept {
  take_lanes(body_before_, solution.omega, omega_before_);
  take_rows(rows, tree.joint, solution.omega, omega_before_, solution.rate);
  if (balls_) take_balls(ball_, solution.omega, omega_before_, solution.rate);
}

void VelocityProblem::build(const State& state) noexcept {
  set_axes(kinematics_, ball_, triple_, lambda_, damping_, tree);
  for (const std::size_t b : blocks_.sliders) {
    const Eigen::Vector3d axis =
        to_eigen(mat3(kinematics_.frames(), at(blocks_.parent[b]))) * blocks_.slide_P[b];
    store(Mat3{{axis.x(), axis.y(), axis.z()}, {}, {}}, tree.axes, b);
  }
  pull_to_rest(state);
  place_points();
  if (!point_N_.empty() || !own_.empty()) tree.centre = kinematics_.centre();
}

// Gauss-Newton's matrix neglects the curvature due to residuals; where J is nearly singular, only that
// curvature is left, and a step of gain g overshoots forever. With |C| a bound of the neglected part, H + g C
// / 2 does not.
void VelocityProblem::damp_residuals(const Targets& targets, const std::vector<double>& versine,
                                     const std::vector<Eigen::Vector3d>& place, const Eigen::Vector3d& base,
                                     double dt, double share) noexcept {
  std::fill(residual_.begin(), residual_.end(), 0.0);
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    double turn = 0.0, shift = 0.0;
    if (row.has_orientation) {
      const double v = std::clamp(versine[j], 0.0, 2.0), gain = -expm1(-row.orientation_gain * dt);
      turn = gain * row.orientation_weight * std::sqrt(v * (2.0 - v));
    }
    if (row.has_position && point_of_row_[j] >= 0) {
      const double gain = -expm1(-row.position_gain * dt);
      shift = gain * row.position_weight * (row.p_WF - place[j]).norm();
    }
    for (std::size_t b = lane_of_row_[j]; b < at(blocks_.count()); b = at(blocks_.parent[b])) {
      residual_[b] += turn;
      if (shift > 0.0)
        residual_[b] += shift * (place[j] - base - to_eigen(vec3(kinematics_.centre(), b))).norm();
    }
  }
  own_.add_curvature(tree, dt, residual_);
  for (std::size_t b = 0; b < at(blocks_.count()); ++b) {
    for (int k = 0; k < 3; ++k) {
      const std::size_t slot = LaneArray<3>::index(k, b);
      double& lambda = tree.lambda.data()[slot];
      const double before = lambda;
      lambda += share * residual_[b];
      if (lambda > 0.0) tree.reference.data()[slot] *= before / lambda;
    }
  }
}

void VelocityProblem::set_velocities(const std::vector<Eigen::Vector3d>& angular,
                                     const std::vector<Eigen::Vector3d>& linear,
                                     const Targets& targets) noexcept {
  tree.rhs.fill(0.0);
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (!row.has_orientation) continue;
    const Vec3 pull = row.orientation_weight * Vec3{angular[j].x(), angular[j].y(), angular[j].z()};
    store(vec3(tree.rhs, lane_of_row_[j]) + pull, tree.rhs, lane_of_row_[j]);
  }
  set_point_velocities(linear);
}

void VelocityProblem::set_point_velocities(const std::vector<Eigen::Vector3d>& linear) noexcept {
  for (std::size_t p = 0; p < point_N_.size(); ++p) tree.points[p].velocity = linear[row_of_point_[p]];
}

void VelocityProblem::set_companion_velocities(const std::vector<Eigen::Vector3d>& linear) noexcept {
  for (std::size_t p = 0; p < point_N_.size(); ++p) tree.points[p].companion = linear[row_of_point_[p]];
}

void VelocityProblem::set_bounds(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept {
  for (std::size_t dof = 0; dof < blocks_.slot_of_dof.size(); ++dof) {
    const auto slot = at(blocks_.slot_of_dof[dof]);
    const bool ball = is_ball_slot(slot);
    tree.lower.data()[slot] = ball ? -kInfinity : lower[static_cast<Eigen::Index>(dof)];
    tree.upper.data()[slot] = ball ? kInfinity : upper[static_cast<Eigen::Index>(dof)];
  }
}

void VelocityProblem::add_joint_damping(double lambda) noexcept {
  for (std::size_t i = 0; i < tree.lambda.flat_size(); ++i) tree.lambda.data()[i] += lambda;
}

void VelocityProblem::add_damping(double lambda) noexcept {
  add_joint_damping(lambda);
  tree.base_linear_lambda += lambda;
  tree.base_angular_lambda += lambda;
  row_state_.assign(row_state_.size(), 255);
  chosen_ = false;
}

}  // namespace panto
