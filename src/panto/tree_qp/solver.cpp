// size: one kernel: its templates are instantiated here alone, and inlined whole
#include "panto/tree_qp/solver.hpp"

#include <cmath>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/tree_qp/settled.hpp"

namespace panto {
namespace {

constexpr Vec3 kOnes{1.0, 1.0, 1.0};

}  // namespace

TreeSolver::TreeSolver(const TreeProblem& problem)
    : base_(problem.base),
      parent_(problem.parent),
      waves_(problem),
      eliminated_(waves_.list.size(), Eliminated{}),
      hinges_(waves_) {
  const std::size_t lanes = problem.parent.size();
  own_K_ = own_M_ = LaneArray<6>(lanes);
  own_C_ = inverse_ = LaneArray<9>(lanes);
  zeros_ = force_ = omega_before_ = curvature_ = arm_ = LaneArray<3>(lanes);
  b_.fill(zeros_);
  f_ = b_;
  turns_ = LaneArray<1>(lanes, 1.0);
  regular_ = LaneArray<1>(lanes);
  for (std::size_t b = 0; b < base_; ++b) turns_(0, b) = problem.slider[b] != 0 ? 0.0 : 1.0;
  loaded_.fill(std::vector<Loaded>(waves_.list.size(), Loaded{}));
}

namespace {

PANTO_WIDE void spread_weights(const LaneArray<1>& weight, LaneArray<6>& K) noexcept {
  for (std::size_t c = 0; c < K.chunk_count(); ++c) {
    const Chunk<1>& w = weight.chunk(c);
    Chunk<6>& out = K.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) store(diagonal(w.v[0][l]), out, l);
  }
}

// A block's point relative to that of the block before; stored in `arm`.
PANTO_WIDE void find_arms(const LaneArray<3>& centre, LaneArray<3>& arm) noexcept {
  const double* p = centre.data();
  double* r = arm.data();
  const std::size_t n = arm.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) r[i] = p[i] - r[i];
}

}  // namespace

// Sets every body's own targets: K = w I, and for a point at r from the block's point [M C; C' K] += w A'A
// with A = [I, -hat(r)].
void TreeSolver::set_own(const TreeProblem& problem) noexcept {
  if (own_set_) return;
  own_set_ = true;
  spread_weights(problem.weight, own_K_);
  if (!waves_.six(base_)) return;
  take_lanes(parent_, problem.centre, arm_);
  find_arms(problem.centre, arm_);
  own_C_.fill(0.0);
  own_M_.fill(0.0);
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0)) continue;
    const std::size_t i = at(row.block);
    const Vec3 r = to_vec3(row.point) - vec3(problem.centre, i);
    const Mat3 weighted = cross(r, full(diagonal(row.weight)));
    store(sym3(own_M_, i) + diagonal(row.weight), own_M_, i);
    store(mat3(own_C_, i) - weighted, own_C_, i);
    store(sym3(own_K_, i) - upper(cross(r, weighted)), own_K_, i);
  }
}

void TreeSolver::prepare(const TreeProblem& problem) noexcept {
  own_set_ = false;
  base_weight_ = 0.0;
  for (const PointRow& row : problem.points) {
    if (row.weight > 0.0 && sits_on_base_origin(row, base_)) base_weight_ += row.weight;
  }
  waves_.restart(problem);
  all_regular_ = invert_axes(problem, inverse_, regular_) == static_cast<int>(base_);
}

// Collects what the bodies' own targets and the blocks further out contribute to the cost of their
// velocities.
PANTO_INLINE void TreeSolver::gather(const Wave& wave, FourValues& value) const noexcept {
  take(own_K_.chunk(wave.chunk), wave.offset, value.K);
  if (wave.six) {
    take(own_C_.chunk(wave.chunk), wave.offset, value.C);
    take(own_M_.chunk(wave.chunk), wave.offset, value.M);
  }
  for (const HandedOn& further : wave.further) {
    add(further.K, value.K);
    if (!wave.six) continue;
    add(further.C, value.C);
    add(further.M, value.M);
  }
}

PANTO_INLINE void TreeSolver::gather(const Wave& wave, int question, FourPulls& pull) const noexcept {
  take(b_[at(question)].chunk(wave.chunk), wave.offset, pull.b);
  if (wave.six || wave.slides) take(f_[at(question)].chunk(wave.chunk), wave.offset, pull.f);
  for (const HandedOn& further : wave.further) {
    add(further.b[at(question)], pull.b);
    if (wave.six) add(further.f[at(question)], pull.f);
  }
}

// Minimises over the blocks' own joints: with u = [W; U] = [C; K] S and H = S'U + lambda, free joints leave
// K - U_f H_ff^-1 U_f', held ones leave K unchanged. In coordinates of the block's point; the block before
// sees v = v_P - hat(r) omega_P.
// size: a hot loop of the kernel, inlined whole
template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::eliminate(const TreeProblem& problem, std::size_t w) noexcept {
  const Wave& wave = waves_.list[w];
  Eliminated& e = eliminated_[w];
  FourValues value, &handed = waves_.handed[w];
  gather(wave, value);
  if constexpr (kSix) take(arm_.chunk(wave.chunk), wave.offset, e.arm);
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const Chunk<3>&lambda = problem.lambda.chunk(wave.chunk), &side = waves_.side().chunk(wave.chunk);
  const Chunk<1>&turns = turns_.chunk(wave.chunk), &absorbs = waves_.absorbs().chunk(wave.chunk);
  Pack<3> curvature;
#pragma GCC ivdep
#pragma GCC unroll 1  // four times unrolled it would not become one loop of vectors
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const Mat3 axis = mat3(axes, lane);
    const double turn = kSlides ? turns.v[0][lane] : 1.0;
    const Mat3 S = kSlides ? scale_columns({turn, turn, turn}, axis) : axis;
    const Sym3 K = sym3(value.K, l), M = kSix ? sym3(value.M, l) : Sym3{};
    const Mat3 C = kSix ? mat3(value.C, l) : Mat3{};
    Mat3 U = K * S, W{};
    if constexpr (kSix) W = C * S;
    Sym3 H = upper(transposed_times(S, U));
    if constexpr (kSix && kSlides) {  // a slider moves the point but does not rotate
      const double slide = 1.0 - turn;
      const Mat3 T = scale_columns({slide, slide, slide}, axis);
      U = U + transposed_times(C, T);
      W = W + M * T;
      H = upper(transposed_times(S, U) + transposed_times(T, W));
    }
    const Vec3 damping = vec3(lambda, lane), held = vec3(side, lane);
    H = {H.xx + damping.x, H.xy, H.xz, H.yy + damping.y, H.yz, H.zz + damping.z};
    store(Vec3{H.xx, H.yy, H.zz}, curvature, l);

    const Vec3 f{held.x != 0.0 ? 0.0 : 1.0, held.y != 0.0 ? 0.0 : 1.0, held.z != 0.0 ? 0.0 : 1.0};
    const Ldl3 L =
        ldl3(Sym3{f.x * H.xx, f.x * f.y * H.xy, f.x * f.z * H.xz, f.y * H.yy, f.y * f.z * H.yz, f.z * H.zz});
    const Mat3 Y = times_backward(scale_columns(f, U), L), YD = scale_columns(L.inverse, Y);
    Sym3 K_handed = K - upper(times_transposed(YD, Y));
    store(U, e.U, l);
    store(Y, e.Y, l);
    store(H, e.H, l);
    store(f, e.free, l);
    store(L, e.factor, l);
    if constexpr (kSix) {
      const Mat3 V = times_backward(scale_columns(f, W), L);
      // beyond a block that absorbs, omega contributes exactly nothing, without rounding
      const double left = 1.0 - absorbs.v[0][lane];
      K_handed = left * K_handed;
      const Mat3 C_handed = scale_columns({left, left, left}, C - times_transposed(V, YD));
      const Sym3 M_handed = M - upper(times_transposed(scale_columns(L.inverse, V), V));
      store(W, e.W, l);
      store(V, e.V, l);
      const Vec3 r = vec3(e.arm, l);
      const Mat3 rM = cross(r, full(M_handed)), rC = cross(r, C_handed);
      K_handed = K_handed + upper(rC + transposed(rC) + cross(r, transposed(rM)));
      store(C_handed + transposed(rM), handed.C, l);
      store(M_handed, handed.M, l);
    }
    store(K_handed, handed.K, l);
  }
  put(curvature, wave.member, curvature_.chunk(wave.chunk), wave.offset);
}

void TreeSolver::eliminate_base(const TreeProblem& problem) noexcept {
  Sym3 K = diagonal(problem.weight(0, base_)), M{};
  Mat3 C{};
  const bool six = waves_.six(base_);
  if (recursion_) {
    K = sym3(own_K_, base_);
    if (six) M = sym3(own_M_, base_), C = mat3(own_C_, base_);
    const std::size_t l = waves_.place[base_];
    for (const HandedOn& further : waves_.base().further) {
      K = K + sym3_at(further.K[l], kPack);
      if (six) M = M + sym3_at(further.M[l], kPack), C = C + mat3_at(further.C[l], kPack);
    }
  }
  base_K_ = ldl3(K + diagonal(problem.base_angular_lambda));
  if (!six) return;
  base_V_ = times_backward(C, base_K_);
  const Sym3 left = upper(times_transposed(scale_columns(base_K_.inverse, base_V_), base_V_));
  base_M_ = ldl3(M + diagonal(problem.base_linear_lambda) - left);
}

void TreeSolver::load(const Load& given) noexcept {
  for (int question = 0; question < given.count(); ++question) {
    LaneArray<3>&b = b_[at(question)], &f = f_[at(question)];
    const LaneArray<3>& rhs = question == 0 ? given.targets->rhs : given.targets->companion;
    if (recursion_) {
      b = rhs;
      f.fill(0.0);
    } else {  // only the base's is needed
      store(vec3(rhs, base_), b, base_);
      store(Vec3{}, f, base_);
    }
    for (const PointRow& row : given.targets->points) {
      if (!(row.weight > 0.0)) continue;
      const std::size_t i = at(row.block);
      const Vec3 pull = row.weight * to_vec3(question == 0 ? row.velocity : row.companion);
      store(vec3(f, i) + pull, f, i);
      if (!waves_.six(i)) continue;
      const Vec3 r = to_vec3(row.point) - vec3(given.targets->centre, i);
      store(vec3(b, i) + cross(r, pull), b, i);
    }
  }
}

// A force on the joints of a block that absorbs acts on both its bodies, since q' = S^-1 (omega - omega_P).
void TreeSolver::load_forces(const LaneArray<3>& force) noexcept {
  const LaneArray<1>& absorbs = recursion_ ? waves_.absorbs() : regular_;
  force_ = force;
  b_[0].fill(0.0);
  f_[0].fill(0.0);
  for (std::size_t b = 0; b < base_; ++b) {
    if (absorbs(0, b) == 0.0) continue;
    const std::size_t before = parent_[b];
    const Vec3 own = mat3(inverse_, b) * vec3(force, b);
    store(vec3(b_[0], b) + own, b_[0], b);
    store(vec3(b_[0], before) - own, b_[0], before);
    store(Vec3{}, force_, b);
  }
}

// Subtracts the held joints from the right-hand sides.
template <bool kSix>
PANTO_INLINE void TreeSolver::hold(const Wave& wave, const Chunk<3>& rate, const Eliminated& e, Pack<3>& s,
                                   FourPulls& pull) const noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Vec3 q = times(kOnes - vec3(e.free, l), vec3(rate, wave.offset + l));
    store(vec3(s, l) - sym3(e.H, l) * q, s, l);
    store(vec3(pull.b, l) - mat3(e.U, l) * q, pull.b, l);
    if constexpr (kSix) store(vec3(pull.f, l) - mat3(e.W, l) * q, pull.f, l);
  }
}

template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::pull(const TreeProblem& problem, const Load& given, std::size_t w,
                                   int question) noexcept {
  const Wave& wave = waves_.list[w];
  const Eliminated& e = eliminated_[w];
  Loaded& loaded = loaded_[at(question)][w];
  FourPulls& handed = waves_.pulled[at(question)][w];
  FourPulls pull;
  gather(wave, question, pull);
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const JointPulls joints = joint_pulls(problem, given, zeros_, wave.chunk, question);
  const Chunk<1>&turns = turns_.chunk(wave.chunk), &absorbs = waves_.absorbs().chunk(wave.chunk);
  Pack<3> s;
#pragma GCC ivdep
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const double turn = turns.v[0][lane];
    const Vec3 b = vec3(pull.b, l);
    const Vec3 own = kSlides ? turn * b + (1.0 - turn) * vec3(pull.f, l) : b;
    const Vec3 sum = transposed_times(mat3(axes, lane), own) +
                     times(vec3(joints.lambda, lane), vec3(joints.reference, lane)) +
                     vec3(joints.force, lane);
    store(sum, loaded.s, l);
    store(sum, s, l);
  }
  if (wave.held && given.held_rate != nullptr) hold<kSix>(wave, joints.rate, e, s, pull);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Ldl3 L = ldl3(e.factor, l);
    const Vec3 z = times(L.inverse, forward(L, times(vec3(e.free, l), vec3(s, l))));
    store(z, loaded.z, l);
    Vec3 b = vec3(pull.b, l) - mat3(e.Y, l) * z;
    if constexpr (kSix) {
      const Vec3 f = vec3(pull.f, l) - mat3(e.V, l) * z;
      store(f, handed.f, l);
      b = (1.0 - absorbs.v[0][wave.offset + l]) * b + cross(vec3(e.arm, l), f);
    }
    store(b, handed.b, l);
  }
}

// Blocks that all absorb: their bodies take their own optimum. Nothing is left of omega, and of v the cost of
// a point mass at the block's point.
template <bool kSix>
PANTO_INLINE void TreeSolver::absorb(std::size_t w) noexcept {
  const Wave& wave = waves_.list[w];
  Eliminated& e = eliminated_[w];
  FourValues value, &handed = waves_.handed[w];
  gather(wave, value);
  if constexpr (kSix) take(arm_.chunk(wave.chunk), wave.offset, e.arm);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Ldl3 L = ldl3(sym3(value.K, l));
    store(L, e.factor, l);
    if constexpr (kSix) {
      const Mat3 V = times_backward(mat3(value.C, l), L);
      const Sym3 M = sym3(value.M, l) - upper(times_transposed(scale_columns(L.inverse, V), V));
      const Mat3 rM = cross(vec3(e.arm, l), full(M));
      store(V, e.V, l);
      store(upper(cross(vec3(e.arm, l), transposed(rM))), handed.K, l);
      store(transposed(rM), handed.C, l);
      store(M, handed.M, l);
    }
  }
}

template <bool kSix>
PANTO_INLINE void TreeSolver::pull_absorbing(std::size_t w, int question) noexcept {
  const Wave& wave = waves_.list[w];
  const Eliminated& e = eliminated_[w];
  Loaded& loaded = loaded_[at(question)][w];
  FourPulls pull, &handed = waves_.pulled[at(question)][w];
  gather(wave, question, pull);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Ldl3 L = ldl3(e.factor, l);
    const Vec3 z = times(L.inverse, forward(L, vec3(pull.b, l)));
    store(z, loaded.z, l);
    if constexpr (kSix) {
      const Vec3 f = vec3(pull.f, l) - mat3(e.V, l) * z;
      store(f, handed.f, l);
      store(cross(vec3(e.arm, l), f), handed.b, l);
    }
  }
}

template <bool kSix>
PANTO_INLINE void TreeSolver::place_absorbing(const Load& given, std::size_t w, int question) const noexcept {
  const Wave& wave = waves_.list[w];
  const Eliminated& e = eliminated_[w];
  const Loaded& loaded = loaded_[at(question)][w];
  TreeSolution& solution = given.answer(question);
  Pack<3> omega_P, v, omega;
  if constexpr (kSix) {
    take_parents(solution.omega, wave, omega_P);
    take_parents(solution.v, wave, v);
  }
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Ldl3 L = ldl3(e.factor, l);
    Vec3 t = vec3(loaded.z, l);
    if constexpr (kSix) {
      const Vec3 point = vec3(v, l) + cross(vec3(omega_P, l), vec3(e.arm, l));
      store(point, v, l);
      t = t - times(L.inverse, transposed_times(mat3(e.V, l), point));
    }
    store(backward(L, t), omega, l);
  }
  put(omega, wave.member, solution.omega.chunk(wave.chunk), wave.offset);
  if constexpr (kSix) put(v, wave.member, solution.v.chunk(wave.chunk), wave.offset);
}

template <bool kSix>
PANTO_INLINE void TreeSolver::absorbing_wave_inward(const Load& given, std::size_t w) noexcept {
  if (std::exchange(waves_.list[w].dirty, false)) absorb<kSix>(w);
  for (int question = 0; question < given.count(); ++question) pull_absorbing<kSix>(w, question);
}

// Eliminates where something changed, and computes the right-hand sides: independent dependency chains.
template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::wave_inward(const TreeProblem& problem, const Load& given,
                                          std::size_t w) noexcept {
  if (std::exchange(waves_.list[w].dirty, false)) eliminate<kSix, kSlides>(problem, w);
  pull<kSix, kSlides>(problem, given, w, 0);
  if (given.companion != nullptr) pull<kSix, kSlides>(problem, given, w, 1);
}

// The same for waves of single hinges without a point.
PANTO_INLINE void TreeSolver::hinge_wave_inward(const TreeProblem& problem, const Load& given,
                                                std::size_t w) noexcept {
  Wave& wave = waves_.list[w];
  if (std::exchange(wave.dirty, false)) {
    FourValues value;
    gather(wave, value);
    hinges_.eliminate(problem, waves_, w, value, curvature_);
  }
  for (int question = 0; question < given.count(); ++question) {
    FourPulls pull;
    gather(wave, question, pull);
    hinges_.pull(problem, given, waves_, w, question, pull);
  }
}

// From the leaves to the base.
PANTO_FOUR_WIDE void TreeSolver::inward(const TreeProblem& problem, const Load& given) noexcept {
  for (std::size_t w = waves_.list.size() - 1; w-- > 0;) {
    const Wave& wave = waves_.list[w];
    if (!wave.runs) {
      continue;
    } else if (wave.absorbs) {
      wave.six ? absorbing_wave_inward<true>(given, w) : absorbing_wave_inward<false>(given, w);
    } else if (wave.hinges_alone()) {
      hinge_wave_inward(problem, given, w);
    } else if (wave.slides) {
      wave.six ? wave_inward<true, true>(problem, given, w) : wave_inward<false, true>(problem, given, w);
    } else {
      wave.six ? wave_inward<true, false>(problem, given, w) : wave_inward<false, false>(problem, given, w);
    }
  }
}

void TreeSolver::place_base(const TreeProblem& problem, const Load& given, int question) noexcept {
  Vec3 v{}, omega{}, b = vec3(b_[at(question)], base_), f = vec3(f_[at(question)], base_);
  const std::size_t l = waves_.place[base_];
  if (recursion_) {
    for (const HandedOn& further : waves_.base().further) {
      b = b + vec3_at(further.b[at(question)][l], kPack);
      f = f + vec3_at(further.f[at(question)][l], kPack);
    }
  }
  const Vec3 t = forward(base_K_, b);
  if (problem.floating_base && waves_.six(base_)) {
    const Vec3 left = f - base_V_ * times(base_K_.inverse, t);
    v = backward(base_M_, times(base_M_.inverse, forward(base_M_, left)));
    omega = backward(base_K_, times(base_K_.inverse, t - transposed_times(base_V_, v)));
  } else if (problem.floating_base) {  // points on the base origin only: the linear velocity is independent
    const double weight = base_weight_ + problem.base_linear_lambda;
    v = (weight > 0.0 ? 1.0 / weight : 0.0) * f;
    omega = backward(base_K_, times(base_K_.inverse, t));
  }
  TreeSolution& solution = given.answer(question);
  store(v, solution.v, base_);
  store(omega, solution.omega, base_);
}

// Computes waves outwards from bodies with known velocities.
template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::place(const TreeProblem& problem, const Load& given, std::size_t w,
                                    int question) const noexcept {
  const Wave& wave = waves_.list[w];
  const Eliminated& e = eliminated_[w];
  const Loaded& loaded = loaded_[at(question)][w];
  TreeSolution& solution = given.answer(question);
  Pack<3> omega_P, v_P, v_point;
  take_parents(solution.omega, wave, omega_P);
  if constexpr (kSix) take_parents(solution.v, wave, v_P);
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const Chunk<1>& turns = turns_.chunk(wave.chunk);
  const Chunk<3>& held = (given.held_rate != nullptr ? *given.held_rate : zeros_).chunk(wave.chunk);
  Pack<3> rate, rho, omega, v;
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const Vec3 before = vec3(omega_P, l), free = vec3(e.free, l);
    Vec3 y = transposed_times(mat3(e.Y, l), before), point{};
    if constexpr (kSix) {
      point = vec3(v_P, l) + cross(before, vec3(e.arm, l));
      store(point, v_point, l);
      y = y + transposed_times(mat3(e.V, l), point);
    }
    const Ldl3 L = ldl3(e.factor, l);
    const Vec3 q = times(free, backward(L, vec3(loaded.z, l) - times(L.inverse, y))) +
                   times(kOnes - free, vec3(held, lane));
    const Vec3 change = mat3(axes, lane) * q;
    const double turn = kSlides ? turns.v[0][lane] : 1.0;
    store(q, rate, l);
    store(before + turn * change, omega, l);
    if constexpr (kSix) store(point + (1.0 - turn) * change, v, l);
  }
  put(rate, wave.member, solution.rate.chunk(wave.chunk), wave.offset);
  put(omega, wave.member, solution.omega.chunk(wave.chunk), wave.offset);
  if constexpr (kSix) put(v, wave.member, solution.v.chunk(wave.chunk), wave.offset);
  if (!wave.held) {
    put(rate, wave.member, solution.rho.chunk(wave.chunk), wave.offset);
    return;
  }
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Vec3 q = vec3(rate, l), free = vec3(e.free, l);
    const Sym3 H = sym3(e.H, l);
    Vec3 gradient = H * q - vec3(loaded.s, l) + transposed_times(mat3(e.U, l), vec3(omega_P, l));
    if constexpr (kSix) gradient = gradient + transposed_times(mat3(e.W, l), vec3(v_point, l));
    store(Vec3{optimum(q.x, gradient.x, H.xx, free.x), optimum(q.y, gradient.y, H.yy, free.y),
               optimum(q.z, gradient.z, H.zz, free.z)},
          rho, l);
  }
  put(rho, wave.member, solution.rho.chunk(wave.chunk), wave.offset);
}

// From the base to the leaves.
PANTO_FOUR_WIDE void TreeSolver::outward(const TreeProblem& problem, const Load& given) noexcept {
  for (std::size_t w = 0; w + 1 < waves_.list.size(); ++w) {
    const Wave& wave = waves_.list[w];
    if (!wave.runs) continue;
    const auto place_wave = [&](int question) PANTO_INLINE_LAMBDA {
      if (wave.absorbs) {
        wave.six ? place_absorbing<true>(given, w, question) : place_absorbing<false>(given, w, question);
      } else if (wave.hinges_alone()) {
        hinges_.place(given, wave, w, question);
      } else if (wave.slides) {
        wave.six ? place<true, true>(problem, given, w, question)
                 : place<false, true>(problem, given, w, question);
      } else {
        wave.six ? place<true, false>(problem, given, w, question)
                 : place<false, false>(problem, given, w, question);
      }
    };
    place_wave(0);  // with a constant index: compiled separately
    if (given.companion != nullptr) place_wave(1);
  }
}

// Computes rates of settled blocks; returns a number that is finite if all velocities are.
double TreeSolver::settle(TreeSolution& solution) noexcept {
  take_lanes(parent_, solution.omega, omega_before_);
  const Vec3 v = vec3(solution.v, base_);
  return take_rates(inverse_, recursion_ ? waves_.settled() : regular_, omega_before_, solution) +
         (v.x + v.y + v.z);
}

bool TreeSolver::sweep(const TreeProblem& problem, const Load& given) noexcept {
  // for bodies that their own targets determine, or with forces only
  take_targets(given.targets != nullptr ? problem.rhs : b_[0], problem.weight, given.solution->omega);
  if (given.companion != nullptr) take_targets(problem.companion, problem.weight, given.companion->omega);
  // bodies without points outwards have no v; the unused values are multiplied by zero and must be finite
  if (recursion_ && waves_.six(base_)) {
    given.solution->v.fill(0.0);
    if (given.companion != nullptr) given.companion->v.fill(0.0);
  }
  if (recursion_) inward(problem, given);
  if (given.targets != nullptr) eliminate_base(problem);
  for (int question = 0; question < given.count(); ++question) place_base(problem, given, question);
  if (recursion_) outward(problem, given);
  return std::isfinite(settle(*given.solution));
}

bool TreeSolver::minimise(const TreeProblem& problem, const LaneArray<3>* side, const LaneArray<3>& held_rate,
                          TreeSolution& solution, TreeSolution* companion) noexcept {
  // else every body's own target determines it
  recursion_ = side != nullptr || !all_regular_ || waves_.six(base_);
  if (recursion_) {
    waves_.read(side, regular_);
    set_own(problem);
  }
  const Load given{&problem, &held_rate, nullptr, &solution, companion};
  load(given);
  return sweep(problem, given);
}

void TreeSolver::complete(TreeSolution& companion) noexcept { (void)settle(companion); }

void TreeSolver::respond(const TreeProblem& problem, const LaneArray<3>& force,
                         TreeSolution& change) noexcept {
  load_forces(force);
  (void)sweep(problem, {nullptr, nullptr, &force_, &change, nullptr});
}

void TreeSolver::respond(const TreeProblem& problem, const LaneArray<3>& force, const Vec3& base_force,
                         const Vec3& base_moment, TreeSolution& change) noexcept {
  load_forces(force);
  store(vec3(f_[0], base_) + base_force, f_[0], base_);
  store(vec3(b_[0], base_) + base_moment, b_[0], base_);
  (void)sweep(problem, {nullptr, nullptr, &force_, &change, nullptr});
}

}  // namespace panto
