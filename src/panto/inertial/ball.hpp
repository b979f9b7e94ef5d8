#pragma once
// Three hinges about x, y, z through one point: R = R_x(q0) R_y(q1) R_z(q2). Relates their rates to the
// angular velocity, and changes the rotation from which the angles count.

#include <Eigen/Core>

namespace panto::ball {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Returns E with w = E q', w in the axes after the last hinge. (3 x 3) Singular where cos q1 = 0.
[[nodiscard]] Matrix3d rates(const Vector3d& q) noexcept;

/// Derivatives of u -> E(q) u and of k = M u; since E' q' = k for u = q', alpha = E q'' + k.
struct Slopes {
  Matrix3d M;    ///< d(E u)/dq
  Matrix3d k_q;  ///< dk/dq
  Matrix3d k_u;  ///< dk/du
};
[[nodiscard]] Slopes slopes(const Vector3d& q, const Vector3d& u) noexcept;

/// Returns the derivatives of a turn, the angular velocity and the angular acceleration, all in the axes
/// after the last hinge, by (q, q', q''). (9 x 9) Singular where `rates` is.
[[nodiscard]] Eigen::Matrix<double, 9, 9> slopes_behind(const Vector3d& q, const Vector3d& qdot,
                                                        const Vector3d& qddot) noexcept;

/// The motion (q, q', q'') counted from R(q) instead of the identity: zero angles, the rates below.
struct Rebased {
  Vector3d qdot;                         ///< = w
  Vector3d qddot;                        ///< alpha - M(0, w) w
  Eigen::Matrix<double, 9, 9> jacobian;  ///< of the new (q, q', q'') by the old ones
};
[[nodiscard]] Rebased rebase(const Vector3d& q, const Vector3d& qdot, const Vector3d& qddot) noexcept;

/// Returns the Jacobian of (q, q', q'') at `to` by that at `from` that leaves a turn, an angular velocity and
/// an angular acceleration as they are in the child's axes; with `outside`, the turn in the parent's. (9 x 9)
struct Motion {
  Vector3d q, qdot, qddot;
};
[[nodiscard]] Eigen::Matrix<double, 9, 9> carried(const Motion& from, const Motion& to,
                                                  bool outside) noexcept;

}  // namespace panto::ball
