#include "panto/robot/joint_centre.hpp"

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"

namespace panto::robot {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kAlong = 1e-6;  // weight of the joint's own origin where the axes leave a centre free

Vector3d joint_centre(const Kinematics& kinematics, int body, int before) {
  const Tree& tree = kinematics.model().tree();
  const Vector3d own = kinematics.body_position()[at(body)];
  Matrix3d A = kAlong * Matrix3d::Identity();
  Vector3d b = kAlong * own;
  for (int i = body; i > 0 && i != before; i = tree.parent[at(i)]) {
    if (tree.type[at(i)] != JointType::Revolute) continue;
    const Vector3d& axis = kinematics.joint_axis()[at(i)];
    const Matrix3d across = Matrix3d::Identity() - axis * axis.transpose();
    A += across;
    b += across * kinematics.body_position()[at(i)];
  }
  return solve_symmetric(A, b);
}

}  // namespace panto::robot
