#pragma once
// The module laws that run in every step, inlined into the loop over a model's modules.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "panto/ik/module_laws.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace module_laws {

inline constexpr double kHalfTurn = std::numbers::pi;
inline constexpr double kQuarterTurn = 0.5 * kHalfTurn;
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// d/dt of the angle atan2(b, a)
PANTO_INLINE double angle_rate(double a, double b, double a_rate, double b_rate, double norm2) noexcept {
  return (a * b_rate - b * a_rate) / norm2;
}

PANTO_INLINE double regularised(double numerator, double s, const Regularisation& regularisation) noexcept {
  const double under = s + regulariser(s, regularisation);
  return under > kNoReading ? numerator / under : 0.0;
}

template <std::size_t N>
PANTO_INLINE double fit(std::array<Angle, N>& q, const ModuleLimits& limits,
                        const std::array<Angle, N>& near) noexcept {
  double beyond = 0.0;
  for (std::size_t k = 0; k < N; ++k) {
    if (q[k].value >= limits.lower[k] && q[k].value <= limits.upper[k]) continue;
    beyond += turn_inside(q[k].value, limits.lower[k], limits.upper[k], near[k].value);
  }
  return beyond;
}
template <std::size_t N>
PANTO_INLINE double fit(std::array<BareTurn, N>& /*q*/, const ModuleRoom& /*room*/,
                        const std::array<BareTurn, N>& /*near*/) noexcept {
  return 0.0;
}

// Computes the module with angle `index` as read: on the branch nearer to q, or on the other one, half a turn
// away, if only that is inside the limits.
template <typename A, std::size_t N, typename Branch>
PANTO_INLINE std::array<A, N> branch_inside(std::size_t index, const std::array<A, N>& q, const SinCos& read,
                                            const LimitsOf<A>& limits, const Branch& branch) noexcept {
  const double side = std::copysign(1.0, between(q[index].turn, read).cos);
  const SinCos nearer{side * read.sin, side * read.cos};
  std::array<A, N> first = branch(nearer);
  if (!(fit(first, limits, q) > kOutside)) return first;
  std::array<A, N> second = branch(opposite(nearer));
  if (!(fit(second, limits, q) > 0.0)) return second;
  first = branch(nearer);  // by the rotation so far, which would be a jump
  for (std::size_t k = 0; k < N; ++k) unwind(first[k], limits, k);
  return first;
}

// If the first angle follows a branch only in part, it must be the branch that the limits allow; for known
// angles this is checked. Bare rotations that may be outside become NaN, so that they are not taken for a
// result.
template <std::size_t N>
PANTO_INLINE void judge(std::array<Angle, N>& /*read*/, const ModuleLimits& /*limits*/,
                        const std::array<Angle, N>& /*q*/) noexcept {}
template <std::size_t N>
PANTO_INLINE void judge(std::array<BareTurn, N>& read, const ModuleRoom& room,
                        const std::array<BareTurn, N>& q) noexcept {
  bool inside = true;
  for (std::size_t k = 0; k < N; ++k) {
    const SinCos way = between(q[k].turn, read[k].turn);
    inside = inside & (way.cos > 0.0) & (std::abs(way.sin) <= room.sine[k]);
  }
  if (inside) return;
  for (BareTurn& angle : read) angle.turn = {kNoNumber, kNoNumber};
}

// Moves from q to `read` by its weight: as an axis, but evenly to the other branch or over a full turn.
template <typename A>
PANTO_INLINE A part_of_way(const A& q, const A& read, double share) noexcept {
  if (!(share < 1.0)) return read;
  const double far = way(q, read);
  if (std::abs(far) > 0.5 * kHalfTurn) return moved(q, share * far);
  return nearest(q, further(q.turn, towards_axis(between(q.turn, read.turn), share)));
}

// q1, q2 and q3 near `near` that meet R as well as possible for this q3.
template <typename A>
PANTO_INLINE SphericalOf<A> spherical_for(const Eigen::Matrix3d& R, const SinCos& q3,
                                          const SphericalOf<A>& near) noexcept {
  const double alpha_1 = R(2, 1) * q3.sin + R(2, 2) * q3.cos, alpha_2 = R(0, 2) * q3.sin - R(0, 1) * q3.cos,
               alpha_3 = R(1, 1) * q3.cos - R(1, 2) * q3.sin;
  return {nearest(near[0], turn_of(alpha_2, alpha_3, near[0].turn)),
          nearest(near[1], turn_of(-R(2, 0), alpha_1, near[1].turn)), nearest(near[2], q3)};
}

// Pan and tilt from u alone.
template <typename A>
PANTO_INLINE PanTiltOf<A> read_direction(const Eigen::Vector3d& u, const PanTiltOf<A>& q,
                                         const Eigen::Vector3d& d, const LimitsOf<A>& limits) noexcept {
  return branch_inside(0, q, turn_of(u.y(), u.x(), q[0].turn), limits, [&](const SinCos& pan) {
    return PanTiltOf<A>{nearest(q[0], pan), tilt_near(u, pan, d, q[1])};
  });
}

}  // namespace module_laws

PANTO_INLINE SinCos towards_axis(const SinCos& way, double share) noexcept {
  if (!(share < 1.0)) return way.cos < 0.0 ? opposite(way) : way;
  // half the angle of (x, y), without the cosine's loss of digits on either side
  const double y = share * 2.0 * way.sin * way.cos;
  const double x = 1.0 - share + share * (way.cos * way.cos - way.sin * way.sin);
  const double r = std::sqrt(x * x + y * y);
  return x >= 0.0 ? turn_of(y, r + x, {}) : turn_of(std::copysign(r - x, y), std::abs(y), {});
}

template <typename A>
PANTO_INLINE A tilt_near(const Eigen::Vector3d& u, const SinCos& p, const Eigen::Vector3d& d,
                         const A& near) noexcept {
  const double x_r = p.cos * u.x() + p.sin * u.y();
  // one angle of the difference: atan2(x_r, z) - atan2(d_x, d_z)
  return nearest(near, turn_of(x_r * d.z() - u.z() * d.x(), u.z() * d.z() + x_r * d.x(), near.turn));
}

template <typename A>
PANTO_INLINE A follow_pan(const Eigen::Vector3d& u, const PanTiltOf<A>& q, const Eigen::Vector3d& d,
                          const LimitsOf<A>& limits, double w) noexcept {
  if (!(w > 0.0)) return q[0];
  PanTiltOf<A> read = module_laws::read_direction(u, q, d, limits);
  module_laws::judge(read, limits, q);
  return module_laws::part_of_way(q[0], read[0], w);
}

template <typename A>
PANTO_INLINE PanTiltOf<A> follow_direction(const Eigen::Vector3d& u, const PanTiltOf<A>& q,
                                           const Eigen::Vector3d& d, const LimitsOf<A>& limits,
                                           double w) noexcept {
  PanTiltOf<A> found = q;
  if (w > 0.0) found = module_laws::read_direction(u, q, d, limits);
  if (w < 1.0) {
    module_laws::judge(found, limits, q);
    found[0] = w > 0.0 ? module_laws::part_of_way(q[0], found[0], w) : q[0];
    found[1] = tilt_near(u, found[0].turn, d, q[1]);
  }
  unwind(found[0], limits, 0);
  bring_inside(found[1], limits, 1, q[1]);
  return found;
}

template <typename A>
PANTO_INLINE A follow_axis(const Eigen::Vector3d& axis, const A& pan, const Regularisation& regularisation,
                           double share) noexcept {
  const double w = share * confidence(module_laws::across2(axis), regularisation);
  if (!(w > 0.0)) return pan;
  const A read = nearest(pan, turn_of(-axis.x(), axis.y(), pan.turn));
  return w < 1.0 ? moved(pan, w * way(pan, read)) : read;
}

PANTO_INLINE double tilt_rate(const Eigen::Vector3d& u, const Eigen::Vector3d& u_rate, const SinCos& p,
                              double pan_rate) noexcept {
  const double x_r = u.x() * p.cos + u.y() * p.sin;
  const double x_r_rate =
      u_rate.x() * p.cos + u_rate.y() * p.sin + pan_rate * (u.y() * p.cos - u.x() * p.sin);
  return module_laws::angle_rate(u.z(), x_r, u_rate.z(), x_r_rate,
                                 std::max(module_laws::kFloor, x_r * x_r + u.z() * u.z()));
}

PANTO_INLINE double pan_rate(const Eigen::Vector3d& u, const Eigen::Vector3d& u_rate, const PanTilt& q,
                             const Eigen::Vector3d& d, double gain,
                             const Regularisation& regularisation) noexcept {
  Eigen::Vector3d v = u_rate;
  if (gain > 0.0) v -= gain * (link_direction(q, d) - u);
  return module_laws::regularised(u.x() * v.y() - u.y() * v.x(), module_laws::across2(u), regularisation);
}

PANTO_INLINE double axis_pan_rate(const Eigen::Vector3d& axis, const Eigen::Vector3d& axis_rate, double pan,
                                  double gain, const Regularisation& regularisation) noexcept {
  Eigen::Vector3d v = axis_rate;
  if (gain > 0.0) {
    const SinCos p = sincos(pan);
    v -= gain * (Eigen::Vector3d(-p.sin, p.cos, 0.0) - axis);
  }
  return module_laws::regularised(axis.x() * v.y() - axis.y() * v.x(), module_laws::across2(axis),
                                  regularisation);
}

template <typename A>
PANTO_INLINE SphericalOf<A> follow_orientation(const Eigen::Matrix3d& R, const SphericalOf<A>& q,
                                               const LimitsOf<A>& limits,
                                               const Regularisation& regularisation) noexcept {
  const double w = confidence(R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2), regularisation);
  SphericalOf<A> found = q;
  if (w > 0.0)
    found =
        module_laws::branch_inside(2, q, turn_of(R(2, 1), R(2, 2), q[2].turn), limits,
                                   [&](const SinCos& q3) { return module_laws::spherical_for(R, q3, q); });
  if (w < 1.0) {
    module_laws::judge(found, limits, q);
    const A q3 = w > 0.0 ? module_laws::part_of_way(q[2], found[2], w) : q[2];
    found = module_laws::spherical_for(R, q3.turn, q);
    found[2] = q3;
  }
  for (std::size_t k = 0; k < 2; ++k) bring_inside(found[k], limits, k, q[k]);
  unwind(found[2], limits, 2);
  return found;
}

PANTO_INLINE Eigen::Vector3d spherical_rates(const Eigen::Matrix3d& R, const Eigen::Matrix3d& V,
                                             const SinCos& c, const Regularisation& regularisation) noexcept {
  const double q3_rate = module_laws::regularised(R(2, 2) * V(2, 1) - R(2, 1) * V(2, 2),
                                                  R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2), regularisation);
  // alpha: cos q2, sin q1 and cos q1
  const double alpha_1 = R(2, 1) * c.sin + R(2, 2) * c.cos, alpha_2 = R(0, 2) * c.sin - R(0, 1) * c.cos,
               alpha_3 = R(1, 1) * c.cos - R(1, 2) * c.sin;
  const double alpha_1_rate =
      V(2, 1) * c.sin + V(2, 2) * c.cos + q3_rate * (R(2, 1) * c.cos - R(2, 2) * c.sin);
  const double alpha_2_rate =
      V(0, 2) * c.sin - V(0, 1) * c.cos + q3_rate * (R(0, 2) * c.cos + R(0, 1) * c.sin);
  const double alpha_3_rate =
      V(1, 1) * c.cos - V(1, 2) * c.sin - q3_rate * (R(1, 1) * c.sin + R(1, 2) * c.cos);
  return {module_laws::angle_rate(alpha_3, alpha_2, alpha_3_rate, alpha_2_rate,
                                  std::max(module_laws::kFloor, alpha_2 * alpha_2 + alpha_3 * alpha_3)),
          module_laws::angle_rate(alpha_1, -R(2, 0), alpha_1_rate, -V(2, 0),
                                  std::max(module_laws::kFloor, alpha_1 * alpha_1 + R(2, 0) * R(2, 0))),
          q3_rate};
}

}  // namespace panto
