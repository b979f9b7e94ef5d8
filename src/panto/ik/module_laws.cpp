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

// Is branch b better than a?
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

// Moves a branch inside the limits by full turns; returns the sum of what remains outside.
template <std::size_t N>
double fit(std::array<double, N>& q, const ModuleLimits& limits, const std::array<double, N>& near) noexcept {
  double beyond = 0.0;
  for (std::size_t k = 0; k < N; ++k) beyond += turn_inside(q[k], limits.lower[k], limits.upper[k], near[k]);
  return beyond;
}

double tilt_of(const Vector3d& u, double pan, const Vector3d& d) noexcept {
  return tilt_near(u, sincos(pan), d, Angle{}).value;
}

}  // namespace

Vector3d link_direction(const PanTilt& q, const Vector3d& d) noexcept {
  const SinCos p = sincos(q.pan), t = sincos(q.tilt);
  const double x_r = t.cos * d.x() + t.sin * d.z();
  return {p.cos * x_r - p.sin * d.y(), p.sin * x_r + p.cos * d.y(), t.cos * d.z() - t.sin * d.x()};
}

double tilt_rate(const Vector3d& u, const Vector3d& u_rate, const PanTilt& q, double pan_rate,
                 const Vector3d& d, double gain) noexcept {
  return tilt_rate(u, u_rate - gain * (link_direction(q, d) - u), sincos(q.pan), pan_rate);
}

PanTilt pan_tilt_rates(const Vector3d& u, const Vector3d& u_rate, const PanTilt& q, const Vector3d& d,
                       double gain, const Regularisation& regularisation) noexcept {
  const double pan = pan_rate(u, u_rate, q, d, gain, regularisation);
  return {pan, tilt_rate(u, u_rate, q, pan, d, gain)};
}

Matrix3d spherical_rotation(const Vector3d& q) noexcept {
  const SinCos a = sincos(q[0]), b = sincos(q[1]), c = sincos(q[2]);
  Matrix3d R;
  R << a.cos * b.cos, a.cos * b.sin * c.sin - a.sin * c.cos, a.cos * b.sin * c.cos + a.sin * c.sin,  //
      a.sin * b.cos, a.sin * b.sin * c.sin + a.cos * c.cos, a.sin * b.sin * c.cos - a.cos * c.sin,   //
      -b.sin, b.cos * c.sin, b.cos * c.cos;
  return R;
}

Vector3d spherical_rates(const Matrix3d& R, const Matrix3d& R_rate, const Vector3d& q, double gain,
                         const Regularisation& regularisation) noexcept {
  if (!(gain > 0.0)) return spherical_rates(R, R_rate, sincos(q[2]), regularisation);
  return spherical_rates(R, R_rate - gain * (spherical_rotation(q) - R), sincos(q[2]), regularisation);
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
  const bool told = module_laws::across2(u) >= module_laws::kNoReading;
  const double pan = told ? atan2(u.y(), u.x()) : near.pan;
  std::array<double, 2> first{pan, tilt_of(u, pan, d)}, second{pan + kPi, tilt_of(u, pan + kPi, d)};
  const std::array<double, 2> rest{near.pan, near.tilt};
  const double first_beyond = fit(first, limits, rest), second_beyond = fit(second, limits, rest);
  const auto& chosen = told && better(first, first_beyond, second, second_beyond, rest) ? second : first;
  return {chosen[0], chosen[1]};
}

Vector3d choose_spherical(const Matrix3d& R, const Vector3d& near, const ModuleLimits& limits) noexcept {
  const bool told = R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2) >= module_laws::kNoReading;
  const double q3 = told ? atan2(R(2, 1), R(2, 2)) : near[2];
  const SphericalAngles from{angle(near[0]), angle(near[1]), angle(near[2])};
  const auto branch = [&](double angle) {
    const SphericalAngles q = module_laws::spherical_for(R, sincos(angle), from);
    return std::array<double, 3>{q[0].value, q[1].value, angle};
  };
  std::array<double, 3> first = branch(q3), second = branch(q3 + kPi);
  const std::array<double, 3> rest{near[0], near[1], near[2]};
  const double first_beyond = fit(first, limits, rest), second_beyond = fit(second, limits, rest);
  const auto& chosen = told && better(first, first_beyond, second, second_beyond, rest) ? second : first;
  return {chosen[0], chosen[1], chosen[2]};
}

}  // namespace panto
