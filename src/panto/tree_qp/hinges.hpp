#pragma once
// The kernel's formulas for waves of blocks with one hinge each and no point: H is a number and U a column;
// the results have the same bits (docs/algorithms/tree_solver.md, Waves).

#include <array>
#include <cstring>
#include <vector>

#include "panto/math/ldl3.hpp"
#include "panto/tree_qp/problem.hpp"
#include "panto/tree_qp/waves.hpp"

namespace panto {

/// Data of such waves. The functions are inlined into the kernel's loops over waves, to be compiled for each
/// of their vector widths.
class TreeHinges {
 public:
  explicit TreeHinges(const TreeWaves& waves)
      : hinges_(waves.list.size(), FourHinges{}), zeros_(waves.side().size()) {
    pulls_.fill(std::vector<FourHingePulls>(waves.list.size(), FourHingePulls{}));
  }

  /// Eliminates the hinges: from the bodies' own targets and the blocks further out to what the bodies before
  /// them see.
  PANTO_INLINE void eliminate(const TreeProblem& problem, TreeWaves& waves, std::size_t w,
                              const FourValues& value, LaneArray<3>& curvature) noexcept;
  /// The same for right-hand sides.
  PANTO_INLINE void pull(const TreeProblem& problem, const Load& given, TreeWaves& waves, std::size_t w,
                         int question, const FourPulls& pulls) noexcept;
  /// Computes velocities outwards from bodies with known velocities.
  PANTO_INLINE void place(const Load& given, const Wave& wave, std::size_t w, int question) const noexcept;

 private:
  struct FourHinges {
    Pack<3> axis, joint;       // 1 in the hinge's slot
    Pack<3> u;                 // K a
    Pack<1> h, inverse, free;  // a'K a + lambda; its inverse, 0 where the hinge is held; 1 or 0
  };
  struct FourHingePulls {
    Pack<1> s, z;  // a'b + ..., and h^-1 times its remainder
  };

  // the nonzero entry of a vector that is zero except in the hinge's slot
  PANTO_INLINE static double slot_of(const Vec3& a) noexcept { return a.x + a.y + a.z; }

  std::vector<FourHinges> hinges_;
  std::array<std::vector<FourHingePulls>, kQuestions> pulls_;
  LaneArray<3> zeros_;
};

PANTO_INLINE void TreeHinges::eliminate(const TreeProblem& problem, TreeWaves& waves, std::size_t w,
                                        const FourValues& value, LaneArray<3>& curvature) noexcept {
  const Wave& wave = waves.list[w];
  FourHinges& e = hinges_[w];
  FourValues& handed = waves.handed[w];
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const Chunk<3>&lambda = problem.lambda.chunk(wave.chunk), &joint = problem.joint.chunk(wave.chunk);
  const Chunk<3>& side = waves.side().chunk(wave.chunk);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const Mat3 S = mat3(axes, lane);
    const Vec3 a = S.x + S.y + S.z, slot = vec3(joint, lane), held = vec3(side, lane);
    const Sym3 K = sym3(value.K, l);
    const Vec3 u = K * a;
    const double h = dot(a, u) + dot(slot, vec3(lambda, lane));
    const double free = dot(held, held) == 0.0 ? 1.0 : 0.0, pivot = free * h;
    // next to the 1 in slots without a joint, as in the factor of three
    const double inverse = inverse_pivot(pivot, pivot > 1.0 ? pivot : 1.0);
    const Vec3 y = inverse * u;
    store(a, e.axis, l);
    store(slot, e.joint, l);
    store(u, e.u, l);
    e.h.v[0][l] = h;
    e.inverse.v[0][l] = inverse;
    e.free.v[0][l] = free;
    store(K - Sym3{u.x * y.x, u.y * y.x, u.z * y.x, u.y * y.y, u.z * y.y, u.z * y.z}, handed.K, l);
  }
  Pack<3> bend;
  for (auto& slot : bend.v) std::memcpy(slot, e.h.v[0], sizeof slot);
  put(bend, wave.member, curvature.chunk(wave.chunk), wave.offset);
}

PANTO_INLINE void TreeHinges::pull(const TreeProblem& problem, const Load& given, TreeWaves& waves,
                                   std::size_t w, int question, const FourPulls& pulls) noexcept {
  const Wave& wave = waves.list[w];
  const FourHinges& e = hinges_[w];
  FourHingePulls& own = pulls_[static_cast<std::size_t>(question)][w];
  FourPulls& handed = waves.pulled[static_cast<std::size_t>(question)][w];
  const JointPulls joints = joint_pulls(problem, given, zeros_, wave.chunk, question);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const Vec3 b = vec3(pulls.b, l), u = vec3(e.u, l);
    const double free = e.free.v[0][l];
    const double damped =
        dot(times(vec3(e.joint, l), vec3(joints.lambda, lane)), vec3(joints.reference, lane));
    const double s = dot(vec3(e.axis, l), b) + damped + slot_of(vec3(joints.force, lane));
    const double q = (1.0 - free) * slot_of(vec3(joints.rate, lane));
    const double z = e.inverse.v[0][l] * (free * (s - e.h.v[0][l] * q));
    own.s.v[0][l] = s;
    own.z.v[0][l] = z;
    store(b - q * u - z * u, handed.b, l);
  }
}

PANTO_INLINE void TreeHinges::place(const Load& given, const Wave& wave, std::size_t w,
                                    int question) const noexcept {
  const FourHinges& e = hinges_[w];
  const FourHingePulls& own = pulls_[static_cast<std::size_t>(question)][w];
  TreeSolution& solution = given.answer(question);
  const Chunk<3>& held_rate = (given.held_rate != nullptr ? *given.held_rate : zeros_).chunk(wave.chunk);
  Pack<3> before, rate, omega, rho;
  take_parents(solution.omega, wave, before);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Vec3 omega_P = vec3(before, l), joint = vec3(e.joint, l);
    const double free = e.free.v[0][l], h = e.h.v[0][l], pull = dot(vec3(e.u, l), omega_P);
    const double q = free * (own.z.v[0][l] - e.inverse.v[0][l] * pull) +
                     (1.0 - free) * slot_of(vec3(held_rate, wave.offset + l));
    store(q * joint, rate, l);
    store(omega_P + q * vec3(e.axis, l), omega, l);
    store(optimum(q, h * q - own.s.v[0][l] + pull, h, free) * joint, rho, l);
  }
  put(rate, wave.member, solution.rate.chunk(wave.chunk), wave.offset);
  put(omega, wave.member, solution.omega.chunk(wave.chunk), wave.offset);
  put(rho, wave.member, solution.rho.chunk(wave.chunk), wave.offset);
}

}  // namespace panto
