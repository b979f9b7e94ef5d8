#include "panto/retarget/posing_tracker.hpp"

#include <utility>

#include "panto/base/index.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

PosingTracker::PosingTracker(std::vector<PosedLink> links, std::size_t base_entry,
                             std::shared_ptr<const JointMotion> joints, const Model& model)
    : links_(std::move(links)),
      base_entry_(base_entry),
      joints_(std::move(joints)),
      R_WL_(links_.size(), Matrix3d::Identity()),
      rest_(model.rest()) {
  if (joints_ == nullptr) return;
  pose_.R_FJ.reserve(joints_->skeleton().joints.size());
  pose_.p_FJ.reserve(joints_->skeleton().joints.size());
}

// How a recorded joint turned since the rest pose, in its own frame at rest.
Matrix3d PosingTracker::joint_turn(const PosedLink& link) const noexcept {
  const SkeletonPose& rest = joints_->skeleton().rest;
  const auto local = [&](const SkeletonPose& pose) -> Matrix3d {
    const Matrix3d& R = pose.R_FJ[at(link.joint)];
    return link.joint_parent < 0 ? R : Matrix3d(pose.R_FJ[at(link.joint_parent)].transpose() * R);
  };
  return local(rest).transpose() * local(pose_);
}

// Sets the link's orientation; returns false if nothing tells it.
bool PosingTracker::place(const PosedLink& link, const SegmentSample& sample, Matrix3d& R_WL) const noexcept {
  const auto oriented = [&](int entry) {
    return entry >= 0 && at(entry) < sample.segments.size() && sample.segments[at(entry)].has_orientation;
  };
  if (link.parent >= 0 && link.joint >= 0) {
    if (!posed_) return false;
    R_WL = R_WL_[at(link.parent)] * link.R_rest * link.from_joint * joint_turn(link) *
           link.from_joint.transpose();
    return true;
  }
  if (link.entry >= 0) {
    if (!oriented(link.entry)) return false;
    R_WL = sample.segments[at(link.entry)].R_WS;
    return true;
  }
  if (link.lower >= 0) {
    if (!oriented(link.upper_entry)) return false;
    R_WL = part_of_turn(R_WL_[at(link.lower)], sample.segments[at(link.upper_entry)].R_WS, link.share);
    return true;
  }
  if (link.parent < 0) return false;
  const Vector3d angles = rest_.segment<3>(link.first_dof);
  R_WL = R_WL_[at(link.parent)] * euler::to_rotation(angles, link.order);
  return true;
}

StepStatus PosingTracker::step(const SegmentSample& sample, State& state) noexcept {
  if (base_entry_ >= sample.segments.size() || !sample.segments[base_entry_].has_orientation)
    return StepStatus::NoTarget;
  for (const SegmentMotion& segment : sample.segments)
    if ((segment.has_orientation && !so3::is_rotation(segment.R_WS)) ||
        (segment.has_position && !segment.p_WS.allFinite()))
      return StepStatus::TargetNotFinite;
  if (began_ && sample.t <= state.t) return StepStatus::TimeNotAdvancing;
  try {
    posed_ = joints_ != nullptr && joints_->pose(sample.t, pose_);
  } catch (...) {
    posed_ = false;
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const PosedLink& link = links_[i];
    Matrix3d R_WL;
    const bool told = place(link, sample, R_WL);
    if (link.parent < 0) {
      if (told) state.R_WB = so3::project(R_WL);
      R_WL_[i] = state.R_WB;
      continue;
    }
    const Matrix3d& R_WP = R_WL_[at(link.parent)];
    if (told) {
      const Vector3d before = state.s.segment<3>(link.first_dof);
      state.s.segment<3>(link.first_dof) = euler::nearest(R_WP.transpose() * R_WL, link.order, before);
      R_WL_[i] = R_WL;
    } else {
      R_WL_[i] = R_WP * euler::to_rotation(state.s.segment<3>(link.first_dof), link.order);
    }
  }
  if (sample.segments[base_entry_].has_position) state.p_WB = sample.segments[base_entry_].p_WS;
  state.t = sample.t;
  began_ = true;
  return StepStatus::Solved;
}

}  // namespace panto
