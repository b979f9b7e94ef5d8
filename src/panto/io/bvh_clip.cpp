// A BVH clip once read: names, rate, poses.

#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// computes a joint's world pose: `R` and `p` hold the parent's on entry, its own on return
void descend(const BvhJoint& joint, const double* values, BvhPositions positions, Matrix3d& R, Vector3d& p) {
  Vector3d offset = joint.offset;
  const Matrix3d R_parent = R;
  for (std::size_t c = 0; values != nullptr && c < joint.channels.size(); ++c) {
    const BvhChannel channel = joint.channels[c];
    const int axis = axis_of(channel);
    if (is_rotation(channel)) {
      // the first listed is outermost; whole turns are removed exactly
      const SinCos sc = sincos(std::remainder(values[c], 360.0) * kDegree);
      R = rotated(R, static_cast<signed char>(axis + 1), Vector3d::Zero(), sc.sin, sc.cos);
    } else {
      offset[axis] = positions == BvhPositions::Replace ? values[c] : joint.offset[axis] + values[c];
    }
  }
  p += R_parent * offset;
}

// `values` null: all angles zero, every joint at its OFFSET
void compose(const std::vector<BvhJoint>& joints, BvhPositions positions, const double* values,
             SkeletonPose& pose) {
  pose.R_FJ.resize(joints.size());
  pose.p_FJ.resize(joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const BvhJoint& joint = joints[i];
    Matrix3d R = Matrix3d::Identity();
    Vector3d p = Vector3d::Zero();
    if (joint.parent >= 0) {
      R = pose.R_FJ[at(joint.parent)];
      p = pose.p_FJ[at(joint.parent)];
    }
    descend(joint, values == nullptr ? nullptr : values + joint.first_channel, positions, R, p);
    pose.R_FJ[i] = R;
    pose.p_FJ[i] = p;
  }
}

}  // namespace

std::optional<int> BvhClip::find_joint(std::string_view joint) const noexcept {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].name == joint) return static_cast<int>(i);
  }
  return std::nullopt;
}

double snapped_rate(double frame_time) noexcept {
  constexpr std::array<double, 15> usual{24.0,
                                         25.0,
                                         30.0,
                                         48.0,
                                         50.0,
                                         60.0,
                                         72.0,
                                         90.0,
                                         100.0,
                                         120.0,
                                         240.0,
                                         24000.0 / 1001.0,
                                         30000.0 / 1001.0,
                                         60000.0 / 1001.0,
                                         120000.0 / 1001.0};
  const double rate = 1.0 / frame_time;
  // a time with all its digits is used as written
  const double round = std::round(rate * 1e3) / 1e3;
  if (std::abs(rate - round) <= 1e-12 * rate) return round;
  const auto distance = [rate](double candidate) { return std::abs(rate / candidate - 1.0); };
  const double nearest = *std::min_element(usual.begin(), usual.end(),
                                           [&](double a, double b) { return distance(a) < distance(b); });
  return distance(nearest) <= 1e-3 ? nearest : rate;
}

void bvh_pose(const BvhClip& clip, std::int64_t index, SkeletonPose& pose) {
  compose(clip.joints, clip.positions, clip.frame(index).data(), pose);
}

void bvh_pose(const BvhClip& clip, const std::vector<BvhJoint>& joints, std::int64_t index,
              SkeletonPose& pose) {
  compose(joints, clip.positions, clip.frame(index).data(), pose);
}

void bvh_rest_pose(const BvhClip& clip, SkeletonPose& pose) {
  compose(clip.joints, clip.positions, nullptr, pose);
}

}  // namespace panto::io
