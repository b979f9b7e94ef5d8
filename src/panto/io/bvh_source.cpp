// Xsens' BVH export as a source of body segments: found by its joint names, turned to MVN's axes and to
// metres. (formats, section 3.4)

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/time.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/motion_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human_segments.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSameAngle =
    0.1;  // [rad] arms this level are in the T-pose; in Xsens' the forearms are 0.04 off
constexpr double kJumpAngle = 0.1;     // [rad] no joint turns that far from one frame to the next ...
constexpr double kJumpDistance = 0.2;  // [m] ... nor do the hips travel that far
constexpr std::size_t kRigSize = kHumanSegmentCount;

// BVH x is MVN's y, y is z, z is x: A v, with A = [0 0 1; 1 0 0; 0 1 0]
Vector3d to_mvn(const Vector3d& v) { return {v.z(), v.x(), v.y()}; }

// A R A^T: the same exchange of rows and columns, exact
Matrix3d to_mvn(const Matrix3d& R) {
  constexpr std::array<int, 3> from{2, 0, 1};
  Matrix3d result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      result(i, j) = R(from[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

// joint of every segment, by name
std::array<std::size_t, kRigSize> find_rig(const BvhClip& clip, const AttachmentMap& map) {
  std::array<std::size_t, kRigSize> rig{};
  std::string missing, wanted;
  std::size_t missing_count = 0;
  for (std::size_t i = 0; i < kRigSize; ++i) {
    const std::string& name = map.attachments[i].segment;
    wanted += (i == 0 ? "" : ", ") + name;
    if (const auto found = clip.find_joint(name)) {
      rig[i] = static_cast<std::size_t>(*found);
    } else {
      missing += (missing_count++ == 0 ? "" : ", ") + name;
    }
  }
  if (missing_count == 0) return rig;
  throw FormatError(clip.name + ":1: not an Xsens skeleton, the only one understood so far: " +
                    std::to_string(missing_count) + " of its 23 joints are missing (" + missing +
                    "); looked for " + wanted);
}

// metres per file unit, from the height of the head above the hips: 0.2 to 1.2 m in a person
double length_unit(const BvhClip& clip, const Vector3d& hips_to_head, std::string& unit) {
  const double height = hips_to_head.norm();
  if (!std::isfinite(height) || height < 0.1) {
    throw FormatError(clip.name + ":1: Head is " + std::to_string(height) +
                      " units from Hips, neither metres nor centimetres of a person");
  }
  if (hips_to_head.y() < 0.7 * height) {
    throw FormatError(clip.name + ":1: Head is not above Hips along y; only files with y up are understood");
  }
  if (height < 4.0) return unit = "m", 1.0;
  if (height < 250.0) return unit = "cm", 0.01;
  if (height < 2500.0) return unit = "mm", 0.001;
  throw FormatError(clip.name + ":1: Head is " + std::to_string(height) +
                    " units above Hips; no known unit of length fits a person");
}

// a T-pose above the origin, as Xsens writes it: arms level, hips straight ahead over x = z = 0
bool stands_in_rest_pose(const std::array<std::size_t, kRigSize>& rig, const SkeletonPose& pose,
                         double unit) {
  constexpr std::array<int, 6> arms{RightUpperArm, RightForeArm, RightHand,
                                    LeftUpperArm,  LeftForeArm,  LeftHand};
  const Vector3d hips = unit * pose.p_FJ[rig[Pelvis]];
  if (std::abs(hips.x()) >= 1e-9 || std::abs(hips.z()) >= 1e-9) return false;
  return std::all_of(arms.begin(), arms.end(), [&](int segment) {
    return so3::angle(pose.R_FJ[rig[static_cast<std::size_t>(segment)]]) < kSameAngle;
  });
}

bool all_zero_angles(const BvhClip& clip, std::int64_t index) {
  const auto values = clip.frame(index);
  for (const BvhJoint& joint : clip.joints) {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      const double value = values[static_cast<std::size_t>(joint.first_channel) + c];
      if (is_rotation(joint.channels[c]) && value != 0.0) return false;
    }
  }
  return true;
}

class XsensBvh final : public MotionFile {
 public:
  explicit XsensBvh(BvhClip clip) : clip_(std::move(clip)) {
    info_.path = clip_.name;
    info_.format = "bvh (xsens)";
    info_.rate_hz = clip_.rate_hz;
    info_.attachments = xsens_bvh_attachments();
    rig_ = find_rig(clip_, info_.attachments);
    for (const Attachment& a : info_.attachments.attachments) names_.push_back(a.segment);
    info_.notes = clip_.notes;
    measure();
    if (begins_with_rest_pose()) {
      next_ = 1;
      info_.notes.push_back("frame 0 is the exporter's rest pose and left out; the first sample is frame 1");
    }
    info_.frames = clip_.frame_count - next_;
    // the loop allocates nothing
    pose_.R_FJ.reserve(clip_.joints.size());
    pose_.p_FJ.reserve(clip_.joints.size());
  }

  const std::vector<std::string>& names() const noexcept override { return names_; }
  const MotionFileInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= clip_.frame_count) return ReadStatus::EndOfMotion;
    bvh_pose(clip_, next_, pose_);
    sample.t = frame_time(next_, clip_.rate_hz);
    sample.segments.resize(kRigSize);
    for (std::size_t i = 0; i < kRigSize; ++i) {
      SegmentMotion& segment = sample.segments[i] = {};
      segment.R_WS = to_mvn(pose_.R_FJ[rig_[i]]);
      segment.p_WS = unit_ * to_mvn(pose_.p_FJ[rig_[i]]);
      segment.has_orientation = segment.has_position = true;
      if (!segment.p_WS.allFinite()) return malformed(i);
    }
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  ReadStatus malformed(std::size_t segment) noexcept {
    problem_ = clip_.name + ": frame " + std::to_string(next_) + ": the position of '" + names_[segment] +
               "' is too large to be computed";
    next_ = clip_.frame_count;
    return ReadStatus::Malformed;
  }

  // unit of length and the person's sizes, from the OFFSETs
  void measure() {
    SkeletonPose rest;
    bvh_rest_pose(clip_, rest);
    const auto at = [&](int segment) -> const Vector3d& {
      return rest.p_FJ[rig_[static_cast<std::size_t>(segment)]];
    };
    std::string unit;
    unit_ = length_unit(clip_, at(Head) - at(Pelvis), unit);
    if (unit != "cm")
      info_.notes.push_back("lengths are taken as " + unit + ", from the height of the head above the hips");
    if (clip_.joints.size() > kRigSize) {
      info_.notes.push_back(std::to_string(clip_.joints.size() - kRigSize) +
                            " joints beyond the 23 of the body are left out");
    }

    SubjectDimensions subject;
    double lowest = 0.0, highest = 0.0;
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const int parent = kHumanSegmentParent[k];
      subject.origin[k] =
          parent < 0 ? Vector3d::Zero() : Vector3d(unit_ * to_mvn(Vector3d(at(i) - at(parent))));
      subject.end[k].setZero();
      const bool leaf = i == Head || i == RightHand || i == LeftHand || i == RightToe || i == LeftToe;
      const BvhJoint& joint = clip_.joints[rig_[k]];
      if (leaf && !joint.end_sites.empty()) subject.end[k] = unit_ * to_mvn(joint.end_sites.front());
      const double z = unit_ * (at(i) - at(Pelvis)).y() + std::min(subject.end[k].z(), 0.0);
      lowest = std::min(lowest, z);
      highest = std::max(highest, unit_ * (at(i) - at(Pelvis)).y() + subject.end[k].z());
    }
    // from the crown to the tip of the toes, which lies within a centimetre of the sole
    subject.height = highest - lowest;
    if (subject.height < 0.3 || subject.height > 3.0) {
      info_.notes.push_back("the skeleton is " + std::to_string(subject.height) +
                            " m high; its sizes are not used");
    } else {
      info_.subject = subject;
    }
  }

  // Xsens overwrites frame 0 with the T-pose at the origin. Zero angles throughout are nobody's motion; a
  // T-pose that is not all zero counts only when the motion does not go on from it.
  bool begins_with_rest_pose() {
    if (clip_.frame_count < 1) return false;
    SkeletonPose first, second;
    bvh_pose(clip_, 0, first);
    if (!stands_in_rest_pose(rig_, first, unit_)) return false;
    if (all_zero_angles(clip_, 0)) return true;
    if (clip_.frame_count < 2) return false;
    bvh_pose(clip_, 1, second);
    if (unit_ * (first.p_FJ[rig_[Pelvis]] - second.p_FJ[rig_[Pelvis]]).norm() > kJumpDistance) return true;
    return std::any_of(rig_.begin(), rig_.end(), [&](std::size_t joint) {
      return so3::distance(first.R_FJ[joint], second.R_FJ[joint]) > kJumpAngle;
    });
  }

  BvhClip clip_;
  MotionFileInfo info_;
  std::array<std::size_t, kRigSize> rig_{};
  std::vector<std::string> names_;
  std::string problem_;
  SkeletonPose pose_;
  double unit_ = 0.01;  // [m per file unit]
  std::int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<MotionFile> open_bvh(const std::string& path, const MotionFileOptions& /*options*/) {
  return std::make_unique<XsensBvh>(read_bvh_file(path));
}

}  // namespace panto::io
