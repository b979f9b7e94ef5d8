#include "panto/robot/forearm_twist.hpp"

#include <cmath>

#include "panto/math/so3.hpp"

namespace panto::robot {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kFolded = 1e-3;   // a hand that is folded back on its forearm has no twist
constexpr double kNothing = 1e-9;  // half the angle [rad] of a twist that is rounding

void turn_with_hand(const SegmentMotion& hand, SegmentMotion& forearm) noexcept {
  if (!hand.has_orientation || !forearm.has_orientation) return;
  const Matrix3d R_FH = forearm.R_WS.transpose() * hand.R_WS;
  const Eigen::Vector4d q = so3::to_quaternion_wxyz(R_FH);
  const Eigen::Vector4d twist(q[0], 0.0, q[2], 0.0);
  if (twist.norm() < kFolded || std::abs(q[2]) < kNothing) return;
  if (forearm.has_angular_velocity && hand.has_angular_velocity) {
    const Vector3d y = forearm.R_WS.col(1), sum = y + hand.R_WS.col(1);
    forearm.w_WS += 2.0 * (hand.w_WS - forearm.w_WS).dot(sum) / sum.squaredNorm() * y;
  }
  forearm.R_WS = forearm.R_WS * so3::from_quaternion_wxyz(twist.normalized());
}

}  // namespace panto::robot
