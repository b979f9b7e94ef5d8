#include "panto/ik/settled_solver.hpp"

#include "panto/base/index.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/ldl3.hpp"

namespace panto {
namespace {

constexpr double kUneven =
    0.05;  // determinant, as a share of the diagonal's product, below which matrices want care

// What a condition of each joint says, in world axes. Of a triple, whose axes are well apart, the rows of the
// inverse of its axes, as `triple_rates`; else unit vectors that are perpendicular to each other: the axes of
// joints that are there, what cannot turn where one is missing. N_C = N_P Q R_x R_y R_z with missing angles
// zero.
PANTO_WIDE void find_rows(const BlockKinematics& at, const LaneArray<1>& hinge, const LaneArray<1>& x_turns,
                          const LaneArray<1>& z_missing, LaneArray<9>& rows) noexcept {
  for (std::size_t c = 0; c < rows.chunk_count(); ++c) {
    const Chunk<9>& N = at.frames().chunk(c);
    const Chunk<3>&s = at.sin().chunk(c), &k = at.cos().chunk(c);
    const Chunk<1>&is_hinge = hinge.chunk(c), &turns = x_turns.chunk(c), &lacks_z = z_missing.chunk(c);
    Chunk<9>& out = rows.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double sb = s.v[1][l], cb = k.v[1][l], sc = s.v[2][l], cc = k.v[2][l];
      const double alone = is_hinge.v[0][l], x = turns.v[0][l], z = lacks_z.v[0][l];
      const double scale = 1.0 / (alone != 0.0 ? 1.0 : cb);
      const double along = x != 0.0 ? cb : scale;
      const double slope = sb * (alone != 0.0 ? z : scale), up = z != 0.0 ? cb : 1.0;
      const Mat3 R = mat3(N, l);
      store(Mat3{R * Vec3{along * cc, -along * sc, x * sb}, R * Vec3{sc, cc, 0.0},
                 R * Vec3{-slope * cc, slope * sc, up}},
            out, l);
    }
  }
}

// By lane 1 where a joint of the block is held.
PANTO_WIDE void find_standing(const LaneArray<3>& side, LaneArray<1>& stands) noexcept {
  for (std::size_t c = 0; c < side.chunk_count(); ++c) {
    const Chunk<3>& s = side.chunk(c);
    Chunk<1>& out = stands.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) out.v[0][l] = dot(vec3(s, l), vec3(s, l)) != 0.0 ? 1.0 : 0.0;
  }
}

// Held joints have the rates that they are held at.
PANTO_WIDE void keep_rates(const LaneArray<3>& side, const LaneArray<3>& held_rate,
                           LaneArray<3>& rate) noexcept {
  const double *s = side.data(), *held = held_rate.data();
  double* q = rate.data();
  const std::size_t n = rate.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double own = q[i], other = held[i];
    q[i] = s[i] != 0.0 ? other : own;
  }
}

// The same, and where the sign test finds every joint's optimum. False if a number is not finite.
PANTO_WIDE bool find_optima(const LaneArray<3>& side, const LaneArray<3>& held_rate,
                            const LaneArray<3>& beyond, LaneArray<3>& rate, LaneArray<3>& rho) noexcept {
  const double *s = side.data(), *held = held_rate.data(), *m = beyond.data();
  double *q = rate.data(), *out = rho.data();
  double off[kLanes] = {};
  for (std::size_t first = 0; first < rate.flat_size(); first += kLanes) {
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::size_t i = first + l;
      const double free = q[i], kept = held[i], more = m[i];
      const bool stands = s[i] != 0.0;
      const double own = stands ? kept : free, optimum = own + (stands ? more : 0.0);
      q[i] = own;
      out[i] = optimum;
      off[l] += optimum - optimum;
    }
  }
  return sum_of(off) == 0.0;
}

// Of a positive definite matrix.
Sym3 careful_inverse(const Sym3& A) noexcept {
  const Ldl3 L = ldl3(A);
  const auto column = [&L](const Vec3& b) { return backward(L, times(L.inverse, forward(L, b))); };
  return upper({column({1.0, 0.0, 0.0}), column({0.0, 1.0, 0.0}), column({0.0, 0.0, 1.0})});
}

// By one division where that loses no digits, since bodies wait for each other along a limb.
PANTO_INLINE Sym3 inverse_of(const Sym3& A) noexcept {
  const double xx = A.yy * A.zz - A.yz * A.yz, xy = A.xz * A.yz - A.xy * A.zz, xz = A.xy * A.yz - A.xz * A.yy;
  const double det = A.xx * xx + A.xy * xy + A.xz * xz;
  if (!(det > kUneven * (A.xx * A.yy * A.zz))) return careful_inverse(A);
  return (1.0 / det) *
         Sym3{xx, xy, xz, A.xx * A.zz - A.xz * A.xz, A.xy * A.xz - A.xx * A.yz, A.xx * A.yy - A.xy * A.xy};
}

// The inverse of the matrix of R conditions, given its lower half.
template <int R>
PANTO_INLINE void invert(const std::array<std::array<double, 3>, 3>& N,
                         std::array<std::array<double, 3>, 3>& inverse) noexcept {
  if constexpr (R == 1) {
    inverse[0][0] = 1.0 / N[0][0];
  } else if constexpr (R == 2) {
    const double product = N[0][0] * N[1][1], det = product - N[1][0] * N[1][0];
    if (det > kUneven * product) {
      const double scale = 1.0 / det;
      inverse[0][0] = scale * N[1][1];
      inverse[1][1] = scale * N[0][0];
      inverse[0][1] = inverse[1][0] = -scale * N[1][0];
      return;
    }
    const double first = 1.0 / N[0][0], l = N[1][0] * first, second = 1.0 / (N[1][1] - l * N[1][0]);
    inverse[0][0] = first + l * l * second;
    inverse[1][1] = second;
    inverse[0][1] = inverse[1][0] = -l * second;
  } else {
    const Sym3 I = inverse_of({N[0][0], N[1][0], N[2][0], N[1][1], N[2][1], N[2][2]});
    inverse = {{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
  }
}

}  // namespace

SettledSolver::SettledSolver(VelocityProblem& problem)
    : problem_(&problem),
      rows_(problem.blocks().lanes()),
      hinge_(problem.blocks().lanes(), 1.0),
      x_turns_(problem.blocks().lanes()),
      z_missing_(x_turns_),
      nodes_(problem.tree.base + 1),
      stands_(x_turns_),
      beyond_(problem.blocks().lanes()),
      unasked_(beyond_),
      unheld_(beyond_),
      curvature_(problem.blocks().lanes(), 1.0) {
  for (std::size_t b = 0; b <= problem.tree.base; ++b) {
    Node& node = nodes_[b];
    node.lane = b;
    node.before = at(problem.tree.parent[b]);
    node.slot = LaneArray<3>::index(0, b);
    const Vec3 there = vec3(problem.tree.joint, b);
    node.there = {there.x != 0.0, there.y != 0.0, there.z != 0.0};
    node.triple = b < problem.tree.base && node.there[0] && node.there[1] && node.there[2];
    if (node.triple) hinge_(0, b) = 0.0;
    // a y alone turns the x and the z that it lacks
    const bool y_alone = !node.there[0] && !node.there[2];
    x_turns_(0, b) = !node.triple && (node.there[0] || y_alone) ? 1.0 : 0.0;
    z_missing_(0, b) = node.there[2] ? 0.0 : 1.0;
  }
  working_.reserve(nodes_.size());
}

void SettledSolver::ask(const BodyVelocities& first, const BodyVelocities& second) noexcept {
  first_ = first;
  second_ = second;
  rows_known_ = false;
}

// What stands between a block's body and the one before.
PANTO_INLINE void SettledSolver::find_conditions(Node& node) const noexcept {
  node.rows = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (node.there[k] && (side_ == nullptr || (*side_)[node.slot + k * kLanes] == 0.0)) continue;
    node.number[at(node.rows++)] = k;
  }
}

PANTO_INLINE SettledSolver::Pair3 SettledSolver::times(const Sym3& A, const Pair3& b) noexcept {
  return {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
          A.xz * b.x + A.yz * b.y + A.zz * b.z};
}

// Phi times a pull at the body: Phi = (K + w + lambda)^-1.
PANTO_INLINE Vec3 SettledSolver::yield(const Node& node, const Vec3& pull) noexcept {
  return node.fed ? node.Phi * pull : node.ease * pull;
}
PANTO_INLINE SettledSolver::Pair3 SettledSolver::yield(const Node& node, const Pair3& pull) noexcept {
  if (node.fed) return times(node.Phi, pull);
  return {node.ease * pull.x, node.ease * pull.y, node.ease * pull.z};
}

// The minimum over the body's velocity, given that of the body before. What is left of the matrix is
// lambda (1 - lambda Phi) + v (g'u)^-1 v', of the right-hand sides lambda Phi b + v (g'u)^-1 (u'b - rate).
template <int R>
PANTO_INLINE void SettledSolver::hand_on(Node& node, Node& before) const noexcept {
  std::array<Vec3, 3> g{}, v{};
  std::array<double, 3> rate{};
  std::array<std::array<double, 3>, 3> N{}, inverse{};
  const double* row_of = rows_.data() + LaneArray<9>::index(0, node.lane);
  for (int k = 0; k < R; ++k) {
    const std::size_t number = node.number[at(k)];
    g[at(k)] = vec3_at(row_of + 3 * number * kLanes, kLanes);
    rate[at(k)] = node.there[number] ? (*held_rate_)[node.slot + number * kLanes] : 0.0;
  }
  const Pair3 own = yield(node, node.own);
  std::array<Two, 3> off{};
  for (int k = 0; k < R; ++k) {
    const Vec3 u = yield(node, g[at(k)]);
    v[at(k)] = g[at(k)] - node.lambda * u;
    for (int l = 0; l <= k; ++l) N[at(k)][at(l)] = dot(g[at(l)], u);
    off[at(k)] = g[at(k)].x * own.x + g[at(k)].y * own.y + g[at(k)].z * own.z - rate[at(k)];
    node.reach[at(k)] = N[at(k)][at(k)];
    node.u[at(k)] = u;
    node.v[at(k)] = v[at(k)];
  }
  invert<R>(N, inverse);
  node.inverse = inverse;
  node.own = own;

  Sym3 K = before.K;
  Pair3 b = before.b;
  if (node.lambda > 0.0) {
    const double left = node.fed ? 1.0 : 1.0 - node.lambda * node.ease;
    K = K + diagonal(node.lambda * left);
    if (node.fed) K = K - (node.lambda * node.lambda) * node.Phi;
    b.x += node.lambda * own.x;
    b.y += node.lambda * own.y;
    b.z += node.lambda * own.z;
  }
  for (int k = 0; k < R; ++k) {
    Vec3 m = inverse[at(k)][0] * v[0];
    Two pull = inverse[at(k)][0] * off[0];
    for (int l = 1; l < R; ++l) {
      m = m + inverse[at(k)][at(l)] * v[at(l)];
      pull += inverse[at(k)][at(l)] * off[at(l)];
    }
    node.pull[at(k)] = pull;
    const Vec3& w = v[at(k)];
    K = K + Sym3{w.x * m.x, w.x * m.y, w.x * m.z, w.y * m.y, w.y * m.z, w.z * m.z};
    b.x += w.x * pull;
    b.y += w.y * pull;
    b.z += w.z * pull;
  }
  before.K = K;
  before.b = b;
  before.fed = true;
}

// Outwards of a body whose velocity is known.
template <int R>
PANTO_INLINE SettledSolver::Pair3 SettledSolver::place(const Node& node, const Pair3& before) noexcept {
  Pair3 omega = node.own;
  if (node.lambda > 0.0) {
    const Pair3 more =
        yield(node, Pair3{node.lambda * before.x, node.lambda * before.y, node.lambda * before.z});
    omega.x += more.x;
    omega.y += more.y;
    omega.z += more.z;
  }
  std::array<Two, 3> along{};
  for (int k = 0; k < R; ++k) {
    const Vec3& v = node.v[at(k)];
    along[at(k)] = v.x * before.x + v.y * before.y + v.z * before.z;
  }
  for (int k = 0; k < R; ++k) {
    Two m = node.pull[at(k)];
    for (int l = 0; l < R; ++l) m -= node.inverse[at(k)][at(l)] * along[at(l)];
    const Vec3& u = node.u[at(k)];
    omega.x -= u.x * m;
    omega.y -= u.y * m;
    omega.z -= u.z * m;
    // of a joint that is missing nobody asks for it
    const std::size_t slot = node.slot + node.number[at(k)] * kLanes;
    beyond_[slot] = m[0] * node.reach[at(k)];
    curvature_[slot] = 1.0 / node.reach[at(k)];
  }
  return omega;
}

namespace {

// Both questions' numbers of a lane.
template <typename Pair>
PANTO_INLINE Pair read(const LaneArray<3>& first, const LaneArray<3>& second, std::size_t slot) noexcept {
  const double *a = first.data() + slot, *b = second.data() + slot;
  using Two = decltype(Pair::x);
  return Pair{Two{a[0], b[0]}, Two{a[kLanes], b[kLanes]}, Two{a[2 * kLanes], b[2 * kLanes]}};
}
template <typename Pair>
PANTO_INLINE void write(const Pair& w, LaneArray<3>& first, LaneArray<3>& second, std::size_t slot) noexcept {
  double *a = first.data() + slot, *b = second.data() + slot;
  a[0] = w.x[0], a[kLanes] = w.y[0], a[2 * kLanes] = w.z[0];
  b[0] = w.x[1], b[kLanes] = w.y[1], b[2 * kLanes] = w.z[1];
}

}  // namespace

PANTO_INLINE SettledSolver::Pair3 SettledSolver::asked(const Node& node, const LaneArray<3>& first,
                                                       const LaneArray<3>& second) const noexcept {
  const auto c = read<Pair3>(first, second, node.slot);
  return {node.weight * c.x + node.b.x, node.weight * c.y + node.b.y, node.weight * c.z + node.b.z};
}

// Matrices and right-hand sides, from the outermost conditions to the base. Bodies that absorb what is handed
// to them have their velocity at once.
PANTO_FOUR_WIDE void SettledSolver::inward(LaneArray<3>& first, LaneArray<3>& second) noexcept {
  const TreeProblem& tree = problem_->tree;
  const auto forget = [](Node& node) PANTO_INLINE_LAMBDA {
    node.K = {};
    node.b = Pair3{};
    node.fed = false;
  };
  Node& base = nodes_[tree.base];
  forget(base);
  for (Node* node : working_) forget(*node);
  working_.clear();
  for (std::size_t b = tree.base; b-- > 0;) {
    Node &node = nodes_[b], &before = nodes_[node.before];
    const bool apart = node.triple && (side_ == nullptr || stands_(0, b) == 0.0);
    if (apart && !node.fed) continue;
    working_.push_back(&node);
    node.rows = 0;
    if (!apart) find_conditions(node);
    node.weight = tree.weight(0, b);
    node.lambda = node.triple ? 0.0 : problem_->hinge_damping();
    const double own = node.weight + node.lambda;
    if (node.fed) {
      node.Phi = inverse_of(node.K + diagonal(own));
    } else {
      node.ease = 1.0 / own;
    }
    node.own = asked(node, first, second);
    if (node.rows == 0) write(times(node.Phi, node.own), first, second, node.slot);
    if (node.rows == 1) hand_on<1>(node, before);
    if (node.rows == 2) hand_on<2>(node, before);
    if (node.rows == 3) hand_on<3>(node, before);
  }
  if (!base.fed) return;
  base.weight = tree.weight(0, tree.base);
  base.Phi = inverse_of(base.K + diagonal(base.weight));
  write(times(base.Phi, asked(base, first, second)), first, second, base.slot);
}

PANTO_FOUR_WIDE void SettledSolver::outward(LaneArray<3>& first, LaneArray<3>& second) noexcept {
  for (std::size_t i = working_.size(); i-- > 0;) {
    const Node& node = *working_[i];
    const auto before = read<Pair3>(first, second, nodes_[node.before].slot);
    if (node.rows == 1) write(place<1>(node, before), first, second, node.slot);
    if (node.rows == 2) write(place<2>(node, before), first, second, node.slot);
    if (node.rows == 3) write(place<3>(node, before), first, second, node.slot);
  }
}

void SettledSolver::answer(TreeSolution& solution, TreeSolution* companion) noexcept {
  problem_->settle_bodies(*first_.omega, *first_.linear, solution);
  const bool both = companion != nullptr && second_.omega != nullptr;
  if (both)
    problem_->settle_bodies(*second_.omega, *second_.linear, *companion);
  else
    unasked_.fill(0.0);
  if (side_ == nullptr && !problem_->has_hinges()) return;
  if (!rows_known_) find_rows(problem_->kinematics(), hinge_, x_turns_, z_missing_, rows_);
  rows_known_ = true;
  if (side_ != nullptr) find_standing(*side_, stands_);
  LaneArray<3>& second = both ? companion->omega : unasked_;
  inward(solution.omega, second);
  outward(solution.omega, second);
}

void SettledSolver::unbound(TreeSolution& solution, TreeSolution* companion) noexcept {
  side_ = nullptr;
  answer(solution, companion);
  problem_->settle_rates(solution);
}

bool SettledSolver::minimise(const LaneArray<3>* side, const LaneArray<3>& held_rate, TreeSolution& solution,
                             TreeSolution* companion) noexcept {
  side_ = side;
  held_rate_ = &held_rate;
  answer(solution, companion);
  problem_->settle_rates(solution);
  return find_optima(side != nullptr ? *side : unheld_, held_rate, beyond_, solution.rate, solution.rho);
}

void SettledSolver::complete(TreeSolution& companion) noexcept {
  problem_->settle_rates(companion);
  if (side_ != nullptr) keep_rates(*side_, *held_rate_, companion.rate);
}

}  // namespace panto
