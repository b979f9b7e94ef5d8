#include "panto/ik/tree_solver.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kRegular = 0.05;      // |det S| from which three axes reach every angular velocity
constexpr double kVanishing = 1e-14;   // a pivot below this share of the largest diagonal entry is none
constexpr double kTinyPivot = 1e-300;  // a joint without information and damping stays where it is

constexpr signed char kFree[3 * kLanes] = {};  // the working set of a block without held joints

Vec3 by_element(const Vec3& a, const Vec3& b) noexcept { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

Vec3 slots(const double* values, std::size_t b) noexcept {
  const double* first = values + LaneArray<3>::index(0, b);
  return {first[0], first[kLanes], first[2 * kLanes]};
}

}  // namespace

TreeProblem::TreeProblem(const Blocks& blocks, bool floating, std::size_t point_rows)
    : floating_base(floating),
      base(at(blocks.base())),
      parent(blocks.parent),
      slider(blocks.slider),
      axes(blocks.lanes()),
      centre(blocks.lanes()),
      lambda(blocks.lanes(), 1.0),
      reference(blocks.lanes()),
      lower(blocks.lanes(), -kInfinity),
      upper(blocks.lanes(), kInfinity),
      weight(blocks.lanes()),
      rhs(blocks.lanes()),
      points(point_rows) {}

TreeSolution::TreeSolution(const TreeProblem& problem)
    : rate(problem.parent.size()),
      rho(problem.parent.size()),
      omega(problem.parent.size()),
      v(problem.parent.size()) {}

namespace {

void add_scaled(double factor, const LaneArray<3>& other, LaneArray<3>& sum) noexcept {
  for (std::size_t i = 0; i < sum.flat_size(); ++i) sum[i] += factor * other[i];
}

}  // namespace

void TreeSolution::add(double factor, const TreeSolution& other) noexcept {
  add_scaled(factor, other.rate, rate);
  add_scaled(factor, other.rho, rho);
  add_scaled(factor, other.omega, omega);
  add_scaled(factor, other.v, v);
}

TreeSolver::TreeSolver(const TreeProblem& problem) : base_(problem.base) {
  const std::size_t lanes = problem.parent.size();
  for (std::size_t i = 0; i <= base_; ++i) {
    first_child_.push_back(static_cast<int>(child_.size()));
    for (std::size_t b = 0; b < base_; ++b) {
      if (problem.parent[b] == static_cast<int>(i)) child_.push_back(static_cast<int>(b));
    }
  }
  first_child_.push_back(static_cast<int>(child_.size()));
  six_.assign(lanes, 0);
  absorbable_ = absorbs_ = coupled_ = dirty_ = hands_on_ = six_;
  held_.assign(lanes, 0);
  own_.resize(lanes);
  handed_.resize(lanes);
  block_.resize(lanes);
  b_.assign(lanes, Vec3{});
  bu_ = s_ = z_ = b_;
  inverse_ = LaneArray<9>(lanes);
  absorbs_lane_ = LaneArray<1>(lanes);
  omega_before_ = curvature_ = LaneArray<3>(lanes);
}

// A = L D L'.
TreeSolver::Factor TreeSolver::factor(const Mat3& A) noexcept {
  const double floor = std::max(kVanishing * std::max({A.x.x, A.y.y, A.z.z}), kTinyPivot);
  const auto inverse = [floor](double pivot) { return pivot > floor ? 1.0 / pivot : 0.0; };
  Factor f;
  f.inverse.x = inverse(A.x.x);
  f.l10 = A.x.y * f.inverse.x;
  f.l20 = A.x.z * f.inverse.x;
  f.inverse.y = inverse(A.y.y - f.l10 * A.x.y);
  const double t = A.y.z - f.l20 * A.x.y;
  f.l21 = t * f.inverse.y;
  f.inverse.z = inverse(A.z.z - f.l20 * A.x.z - f.l21 * t);
  return f;
}

// L^-1 b, L'^-1 t and A^-1 b.
Vec3 TreeSolver::forward(const Factor& f, const Vec3& b) noexcept {
  const double y = b.y - f.l10 * b.x;
  return {b.x, y, b.z - f.l20 * b.x - f.l21 * y};
}
Vec3 TreeSolver::backward(const Factor& f, const Vec3& t) noexcept {
  const double y = t.y - f.l21 * t.z;
  return {t.x - f.l10 * y - f.l20 * t.z, y, t.z};
}
Vec3 TreeSolver::solve(const Factor& f, const Vec3& b) noexcept {
  return backward(f, by_element(f.inverse, forward(f, b)));
}
// A L'^-1, by columns.
Mat3 TreeSolver::columns(const Factor& f, const Mat3& A) noexcept {
  const Vec3 y = A.y - f.l10 * A.x;
  return {A.x, y, A.z - f.l20 * A.x - f.l21 * y};
}

namespace {

// The inverse of every lane's axes, and whether the three reach every angular velocity.
PANTO_WIDE void invert_axes(const TreeProblem& problem, LaneArray<9>& inverse,
                            LaneArray<1>& regular) noexcept {
  for (std::size_t c = 0; c < inverse.chunk_count(); ++c) {
    const Chunk<9>& axes = problem.axes.chunk(c);
    const Chunk<3>& lambda = problem.lambda.chunk(c);
    const Chunk<1>& weight = problem.weight.chunk(c);
    Chunk<9>& out = inverse.chunk(c);
    Chunk<1>& flag = regular.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 S = mat3(axes, l);
      const Vec3 yz = cross(S.y, S.z), zx = cross(S.z, S.x), xy = cross(S.x, S.y);
      const double det = dot(S.x, yz);
      const double damping = lambda.v[0][l] + lambda.v[1][l] + lambda.v[2][l];
      const double good = std::abs(det) > kRegular ? 1.0 : 0.0;
      const double undamped = damping == 0.0 ? good : 0.0;
      flag.v[0][l] = weight.v[0][l] > 0.0 ? undamped : 0.0;
      const double scale = 1.0 / (good > 0.0 ? det : 1.0);
      store(Mat3{scale * yz, scale * zx, scale * xy}, out, l);
    }
  }
}

}  // namespace

// Only bodies with a point further out need the linear half of the velocity; elsewhere the angular recursion
// is exact.
void TreeSolver::mark_six(const TreeProblem& problem) noexcept {
  std::fill(six_.begin(), six_.end(), static_cast<unsigned char>(0));
  base_weight_ = 0.0;
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0)) continue;
    if (at(row.block) == base_ && row.point.isZero(0.0)) {
      base_weight_ += row.weight;
      continue;
    }
    for (std::size_t i = at(row.block); six_[i] == 0; i = at(problem.parent[i])) six_[i] = 1;
  }
}

// Every body's own targets: K = w I, and of a point at r from the block's point [M C; C' K] += w A'A with
// A = [I, -hat(r)].
void TreeSolver::set_own(const TreeProblem& problem) noexcept {
  own_set_ = true;
  for (std::size_t i = 0; i <= base_; ++i) own_[i].K = diagonal(problem.weight(0, i));
  if (six_[base_] == 0) return;
  for (std::size_t i = 0; i <= base_; ++i) own_[i].C = own_[i].M = Mat3{};
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0)) continue;
    Value& own = own_[at(row.block)];
    const Vec3 r = to_vec3(row.point) - vec3(problem.centre, at(row.block));
    const Mat3 hat = cross(r, diagonal(row.weight));
    own.M = own.M + diagonal(row.weight);
    own.C = own.C - hat;
    own.K = own.K - cross(r, hat);
  }
}

void TreeSolver::prepare(const TreeProblem& problem) noexcept {
  all_dirty_ = true;
  own_set_ = false;
  mark_six(problem);
  invert_axes(problem, inverse_, absorbs_lane_);
  all_absorb_ = true;
  for (std::size_t b = 0; b < base_; ++b) {
    absorbable_[b] = absorbs_lane_(0, b) != 0.0 ? 1 : 0;
    all_absorb_ = all_absorb_ && absorbable_[b] != 0;
  }
}

// A change of sides makes a block dirty.
void TreeSolver::read_working_set(const signed char* held) noexcept {
  recursion_ = six_[base_] != 0;
  if (held == nullptr && all_dirty_ && !recursion_ && all_absorb_) {
    // the one case that needs no recursion: all blocks free and able to absorb
    std::fill(held_.begin(), held_.end(), 0U);
    std::fill(absorbs_.begin(), absorbs_.end(), static_cast<unsigned char>(1));
    std::fill(hands_on_.begin(), hands_on_.end(), static_cast<unsigned char>(0));
    std::fill(coupled_.begin(), coupled_.end(), static_cast<unsigned char>(0));
    std::fill(dirty_.begin(), dirty_.end(), static_cast<unsigned char>(0));
    all_dirty_ = false;
    return;
  }
  for (std::size_t b = 0; b < base_; ++b) {
    const signed char* first = held == nullptr ? kFree : held + LaneArray<3>::index(0, b);
    const unsigned now = static_cast<unsigned>(first[0] & 3) |
                         static_cast<unsigned>(first[kLanes] & 3) << 2U |
                         static_cast<unsigned>(first[2 * kLanes] & 3) << 4U;
    dirty_[b] = all_dirty_ || now != held_[b] ? 1 : 0;
    held_[b] = now;
    absorbs_[b] = absorbable_[b] != 0 && now == 0 ? 1 : 0;
    absorbs_lane_(0, b) = absorbs_[b];
    recursion_ = recursion_ || absorbs_[b] == 0;
  }
  all_dirty_ = false;
}

// What the body's own targets and the blocks further out make of its velocity.
TreeSolver::Value TreeSolver::gather(std::size_t b) const noexcept {
  Value value = own_[b];
  for (int c = first_child_[b]; c < first_child_[b + 1]; ++c) {
    const auto child = at(child_[at(c)]);
    if (hands_on_[child] == 0) continue;
    value.K = value.K + handed_[child].K;
    if (six_[child] == 0) continue;
    value.C = value.C + handed_[child].C;
    value.M = value.M + handed_[child].M;
  }
  return value;
}

// A free block that reaches every angular velocity: the body takes whatever is best for it. Nothing is left
// of omega, and of v what a point mass at the block's point would ask. [performance, section 3.4]
void TreeSolver::absorb(std::size_t b, const Value& value) noexcept {
  Eliminated& e = block_[b];
  e.factor = factor(value.K);
  if (six_[b] == 0) return;
  e.V = columns(e.factor, value.C);
  const Vec3& d = e.factor.inverse;
  handed_[b] = {Mat3{}, Mat3{},
                value.M - outer(d.x * e.V.x, e.V.x) - outer(d.y * e.V.y, e.V.y) - outer(d.z * e.V.z, e.V.z)};
}

// The minimum over the block's own joints: with u = [W; U] = [C; K] S and H = S'U + lambda the free ones
// leave K - U_f H_ff^-1 U_f', held ones leave K as it is. [performance, section 3.2]
void TreeSolver::eliminate_block(const TreeProblem& problem, std::size_t b, const Value& value) noexcept {
  Eliminated& e = block_[b];
  const bool six = six_[b] != 0;
  const Mat3 S = mat3(problem.axes, b);
  if (problem.slider[b] != 0) {  // moves the point and turns nothing
    e.U = six ? transposed_times(value.C, S) : Mat3{};
    e.W = six ? value.M * S : Mat3{};
    e.H = transposed_times(S, e.W);
  } else {
    e.U = value.K * S;
    e.W = six ? value.C * S : Mat3{};
    e.H = transposed_times(S, e.U);
  }
  const Vec3 lambda = slots(problem.lambda.data(), b);
  e.H.x.x += lambda.x;
  e.H.y.y += lambda.y;
  e.H.z.z += lambda.z;
  store({e.H.x.x, e.H.y.y, e.H.z.z}, curvature_, b);

  e.free = {(held_[b] & 3U) != 0 ? 0.0 : 1.0, (held_[b] & 12U) != 0 ? 0.0 : 1.0,
            (held_[b] & 48U) != 0 ? 0.0 : 1.0};
  const Vec3& f = e.free;
  const double xy = f.x * f.y * e.H.x.y, xz = f.x * f.z * e.H.x.z, yz = f.y * f.z * e.H.y.z;
  e.factor = factor({{f.x * e.H.x.x, xy, xz}, {xy, f.y * e.H.y.y, yz}, {xz, yz, f.z * e.H.z.z}});
  e.Y = columns(e.factor, {f.x * e.U.x, f.y * e.U.y, f.z * e.U.z});
  const Vec3& d = e.factor.inverse;
  const Mat3 dY{d.x * e.Y.x, d.y * e.Y.y, d.z * e.Y.z};
  handed_[b].K = value.K - outer(dY.x, e.Y.x) - outer(dY.y, e.Y.y) - outer(dY.z, e.Y.z);
  if (!six) return;
  e.V = columns(e.factor, {f.x * e.W.x, f.y * e.W.y, f.z * e.W.z});
  handed_[b].C = value.C - outer(e.V.x, dY.x) - outer(e.V.y, dY.y) - outer(e.V.z, dY.z);
  handed_[b].M = value.M - outer(d.x * e.V.x, e.V.x) - outer(d.y * e.V.y, e.V.y) - outer(d.z * e.V.z, e.V.z);
}

// From the block's point to that of the block before, which sees v = v_P - hat(r) omega_P.
void TreeSolver::shift(const TreeProblem& problem, std::size_t b) noexcept {
  Value& value = handed_[b];
  const Vec3 r = vec3(problem.centre, b) - vec3(problem.centre, at(problem.parent[b]));
  const Mat3 rM = cross(r, value.M), rC = cross(r, value.C);
  value.K = value.K + rC + transposed(rC) + cross(r, transposed(rM));
  value.C = value.C + transposed(rM);
}

// From the leaves to the base; clean blocks keep what they have.
PANTO_WIDE void TreeSolver::eliminate(const TreeProblem& problem) noexcept {
  for (std::size_t b = base_; recursion_ && b-- > 0;) {
    if (dirty_[b] == 0) continue;
    const bool handed_on = hands_on_[b] != 0;
    hands_on_[b] = absorbs_[b] == 0 || six_[b] != 0 ? 1 : 0;
    if (handed_on || hands_on_[b] != 0) dirty_[at(problem.parent[b])] = 1;
    coupled_[b] = six_[b];
    for (int c = first_child_[b]; c < first_child_[b + 1]; ++c) coupled_[b] |= hands_on_[at(child_[at(c)])];
    if (absorbs_[b] == 0) {
      eliminate_block(problem, b, gather(b));
    } else if (coupled_[b] != 0) {
      absorb(b, gather(b));
    }
    if (six_[b] != 0) shift(problem, b);
  }
  eliminate_base(problem);
}

void TreeSolver::eliminate_base(const TreeProblem& problem) noexcept {
  const Value value = gather(base_);
  base_K_ = factor(value.K + diagonal(problem.base_angular_lambda));
  if (six_[base_] == 0) return;
  base_C_ = columns(base_K_, value.C);
  const Vec3& d = base_K_.inverse;
  base_M_ = factor(value.M + diagonal(problem.base_linear_lambda) - outer(d.x * base_C_.x, base_C_.x) -
                   outer(d.y * base_C_.y, base_C_.y) - outer(d.z * base_C_.z, base_C_.z));
}

void TreeSolver::load(const Load& given) noexcept {
  const bool all = recursion_ || given.force != nullptr;
  for (std::size_t i = all ? 0 : base_; i <= base_; ++i) {
    b_[i] = given.targets != nullptr ? vec3(given.targets->rhs, i) : Vec3{};
    bu_[i] = Vec3{};
  }
  if (given.targets == nullptr) return;
  for (const PointRow& row : given.targets->points) {
    if (!(row.weight > 0.0)) continue;
    const std::size_t i = at(row.block);
    const Vec3 pull = row.weight * to_vec3(row.velocity);
    bu_[i] = bu_[i] + pull;
    if (six_[i] != 0) b_[i] = b_[i] + cross(to_vec3(row.point) - vec3(given.targets->centre, i), pull);
  }
}

// Right-hand sides from the leaves to the base.
PANTO_WIDE void TreeSolver::inward(const TreeProblem& problem, const Load& given) noexcept {
  for (std::size_t b = base_; b-- > 0;) {
    const std::size_t parent = at(problem.parent[b]);
    const Eliminated& e = block_[b];
    const Vec3 force = given.force != nullptr ? slots(given.force, b) : Vec3{};
    if (absorbs_[b] != 0) {
      if (given.force != nullptr) {  // q' = S^-1 (omega - omega_P)
        const Vec3 pull = mat3(inverse_, b) * force;
        b_[b] = b_[b] + pull;
        b_[parent] = b_[parent] - pull;
      }
      if (six_[b] == 0) continue;
      bu_[b] = bu_[b] - e.V * by_element(e.factor.inverse, forward(e.factor, b_[b]));
      bu_[parent] = bu_[parent] + bu_[b];
      const Vec3 r = vec3(problem.centre, b) - vec3(problem.centre, parent);
      b_[parent] = b_[parent] + cross(r, bu_[b]);
      continue;
    }
    Vec3 handed = b_[b];
    const Mat3 S = mat3(problem.axes, b);
    Vec3 s = transposed_times(S, problem.slider[b] != 0 ? bu_[b] : b_[b]) + force;
    if (given.targets != nullptr)
      s = s + by_element(slots(problem.lambda.data(), b), slots(problem.reference.data(), b));
    s_[b] = s;
    Vec3 held{};
    if (given.held_rate != nullptr && held_[b] != 0) {
      held = by_element(Vec3{1.0, 1.0, 1.0} - e.free, slots(given.held_rate, b));
      s = s - e.H * held;
      handed = handed - e.U * held;
    }
    s = by_element(e.free, s);
    const Vec3 z = by_element(e.factor.inverse, forward(e.factor, s));
    z_[b] = z;
    handed = handed - e.Y * z;
    if (six_[b] != 0) {
      const Vec3 pull = bu_[b] - e.W * held - e.V * z;
      bu_[parent] = bu_[parent] + pull;
      const Vec3 r = vec3(problem.centre, b) - vec3(problem.centre, parent);
      handed = handed + cross(r, pull);
    }
    b_[parent] = b_[parent] + handed;
  }
}

void TreeSolver::place_base(const TreeProblem& problem, TreeSolution& solution) noexcept {
  Vec3 v{}, omega{};
  if (problem.floating_base) {
    if (six_[base_] != 0) {
      const Vec3 t = forward(base_K_, b_[base_]);
      v = solve(base_M_, bu_[base_] - base_C_ * by_element(base_K_.inverse, t));
      omega = backward(base_K_, by_element(base_K_.inverse, t - transposed_times(base_C_, v)));
    } else {  // points on the base origin alone: the linear velocity stands apart
      const double weight = base_weight_ + problem.base_linear_lambda;
      v = (weight > 0.0 ? 1.0 / weight : 0.0) * bu_[base_];
      omega = solve(base_K_, b_[base_]);
    }
  }
  store(v, solution.v, base_);
  store(omega, solution.omega, base_);
}

// One block outwards of a body whose velocity is known.
void TreeSolver::place_block(const TreeProblem& problem, const Load& given, std::size_t b,
                             TreeSolution& solution) noexcept {
  const Eliminated& e = block_[b];
  const std::size_t parent = at(problem.parent[b]);
  const Vec3 omega_P = vec3(solution.omega, parent);
  Vec3 v{};
  if (six_[b] != 0) {
    const Vec3 r = vec3(problem.centre, b) - vec3(problem.centre, parent);
    v = vec3(solution.v, parent) + cross(omega_P, r);
    store(v, solution.v, b);
  }
  if (absorbs_[b] != 0) {
    if (coupled_[b] == 0) {
      store(1.0 / problem.weight(0, b) * b_[b], solution.omega, b);
      return;
    }
    Vec3 t = forward(e.factor, b_[b]);
    if (six_[b] != 0) t = t - transposed_times(e.V, v);
    store(backward(e.factor, by_element(e.factor.inverse, t)), solution.omega, b);
    return;
  }
  Vec3 y = transposed_times(e.Y, omega_P);
  if (six_[b] != 0) y = y + transposed_times(e.V, v);
  Vec3 rate = by_element(e.free, backward(e.factor, z_[b] - by_element(e.factor.inverse, y)));
  Vec3 rho = rate;
  if (held_[b] != 0) {
    if (given.held_rate != nullptr)
      rate = rate + by_element(Vec3{1.0, 1.0, 1.0} - e.free, slots(given.held_rate, b));
    // where the gradient says that the optimum of a held joint lies
    Vec3 gradient = e.H * rate - s_[b] + transposed_times(e.U, omega_P);
    if (six_[b] != 0) gradient = gradient + transposed_times(e.W, v);
    const auto optimum = [](double q, double g, double h) { return h > kTinyPivot ? q - g / h : q; };
    rho = {e.free.x != 0.0 ? rate.x : optimum(rate.x, gradient.x, e.H.x.x),
           e.free.y != 0.0 ? rate.y : optimum(rate.y, gradient.y, e.H.y.y),
           e.free.z != 0.0 ? rate.z : optimum(rate.z, gradient.z, e.H.z.z)};
  }
  store(rate, solution.rate, b);
  store(rho, solution.rho, b);
  const Vec3 change = mat3(problem.axes, b) * rate;
  if (problem.slider[b] != 0) {
    store(omega_P, solution.omega, b);
    if (six_[b] != 0) store(v + change, solution.v, b);
  } else {
    store(omega_P + change, solution.omega, b);
  }
}

namespace {

// omega = c where the body's own target alone decides.
PANTO_WIDE void take_targets(const TreeProblem& problem, LaneArray<3>& omega) noexcept {
  for (std::size_t c = 0; c < omega.chunk_count(); ++c) {
    const Chunk<3>& rhs = problem.rhs.chunk(c);
    const Chunk<1>& weight = problem.weight.chunk(c);
    Chunk<3>& out = omega.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double w = weight.v[0][l];
      const double scale = 1.0 / (w > 0.0 ? w : 1.0);
      store(scale * vec3(rhs, l), out, l);
    }
  }
}

// q' = S^-1 (omega - omega_P) of absorbing blocks; returns a number that is finite if all velocities are.
PANTO_WIDE double take_rates(const LaneArray<9>& inverse, const LaneArray<1>& absorbs,
                             const LaneArray<3>& parent, TreeSolution& solution) noexcept {
  double sums[kLanes] = {};
  for (std::size_t c = 0; c < parent.chunk_count(); ++c) {
    const Chunk<9>& S = inverse.chunk(c);
    const Chunk<3>&omega = solution.omega.chunk(c), &before = parent.chunk(c);
    const Chunk<1>& mask = absorbs.chunk(c);
    Chunk<3>&rate = solution.rate.chunk(c), &optimum = solution.rho.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 w = vec3(omega, l), q = transposed_times(mat3(S, l), w - vec3(before, l));
      const bool own = mask.v[0][l] != 0.0;
      const Vec3 old = vec3(rate, l), other = vec3(optimum, l);
      const Vec3 taken{own ? q.x : old.x, own ? q.y : old.y, own ? q.z : old.z};
      store(taken, rate, l);
      store({own ? q.x : other.x, own ? q.y : other.y, own ? q.z : other.z}, optimum, l);
      sums[l] += (taken.x + taken.y + taken.z) + (w.x + w.y + w.z);
    }
  }
  double sum = 0.0;
  for (const double s : sums) sum += s;
  return sum;
}

}  // namespace

// From the base to the leaves.
PANTO_WIDE void TreeSolver::outward(const TreeProblem& problem, const Load& given,
                                    TreeSolution& solution) noexcept {
  place_base(problem, solution);
  const bool forced = given.force != nullptr;
  for (std::size_t b = 0; (recursion_ || forced) && b < base_; ++b) {
    if (absorbs_[b] == 0 || coupled_[b] != 0 || forced) place_block(problem, given, b, solution);
  }
}

bool TreeSolver::sweep(const TreeProblem& problem, const Load& given, TreeSolution& solution) noexcept {
  if (given.targets != nullptr) {
    take_targets(problem, solution.omega);
  } else {
    solution.omega.fill(0.0);
  }
  load(given);
  if (recursion_ || given.force != nullptr) inward(problem, given);
  outward(problem, given, solution);
  if (given.bodies_only && !recursion_) return true;
  for (std::size_t b = 0; b < base_; ++b) {
    const double* before = solution.omega.data() + LaneArray<3>::index(0, at(problem.parent[b]));
    double* lane = omega_before_.data() + LaneArray<3>::index(0, b);
    for (std::size_t k = 0; k < 3 * kLanes; k += kLanes) lane[k] = before[k];
  }
  const double sum = take_rates(inverse_, absorbs_lane_, omega_before_, solution);
  const Vec3 v = vec3(solution.v, base_);
  return std::isfinite(sum + (v.x + v.y + v.z));
}

bool TreeSolver::minimise(const TreeProblem& problem, const signed char* held, const double* held_rate,
                          TreeSolution& solution) noexcept {
  read_working_set(held);
  if (recursion_ && !own_set_) set_own(problem);
  if (!recursion_) own_[base_].K = diagonal(problem.weight(0, base_));
  eliminate(problem);
  return sweep(problem, {&problem, held_rate, nullptr}, solution);
}

void TreeSolver::resolve(const TreeProblem& problem, const double* held_rate, TreeSolution& solution,
                         bool bodies_only) noexcept {
  (void)sweep(problem, {&problem, held_rate, nullptr, bodies_only}, solution);
}

void TreeSolver::respond(const TreeProblem& problem, const double* force, TreeSolution& change) noexcept {
  (void)sweep(problem, {nullptr, nullptr, force}, change);
}

}  // namespace panto
