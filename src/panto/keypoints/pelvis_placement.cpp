#include "panto/keypoints/pelvis_placement.hpp"

#include <Eigen/Geometry>

#include "panto/math/decompositions.hpp"
#include "panto/math/so3.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr int kRounds = 4;  // of Gauss and Newton; corrections are 1 to 2 cm, and the rest falls to microns

}  // namespace

RigidPose place_pelvis(std::span<const Vector3d> shape, std::span<const Vector3d> markers,
                       const std::array<Thigh, 2>& thighs, const RigidPose& start) {
  RigidPose pose = start;
  for (int round = 0; round < kRounds; ++round) {
    Matrix6 N = Matrix6::Zero();
    Vector6 r = Vector6::Zero();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (!markers[i].allFinite()) continue;
      const Vector3d v = pose.R * shape[i];
      Eigen::Matrix<double, 3, 6> J;
      J << Matrix3d::Identity(), -so3::hat(v);
      N += J.transpose() * J;
      r += J.transpose() * (markers[i] - pose.p - v);
    }
    for (const Thigh& thigh : thighs) {
      const Vector3d v = pose.R * thigh.hip, bone = pose.p + v - thigh.knee;
      const double length = bone.norm();
      if (!(length > 0.0) || !(thigh.length > 0.0)) continue;  // false for NaN too
      Vector6 J;
      J << bone / length, v.cross(bone) / length;
      N += J * J.transpose();
      r += J * (thigh.length - length);
    }
    const Eigen::VectorXd x = solve_symmetric(Eigen::MatrixXd(N), Eigen::VectorXd(r));
    if (!x.allFinite()) return start;
    pose.p += x.head<3>();
    pose.R = so3::exp(x.tail<3>()) * pose.R;
  }
  return pose;
}

}  // namespace panto::keypoints
