#include "panto/ik/module_laws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr double kNoReading = 1e-12;  // of s: below, the first angle is not determined at all
constexpr double kOutside = 1e-6;     // [rad] beyond a limit: the other branch is looked at
constexpr double kFloor = 1e-6;       // of denominators that are 1, or cos^2 q2, when q is exact

// to the nearest multiple of half a turn
double modulo_pi(double angle) noexcept { return 0.5 * euler::unwrap(2.0 * angle, 0.0); }

// d/dt of the angle atan2(b, a)
double angle_rate(double a, double b, double a_rate, double b_rate, double norm2) noexcept {
  return (a * b_rate - b * a_rate) / norm2;
}

double regularised(double numerator, double s, const Regularisation& regularisation) noexcept {
  const double under = s + regulariser(s, regularisation);
  return under > kNoReading ? numerator / under : 0.0;
}

// Branch b instead of a?
template <std::size_t N>
bool better(const std::array<double, N>& a, double a_beyond, const std::array<double, N>& b, double b_beyond,
            const std::array<double, N>& near) noexcept {
  if (std::abs(a_beyond - b_beyond) > 1e-9) return b_beyond < a_beyond;
  double a_far = 0.0, b_far = 0.0;
  for (std::size_t k = 0; k < N; ++k) {
    a_far += (a[k] - near[k]) * (a[k] - near[k]);
    b_far += (b[k] - near[k]) * (b[k] - near[k]);
  }
  return b_far < a_far - 1e-9;
}

// Turns a branch inside the limits; what it lacks in sum.
template <std::size_t N>
double fit(std::array<double, N>& q, const ModuleLimits& limits, const std::array<double, N>& near) noexcept {
  double beyond = 0.0;
  for (std::size_t k = 0; k < N; ++k) beyond += turn_inside(q[k], limits.lower[k], limits.upper[k], near[k]);
  return beyond;
}

// How far angle `index` of q is to go: to the branch that is `nearer` by, or to the other one, half a turn
// from there, where that alone is inside the limits.
template <std::size_t N, typename Branch>
double way_inside(std::size_t index, const std::array<double, N>& q, double nearer,
                  const ModuleLimits& limits, const Branch& branch) noexcept {
  std::array<double, N> first = branch(q[index] + nearer);
  if (!(fit(first, limits, q) > kOutside)) return first[index] - q[index];
  std::array<double, N> second = branch(q[index] + nearer - std::copysign(kPi, nearer));
  return fit(second, limits, q) > 0.0 ? nearer : second[index] - q[index];
}

// As much of the way as the reading counts for: as an axis, but to the other branch, or a whole turn, evenly.
double part_of(double way, double share) noexcept {
  return std::abs(way) > 0.5 * kPi ? share * way : towards_axis(way, share);
}

}  // namespace

double regulariser(double s, const Regularisation& r) noexcept {
  if (s >= r.outer) return 0.0;
  if (s <= r.inner) return r.epsilon;
  const double x = (s - r.inner) / (r.outer - r.inner);
  return r.epsilon * (1.0 - x * x * (3.0 - 2.0 * x));
}

double confidence(double s, const Regularisation& r) noexcept {
  return s < kNoReading ? 0.0 : s / (s + regulariser(s, r));
}

double towards_axis(double way, double share) noexcept {
  if (!(share < 1.0)) return modulo_pi(way);
  const SinCos twice = sincos(2.0 * way);
  return 0.5 * atan2(share * twice.sin, 1.0 - share + share * twice.cos);
}

Vector3d link_direction(const PanTilt& q, const Vector3d& d) noexcept {
  const SinCos p = sincos(q.pan), t = sincos(q.tilt);
  const double x_r = t.cos * d.x() + t.sin * d.z();
  return {p.cos * x_r - p.sin * d.y(), p.sin * x_r + p.cos * d.y(), t.cos * d.z() - t.sin * d.x()};
}

double tilt_of(const Vector3d& u, double pan, const Vector3d& d) noexcept {
  return tilt_of(u, sincos(pan), d);
}

double tilt_of(const Vector3d& u, const SinCos& p, const Vector3d& d) noexcept {
  const double x_r = p.cos * u.x() + p.sin * u.y();
  // one angle of the difference: atan2(x_r, z) - atan2(d_x, d_z)
  return atan2(x_r * d.z() - u.z() * d.x(), u.z() * d.z() + x_r * d.x());
}

double follow_pan(const Vector3d& u, double pan, const Regularisation& regularisation) noexcept {
  const double w = confidence(u.x() * u.x() + u.y() * u.y(), regularisation);
  return w > 0.0 ? pan + towards_axis(atan2(u.y(), u.x()) - pan, w) : pan;
}

double follow_pan(const Vector3d& u, const PanTilt& q, const Vector3d& d, const ModuleLimits& limits,
                  const Regularisation& regularisation) noexcept {
  const double w = confidence(u.x() * u.x() + u.y() * u.y(), regularisation);
  if (!(w > 0.0)) return q.pan;
  const auto branch = [&](double pan) { return std::array<double, 2>{pan, tilt_of(u, pan, d)}; };
  const double nearer = modulo_pi(atan2(u.y(), u.x()) - q.pan);
  return q.pan + part_of(way_inside<2>(0, {q.pan, q.tilt}, nearer, limits, branch), w);
}

PanTilt follow_direction(const Vector3d& u, const PanTilt& q, const Vector3d& d,
                         const Regularisation& regularisation) noexcept {
  const double pan = follow_pan(u, q.pan, regularisation);
  return {pan, euler::unwrap(tilt_of(u, pan, d), q.tilt)};
}

double follow_axis(const Vector3d& axis, double pan, const Regularisation& regularisation) noexcept {
  const double w = confidence(axis.x() * axis.x() + axis.y() * axis.y(), regularisation);
  return w > 0.0 ? pan + w * euler::unwrap(atan2(-axis.x(), axis.y()) - pan, 0.0) : pan;
}

double tilt_rate(const Vector3d& u, const Vector3d& u_rate, const SinCos& p, double pan_rate) noexcept {
  const double x_r = u.x() * p.cos + u.y() * p.sin;
  const double x_r_rate =
      u_rate.x() * p.cos + u_rate.y() * p.sin + pan_rate * (u.y() * p.cos - u.x() * p.sin);
  return angle_rate(u.z(), x_r, u_rate.z(), x_r_rate, std::max(kFloor, x_r * x_r + u.z() * u.z()));
}

double tilt_rate(const Vector3d& u, const Vector3d& u_rate, const PanTilt& q, double pan_rate,
                 const Vector3d& d, double gain) noexcept {
  return tilt_rate(u, u_rate - gain * (link_direction(q, d) - u), sincos(q.pan), pan_rate);
}

double pan_rate(const Vector3d& u, const Vector3d& u_rate, const PanTilt& q, const Vector3d& d, double gain,
                const Regularisation& regularisation) noexcept {
  Vector3d v = u_rate;
  if (gain > 0.0) v -= gain * (link_direction(q, d) - u);
  return regularised(u.x() * v.y() - u.y() * v.x(), u.x() * u.x() + u.y() * u.y(), regularisation);
}

PanTilt pan_tilt_rates(const Vector3d& u, const Vector3d& u_rate, const PanTilt& q, const Vector3d& d,
                       double gain, const Regularisation& regularisation) noexcept {
  const double pan = pan_rate(u, u_rate, q, d, gain, regularisation);
  return {pan, tilt_rate(u, u_rate, q, pan, d, gain)};
}

double axis_pan_rate(const Vector3d& axis, const Vector3d& axis_rate, double pan, double gain,
                     const Regularisation& regularisation) noexcept {
  Vector3d v = axis_rate;
  if (gain > 0.0) {
    const SinCos p = sincos(pan);
    v -= gain * (Vector3d(-p.sin, p.cos, 0.0) - axis);
  }
  return regularised(axis.x() * v.y() - axis.y() * v.x(), axis.x() * axis.x() + axis.y() * axis.y(),
                     regularisation);
}

Matrix3d spherical_rotation(const Vector3d& q) noexcept {
  const SinCos a = sincos(q[0]), b = sincos(q[1]), c = sincos(q[2]);
  Matrix3d R;
  R << a.cos * b.cos, a.cos * b.sin * c.sin - a.sin * c.cos, a.cos * b.sin * c.cos + a.sin * c.sin,  //
      a.sin * b.cos, a.sin * b.sin * c.sin + a.cos * c.cos, a.sin * b.sin * c.cos - a.cos * c.sin,   //
      -b.sin, b.cos * c.sin, b.cos * c.cos;
  return R;
}

Vector3d spherical_for(const Matrix3d& R, double q3, const Vector3d& near) noexcept {
  const SinCos q = sincos(q3);
  const double alpha_1 = R(2, 1) * q.sin + R(2, 2) * q.cos, alpha_2 = R(0, 2) * q.sin - R(0, 1) * q.cos,
               alpha_3 = R(1, 1) * q.cos - R(1, 2) * q.sin;
  return {euler::unwrap(atan2(alpha_2, alpha_3), near[0]), euler::unwrap(atan2(-R(2, 0), alpha_1), near[1]),
          q3};
}

Vector3d follow_orientation(const Matrix3d& R, const Vector3d& q,
                            const Regularisation& regularisation) noexcept {
  const double w = confidence(R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2), regularisation);
  const double q3 = w > 0.0 ? q[2] + towards_axis(atan2(R(2, 1), R(2, 2)) - q[2], w) : q[2];
  return spherical_for(R, q3, q);
}

Vector3d follow_orientation(const Matrix3d& R, const Vector3d& q, const ModuleLimits& limits,
                            const Regularisation& regularisation) noexcept {
  const double w = confidence(R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2), regularisation);
  const auto branch = [&](double q3) {
    const Vector3d angles = spherical_for(R, q3, q);
    return std::array<double, 3>{angles[0], angles[1], angles[2]};
  };
  double way = 0.0;
  if (w > 0.0)
    way = way_inside<3>(2, {q[0], q[1], q[2]}, modulo_pi(atan2(R(2, 1), R(2, 2)) - q[2]), limits, branch);
  Vector3d found = spherical_for(R, q[2] + part_of(way, w), q);
  for (int k = 0; k < 2; ++k) (void)turn_inside(found[k], limits.lower[at(k)], limits.upper[at(k)], q[k]);
  return found;
}

Vector3d spherical_rates(const Matrix3d& R, const Matrix3d& R_rate, const Vector3d& q, double gain,
                         const Regularisation& regularisation) noexcept {
  Matrix3d V = R_rate;
  if (gain > 0.0) V -= gain * (spherical_rotation(q) - R);
  const SinCos c = sincos(q[2]);
  const double q3_rate = regularised(R(2, 2) * V(2, 1) - R(2, 1) * V(2, 2),
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
  return {angle_rate(alpha_3, alpha_2, alpha_3_rate, alpha_2_rate,
                     std::max(kFloor, alpha_2 * alpha_2 + alpha_3 * alpha_3)),
          angle_rate(alpha_1, -R(2, 0), alpha_1_rate, -V(2, 0),
                     std::max(kFloor, alpha_1 * alpha_1 + R(2, 0) * R(2, 0))),
          q3_rate};
}

double turn_inside(double& angle, double lower, double upper, double near) noexcept {
  const auto beyond = [&](double a) { return std::max({0.0, lower - a, a - upper}); };
  angle = euler::unwrap(angle, std::clamp(near, lower, upper));
  const double nearest = angle;
  for (const double turns : {1.0, -1.0}) {
    const double other = nearest + 2.0 * kPi * turns;
    if (beyond(other) < beyond(angle)) angle = other;
  }
  return beyond(angle);
}

PanTilt choose_pan_tilt(const Vector3d& u, const Vector3d& d, const PanTilt& near,
                        const ModuleLimits& limits) noexcept {
  const bool told = u.x() * u.x() + u.y() * u.y() >= kNoReading;
  const double pan = told ? atan2(u.y(), u.x()) : near.pan;
  std::array<double, 2> first{pan, tilt_of(u, pan, d)}, second{pan + kPi, tilt_of(u, pan + kPi, d)};
  const std::array<double, 2> rest{near.pan, near.tilt};
  const double first_beyond = fit(first, limits, rest), second_beyond = fit(second, limits, rest);
  const auto& chosen = told && better(first, first_beyond, second, second_beyond, rest) ? second : first;
  return {chosen[0], chosen[1]};
}

Vector3d choose_spherical(const Matrix3d& R, const Vector3d& near, const ModuleLimits& limits) noexcept {
  const bool told = R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2) >= kNoReading;
  const double q3 = told ? atan2(R(2, 1), R(2, 2)) : near[2];
  const auto branch = [&](double angle) {
    const Vector3d q = spherical_for(R, angle, near);
    return std::array<double, 3>{q[0], q[1], q[2]};
  };
  std::array<double, 3> first = branch(q3), second = branch(q3 + kPi);
  const std::array<double, 3> rest{near[0], near[1], near[2]};
  const double first_beyond = fit(first, limits, rest), second_beyond = fit(second, limits, rest);
  const auto& chosen = told && better(first, first_beyond, second, second_beyond, rest) ? second : first;
  return {chosen[0], chosen[1], chosen[2]};
}

}  // namespace panto
