#pragma once
// The 4 x 4 recursion of [Miezal 2013, Eqs. (2)-(4), (7)-(10)], straight from a model's joints: the oracle of
// ImuModel. A is the pose of a link, B and C its derivatives in time:
//   A+ = A H,  B+ = B H + A H',  C+ = C H + 2 B H' + A H''.

#include <Eigen/Core>
#include <array>
#include <map>
#include <vector>

#include "panto/inertial/chain_layout.hpp"
#include "panto/inertial/imu_model.hpp"
#include "panto/math/so3.hpp"

namespace panto::test {

using Eigen::Matrix4d;

inline Matrix4d rigid(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  Matrix4d H = Matrix4d::Identity();
  H.topLeftCorner<3, 3>() = R;
  H.topRightCorner<3, 1>() = p;
  return H;
}

/// One degree of freedom: H(q) = before exp(generator q).
struct HomogeneousJoint {
  int unknown = -1;  ///< in ChainMotion; -1: fixed
  Matrix4d before = Matrix4d::Identity();
  Matrix4d generator = Matrix4d::Zero();
  bool slides = false;

  [[nodiscard]] Matrix4d moved(double q) const {
    if (slides) return Matrix4d::Identity() + generator * q;
    return rigid(so3::exp(so3::vee(generator.topLeftCorner<3, 3>()) * q), Eigen::Vector3d::Zero());
  }
};

inline HomogeneousJoint homogeneous_joint(int unknown, const Matrix4d& before, const Eigen::Vector3d& axis,
                                          bool slides) {
  HomogeneousJoint joint{unknown, before, Matrix4d::Zero(), slides};
  if (slides) {
    joint.generator.topRightCorner<3, 1>() = axis;
  } else {
    joint.generator.topLeftCorner<3, 3>() = so3::hat(axis);
  }
  return joint;
}

/// Joints from the world to a link, by names, in the coordinates of a layout with `Triples::Hinges`.
inline std::vector<HomogeneousJoint> homogeneous_path(const Model& model, const ChainMotion& motion,
                                                      std::string link) {
  std::vector<HomogeneousJoint> path;
  for (bool found = true; found;) {
    found = false;
    for (const Joint& joint : model.all_joints()) {
      if (joint.child != link) continue;
      const Matrix4d before = rigid(joint.R_PJ, joint.p_PJ);
      if (joint.type == JointType::Fixed) {
        path.insert(path.begin(), {-1, before, Matrix4d::Zero(), false});
      } else {
        const int unknown = model.nv() - model.dof() + model.joint_index(joint.name);
        path.insert(path.begin(),
                    homogeneous_joint(unknown, before, joint.axis, joint.type == JointType::Prismatic));
      }
      link = joint.parent;
      found = true;
      break;
    }
  }
  const Matrix4d start = rigid(Eigen::Matrix3d::Identity(), motion.p_W);
  const Matrix4d turned = rigid(motion.reference[0], Eigen::Vector3d::Zero());
  if (!model.floating_base()) {
    path.insert(path.begin(), {-1, start * turned, Matrix4d::Zero(), false});
    return path;
  }
  for (int k = 5; k >= 0; --k) {
    const Matrix4d before = k == 0 ? start : (k == 3 ? turned : Matrix4d(Matrix4d::Identity()));
    path.insert(path.begin(), homogeneous_joint(k, before, Eigen::Vector3d::Unit(k % 3), k < 3));
  }
  return path;
}

/// A, B, C.
using Homogeneous = std::array<Matrix4d, 3>;

inline Homogeneous next(const Homogeneous& M, const Matrix4d& H, const Matrix4d& H1, const Matrix4d& H2) {
  return {M[0] * H, M[1] * H + M[0] * H1, M[2] * H + 2.0 * M[1] * H1 + M[0] * H2};
}

/// Gyroscope, accelerometer and magnetometer on a link, and their slopes by all unknowns (9 x 3 nv).
struct Felt {
  Eigen::Matrix<double, 9, 1> y;
  Eigen::MatrixXd H;
};

inline Felt feel(const Model& model, const ChainMotion& motion, const ImuMount& mount,
                 const Surroundings& surroundings) {
  Homogeneous M{Matrix4d::Identity(), Matrix4d::Zero(), Matrix4d::Zero()};
  std::map<int, std::array<Homogeneous, 3>> slopes;
  for (const HomogeneousJoint& joint : homogeneous_path(model, motion, mount.link)) {
    const bool moves = joint.unknown >= 0;
    const double q = moves ? motion.q[joint.unknown] : 0.0;
    const double v = moves ? motion.qdot[joint.unknown] : 0.0, c = moves ? motion.qddot[joint.unknown] : 0.0;
    const Matrix4d& G = joint.generator;
    const Matrix4d D0 = joint.before * joint.moved(q), D1 = D0 * G, D2 = D1 * G, D3 = D2 * G;
    const Matrix4d H1 = D1 * v, H2 = D2 * v * v + D1 * c, none = Matrix4d::Zero();
    for (auto& [unknown, by] : slopes) {
      for (Homogeneous& dM : by) dM = next(dM, D0, H1, H2);
    }
    if (moves) {
      slopes[joint.unknown] = {next(M, D1, D2 * v, D3 * v * v + D2 * c), next(M, none, D1, 2.0 * D2 * v),
                               next(M, none, none, D1)};
    }
    M = next(M, D0, H1, H2);
  }
  const Matrix4d H_LI = rigid(mount.R_LI, mount.p_LI);
  for (Matrix4d& matrix : M) matrix = Matrix4d(matrix * H_LI);
  const Eigen::Matrix3d R = M[0].topLeftCorner<3, 3>(), R1 = M[1].topLeftCorner<3, 3>();
  const Eigen::Vector3d f = M[2].topRightCorner<3, 1>() - surroundings.gravity_W;

  Felt felt;
  felt.y << so3::vee_skew(R.transpose() * R1), R.transpose() * f, R.transpose() * surroundings.field_W;
  felt.H.setZero(9, 3 * model.nv());
  for (const auto& [unknown, by] : slopes) {
    for (int k = 0; k < 3; ++k) {
      const Homogeneous& dM = by[static_cast<std::size_t>(k)];
      const Matrix4d dA = dM[0] * H_LI, dB = dM[1] * H_LI, dC = dM[2] * H_LI;
      const Eigen::Matrix3d dR = dA.topLeftCorner<3, 3>(), dR1 = dB.topLeftCorner<3, 3>();
      felt.H.col(3 * unknown + k) << so3::vee_skew(dR.transpose() * R1 + R.transpose() * dR1),
          dR.transpose() * f + R.transpose() * dC.topRightCorner<3, 1>(),
          dR.transpose() * surroundings.field_W;
    }
  }
  return felt;
}

}  // namespace panto::test
