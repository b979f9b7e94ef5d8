#include "panto/tree_qp/settled.hpp"

#include <cmath>

namespace panto {
namespace {

constexpr double kRegular = 0.05;  // |det S| from which three axes reach every angular velocity

}  // namespace

PANTO_WIDE int invert_axes(const TreeProblem& problem, LaneArray<9>& inverse,
                           LaneArray<1>& regular) noexcept {
  double counts[kLanes] = {};
  for (std::size_t c = 0; c < inverse.chunk_count(); ++c) {
    const Chunk<9>& axes = problem.axes.chunk(c);
    const Chunk<3>& lambda = problem.lambda.chunk(c);
    const Chunk<1>& weight = problem.weight.chunk(c);
    Chunk<9>& out = inverse.chunk(c);
    Chunk<1>& flag = regular.chunk(c);
    double undamped[kLanes];
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double damping = lambda.v[0][l] + lambda.v[1][l] + lambda.v[2][l];
      const double free = damping == 0.0 ? 1.0 : 0.0;
      undamped[l] = weight.v[0][l] > 0.0 ? free : 0.0;
      flag.v[0][l] = 0.0;
    }
    if (sum_of(undamped) == 0.0) continue;  // the inverse is not used there
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 S = mat3(axes, l);
      const Vec3 yz = cross(S.y, S.z), zx = cross(S.z, S.x), xy = cross(S.x, S.y);
      const double det = dot(S.x, yz);
      const double good = std::abs(det) > kRegular ? 1.0 : 0.0;
      const double is_regular = good * undamped[l];
      flag.v[0][l] = is_regular;
      counts[l] += is_regular;
      const double scale = 1.0 / (good > 0.0 ? det : 1.0);
      store(Mat3{scale * yz, scale * zx, scale * xy}, out, l);
    }
  }
  return static_cast<int>(sum_of(counts));
}

PANTO_WIDE void take_targets(const LaneArray<3>& wanted, const LaneArray<1>& weights,
                             LaneArray<3>& omega) noexcept {
  for (std::size_t c = 0; c < omega.chunk_count(); ++c) {
    const Chunk<3>& rhs = wanted.chunk(c);
    const Chunk<1>& weight = weights.chunk(c);
    Chunk<3>& out = omega.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double w = weight.v[0][l];
      const double scale = 1.0 / (w > 0.0 ? w : 1.0);
      store(scale * vec3(rhs, l), out, l);
    }
  }
}

PANTO_WIDE double take_rates(const LaneArray<9>& inverse, const LaneArray<1>& settled,
                             const LaneArray<3>& before, TreeSolution& solution) noexcept {
  double sums[kLanes] = {};
  for (std::size_t c = 0; c < before.chunk_count(); ++c) {
    const Chunk<9>& rows = inverse.chunk(c);
    const Chunk<3>&omega = solution.omega.chunk(c), &omega_P = before.chunk(c);
    const Chunk<1>& mask = settled.chunk(c);
    Chunk<3>&rate = solution.rate.chunk(c), &optimum = solution.rho.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 w = vec3(omega, l), q = transposed_times(mat3(rows, l), w - vec3(omega_P, l));
      const bool own = mask.v[0][l] != 0.0;
      const Vec3 old = vec3(rate, l), other = vec3(optimum, l);
      const Vec3 taken{own ? q.x : old.x, own ? q.y : old.y, own ? q.z : old.z};
      store(taken, rate, l);
      store({own ? q.x : other.x, own ? q.y : other.y, own ? q.z : other.z}, optimum, l);
      sums[l] += (taken.x + taken.y + taken.z) + (w.x + w.y + w.z);
    }
  }
  return sum_of(sums);
}

}  // namespace panto
