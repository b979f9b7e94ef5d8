#pragma once
// The two kinds of module of Tee et al.: from the direction of a link, or from an orientation, in the
// module's own frame, to joint angles. [Tee, Yan, Chua, Li, Huang, "Robust Modular Inverse Kinematics for
// Gesture Imitation in an Upper-Body Humanoid Robot"]
//
//   symbol      here              meaning
//   P_j         Module::P         constant turn before a module's joints
//   d_j         d                 direction of the link in the frame that the joints move, unit; d_y = 0
//   u = E/L     u                 direction of the link, in the frame before the joints; unit
//   r           R                 orientation in that frame, Rz(q1) Ry(q2) Rx(q3) if it is met
//   s           s                 x^2 + y^2 of u, or r32^2 + r33^2: zero if the first angle is undetermined
//   epsilon     regulariser(s)    Eq. (10), (11)
//   k           gain              of the closed loop [1/s]
//
// Departure: all lengths are divided by L, so that epsilon and beta have no unit.

#include <Eigen/Core>
#include <array>
#include <numbers>

#include "panto/math/angle.hpp"

namespace panto {
namespace module_laws {

inline constexpr double kNoReading = 1e-12;  // of s: below, the first angle is undetermined
inline constexpr double kOutside = 1e-6;     // [rad] beyond a limit, above which the other branch is tried
inline constexpr double kFloor = 1e-6;       // of denominators that are 1, or cos^2 q2, for exact q
inline constexpr double kNoTurn = 1e-6;      // of x^2 + z^2: smaller, the direction lies along a hinge

[[nodiscard]] inline double across2(const Eigen::Vector3d& u) noexcept {
  return u.x() * u.x() + u.y() * u.y();
}

}  // namespace module_laws

/// Eq. (10): epsilon near the singular direction, zero away from it, a C1 cubic in between. The defaults are
/// those of the drift-free law.
struct Regularisation {
  double epsilon =
      0.11;             ///< eps_0, >= 0. Larger: calmer near a singular direction, and further from the truth
  double inner = 0.01;  ///< beta_1 of s, >= 0: epsilon is full below it
  double outer = 0.25;  ///< beta_2 of s, > beta_1: epsilon is zero and the answer exact above it
};

/// Returns epsilon(s).
[[nodiscard]] inline double regulariser(double s, const Regularisation& r) noexcept {
  if (s >= r.outer) return 0.0;
  if (s <= r.inner) return r.epsilon;
  const double x = (s - r.inner) / (r.outer - r.inner);
  return r.epsilon * (1.0 - x * x * (3.0 - 2.0 * x));
}

/// Returns s/(s + epsilon(s)), the weight of a reading of the first angle: 1 away from the singular
/// direction, 0 on it (s < 1e-12).
[[nodiscard]] inline double confidence(double s, const Regularisation& r) noexcept {
  if (s < module_laws::kNoReading) return 0.0;
  return s >= r.outer ? 1.0 : s / (s + regulariser(s, r));
}

/// Returns the rotation from an axis towards another one that is `way` further, to their mean as axes (an
/// axis and its opposite are the same), with weight `share` of the other, 0 to 1. share = 1: the whole way,
/// modulo half a turn; near zero: share/2 sin(2 way) [rad], so that readings from all sides, which are no
/// evidence, pull little. Departure: theory, section 2.4 takes share times the way modulo half a turn.
[[nodiscard]] inline SinCos towards_axis(const SinCos& way, double share) noexcept;

/// Adds the full turns to `angle` that bring it inside the limits, or nearest to them, and then nearest to
/// `near`. Returns the remaining distance; 0: inside.
[[nodiscard]] double turn_inside(double& angle, double lower, double upper, double near) noexcept;

/// Limits of a module's joints [rad]; only the entries of its joints are used.
struct ModuleLimits {
  std::array<double, 3> lower, upper;
};

/// The same for bare rotations: a way of at most a quarter turn whose sine is smaller than this ends inside.
/// (3)
struct ModuleRoom {
  const double* sine;
};
template <typename A>
using LimitsOf = std::conditional_t<std::is_same_v<A, Angle>, ModuleLimits, ModuleRoom>;

/// The same for an angle that is rarely outside.
PANTO_INLINE void bring_inside(Angle& q, const ModuleLimits& limits, std::size_t k,
                               const Angle& near) noexcept {
  if (!(q.value >= limits.lower[k] && q.value <= limits.upper[k]))
    (void)turn_inside(q.value, limits.lower[k], limits.upper[k], near.value);
}
/// Removes full turns from an angle that has wound up beyond its limits before it continues: if it is inside
/// without them, or closer by more than half a turn. Else it stays, without a jump.
PANTO_INLINE void unwind(Angle& q, const ModuleLimits& limits, std::size_t k) noexcept {
  const double lower = limits.lower[k], upper = limits.upper[k];
  if (q.value >= lower && q.value <= upper) return;
  double unwound = q.value;
  const double lacks = turn_inside(unwound, lower, upper, q.value);
  const double lacked = q.value > upper ? q.value - upper : lower - q.value;
  if (lacks == 0.0 || lacked - lacks > std::numbers::pi) q.value = unwound;
}
PANTO_INLINE void unwind(BareTurn& /*q*/, const ModuleRoom& /*room*/, std::size_t /*k*/) noexcept {}
PANTO_INLINE void bring_inside(BareTurn& /*q*/, const ModuleRoom& /*room*/, std::size_t /*k*/,
                               const BareTurn& /*near*/) noexcept {}

/// Angles of a pan-tilt module [rad], or their rates [rad/s].
struct PanTilt {
  double pan = 0.0;
  double tilt = 0.0;
};

/// Angles of a module's joints with their rotations: (pan, tilt), or (q1, q2, q3). With bare rotations,
/// limits are ignored: results are right if the angles turn out to be inside them; results are NaN where this
/// cannot be known.
template <typename A>
using PanTiltOf = std::array<A, 2>;
template <typename A>
using SphericalOf = std::array<A, 3>;
using PanTiltAngles = PanTiltOf<Angle>;
using SphericalAngles = SphericalOf<Angle>;

/// Returns Rz(pan) Ry(tilt) d.
[[nodiscard]] Eigen::Vector3d link_direction(const PanTilt& q, const Eigen::Vector3d& d) noexcept;

/// Finds the tilt that brings d to u, or as near as possible, for a known pan; the one nearest to `near`, and
/// `near` itself if all tilts are equal. Departure: Eq. (3) holds for d = e3 alone; a link along e1 needs
/// another 90 degrees, hence "- atan2(d_x, d_z)".
template <typename A>
[[nodiscard]] A tilt_near(const Eigen::Vector3d& u, const SinCos& pan, const Eigen::Vector3d& d,
                          const A& near) noexcept;

/// The drift-free law: moves the pan towards that of u by its confidence, as axes (so that a link may pass
/// through the singular direction). No velocities. If the branch nearer to q is outside the limits and the
/// other one inside, moves the pan there, so that a link that has passed the singular direction does not stay
/// on the wrong side.
template <typename A>
[[nodiscard]] A follow_pan(const Eigen::Vector3d& u, const PanTiltOf<A>& q, const Eigen::Vector3d& d,
                           const LimitsOf<A>& limits, double confidence) noexcept;
/// The same, with the tilt in closed form.
template <typename A>
[[nodiscard]] PanTiltOf<A> follow_direction(const Eigen::Vector3d& u, const PanTiltOf<A>& q,
                                            const Eigen::Vector3d& d, const LimitsOf<A>& limits,
                                            double confidence) noexcept;

/// Moves the pan towards the one whose tilt axis Rz(pan) e2 is nearest to `axis` (any length), by its
/// confidence times `share`. An orientation determines what the direction of a link leaves open near its
/// singular direction.
template <typename A>
[[nodiscard]] A follow_axis(const Eigen::Vector3d& axis, const A& pan, const Regularisation& regularisation,
                            double share = 1.0) noexcept;

/// Eq. (5)-(13): computes rates from u and its derivative [1/s], with (.)' - k (estimate - measurement) for
/// (.)'. Departures: x^2 + y^2 in (5), x_r^2 + z^2 in (6) and (13), the latter kept above 1e-6, since it is
/// L^2 for an exact pan only.
[[nodiscard]] PanTilt pan_tilt_rates(const Eigen::Vector3d& u, const Eigen::Vector3d& u_rate,
                                     const PanTilt& q, const Eigen::Vector3d& d, double gain,
                                     const Regularisation& regularisation) noexcept;

/// Returns the rate of the pan alone, from a tilt axis as in `follow_axis`.
[[nodiscard]] inline double axis_pan_rate(const Eigen::Vector3d& axis, const Eigen::Vector3d& axis_rate,
                                          double pan, double gain,
                                          const Regularisation& regularisation) noexcept;
/// Returns the pan rate of `pan_tilt_rates`.
[[nodiscard]] inline double pan_rate(const Eigen::Vector3d& u, const Eigen::Vector3d& u_rate,
                                     const PanTilt& q, const Eigen::Vector3d& d, double gain,
                                     const Regularisation& regularisation) noexcept;
/// Returns the rate of the tilt alone, for a pan that moves at `pan_rate`.
[[nodiscard]] double tilt_rate(const Eigen::Vector3d& u, const Eigen::Vector3d& u_rate, const PanTilt& q,
                               double pan_rate, const Eigen::Vector3d& d, double gain) noexcept;

/// The same without feedback.
[[nodiscard]] inline double tilt_rate(const Eigen::Vector3d& u, const Eigen::Vector3d& u_rate,
                                      const SinCos& pan, double pan_rate) noexcept;

/// Returns R = Rz(q1) Ry(q2) Rx(q3) of a spherical module with angles (q1, q2, q3).
[[nodiscard]] Eigen::Matrix3d spherical_rotation(const Eigen::Vector3d& q) noexcept;

/// The drift-free law: q3 moves by its confidence as an axis, q2 and q1 follow in closed form. Limits as for
/// a pan.
template <typename A>
[[nodiscard]] SphericalOf<A> follow_orientation(const Eigen::Matrix3d& R, const SphericalOf<A>& q,
                                                const LimitsOf<A>& limits,
                                                const Regularisation& regularisation) noexcept;

/// Eq. (17)-(21): computes rates from R and its derivative, closed loop as above. Departures: R is multiplied
/// by Rx(q3)^T in (17); the derivatives of alpha keep their terms in q3', which do not vanish even for exact
/// q3 (without them q1' is wrong by -q3' sin q2); denominators are kept above 1e-6.
[[nodiscard]] Eigen::Vector3d spherical_rates(const Eigen::Matrix3d& R, const Eigen::Matrix3d& R_rate,
                                              const Eigen::Vector3d& q, double gain,
                                              const Regularisation& regularisation) noexcept;
/// The same without feedback, for a q3 of this rotation.
[[nodiscard]] inline Eigen::Vector3d spherical_rates(const Eigen::Matrix3d& R, const Eigen::Matrix3d& R_rate,
                                                     const SinCos& q3,
                                                     const Regularisation& regularisation) noexcept;

/// Chooses between both branches, (pan, tilt) and (pan + half a turn, tilt mirrored): the one inside the
/// limits (all joints, with full turns) and nearest to `near`; if neither is inside, the nearer. If u does
/// not determine the pan, it stays at `near`.
[[nodiscard]] PanTilt choose_pan_tilt(const Eigen::Vector3d& u, const Eigen::Vector3d& d, const PanTilt& near,
                                      const ModuleLimits& limits) noexcept;
/// The same for an orientation: q3 and q3 + half a turn.
[[nodiscard]] Eigen::Vector3d choose_spherical(const Eigen::Matrix3d& R, const Eigen::Vector3d& near,
                                               const ModuleLimits& limits) noexcept;

}  // namespace panto

#include "panto/ik/module_laws_inline.hpp"
