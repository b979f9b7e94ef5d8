// Reads the person from an MVNX file: joint positions, reference pose of the arms, dimensions.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/measured_subject.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kCloses = 0.02;  // [m] joints that meet this closely confirm a reading
constexpr double kGapes = 0.10;   // [m] joints that gape more refute it: half an elbow's lever arm is larger
constexpr double kOtherUnit = 1.0;  // [m] larger gaps: points and positions have different units

/// The two points of one joint.
struct JointPoints {
  Vector3d on_parent, on_child;
};

// Returns the T-pose frame of an arm segment in the N-pose frame of version 3 [docs/formats/mvnx.md]
Matrix3d arm_correction(int segment) {
  if (segment >= RightUpperArm && segment <= RightHand) return so3::about_axis(0, 0.5 * std::numbers::pi);
  if (segment >= LeftUpperArm && segment <= LeftHand) return so3::about_axis(0, -0.5 * std::numbers::pi);
  return Matrix3d::Identity();
}

std::optional<Matrix3d> orientation(const MvnxFrame& frame, std::size_t segment) {
  const auto& q = frame[MvnxVector::Orientation];
  if (q.size() < 4 * (segment + 1)) return std::nullopt;
  const Eigen::Vector4d wxyz(&q[4 * segment]);
  if (!(std::abs(wxyz.norm() - 1.0) <= kMvnxQuaternionTolerance)) return std::nullopt;
  return so3::from_quaternion_wxyz(wxyz);
}

std::optional<Vector3d> position(const MvnxFrame& frame, std::size_t segment) {
  const auto& p = frame[MvnxVector::Position];
  if (p.size() < 3 * (segment + 1)) return std::nullopt;
  const Vector3d value(&p[3 * segment]);
  if (!value.allFinite() || value.cwiseAbs().maxCoeff() > kMvnxLargest) return std::nullopt;
  return value;
}

std::size_t index_of(const MvnxHeader& header, std::string_view label) {
  const MvnxSegment* segment = header.find_segment(label);
  return segment == nullptr ? header.segments.size()
                            : static_cast<std::size_t>(segment - header.segments.data());
}

// by the joints' connectors; if missing, by a joint label ("j...") that both segments have
std::optional<JointPoints> joint_between(const MvnxHeader& header, const MvnxSegment& parent,
                                         const MvnxSegment& child) {
  for (const MvnxJoint& joint : header.joints) {
    if (joint.parent != parent.label || joint.child != child.label) continue;
    const MvnxPoint* a = parent.find_point(joint.parent_point);
    const MvnxPoint* b = child.find_point(joint.child_point);
    if (a != nullptr && b != nullptr) return JointPoints{a->p_S, b->p_S};
  }
  for (const MvnxPoint& a : parent.points) {
    if (a.label.empty() || a.label.front() != 'j' || !a.p_S.allFinite()) continue;
    if (const MvnxPoint* b = child.find_point(a.label)) return JointPoints{a.p_S, b->p_S};
  }
  return std::nullopt;
}

// lowest surface point of feet and toes, from the pelvis' origin
std::optional<double> lowest_sole(const MvnxHeader& header, const SubjectDimensions::Points& origin) {
  const auto z = height_over_pelvis(origin);
  std::optional<double> sole;
  for (const int foot : {RightFoot, LeftFoot, RightToe, LeftToe}) {
    const auto i = static_cast<std::size_t>(foot);
    for (const MvnxPoint& point : header.find_segment(kHumanSegmentNames[i])->points) {
      const bool surface = !point.label.empty() && point.label.front() == 'p' && point.p_S.allFinite();
      if (surface) sole = std::min(sole.value_or(kInfinity), z[i] + point.p_S.z());
    }
  }
  return sole;
}

}  // namespace

std::optional<double> mvnx_closure(const MvnxHeader& header, const MvnxFrame& frame, bool n_pose_arms) {
  std::optional<double> largest;
  for (int child = 1; child < kHumanSegmentCount; ++child) {
    const int parent = kHumanSegmentParent[static_cast<std::size_t>(child)];
    const std::size_t p = index_of(header, kHumanSegmentNames[static_cast<std::size_t>(parent)]);
    const std::size_t c = index_of(header, kHumanSegmentNames[static_cast<std::size_t>(child)]);
    if (p == header.segments.size() || c == header.segments.size()) continue;
    const auto points = joint_between(header, header.segments[p], header.segments[c]);
    const auto R_WP = orientation(frame, p), R_WC = orientation(frame, c);
    const auto p_WP = position(frame, p), p_WC = position(frame, c);
    if (!points || !R_WP || !R_WC || !p_WP || !p_WC) continue;

    // p_parent + R_parent a = p_child + R_child b
    Matrix3d R_parent = *R_WP, R_child = *R_WC;
    if (n_pose_arms) {
      R_parent *= arm_correction(parent);
      R_child *= arm_correction(child);
    }
    const double gap = (*p_WP + R_parent * points->on_parent - *p_WC - R_child * points->on_child).norm();
    largest = std::max(largest.value_or(0.0), gap);
  }
  return largest;
}

bool mvnx_has_n_pose_arms(const MvnxFile& file, std::vector<std::string>& notes) {
  const int major = file.header().major;
  const bool by_version = major > 0 && major < 4;
  const auto t_pose_gap = mvnx_closure(file.header(), file.first(), false);
  const auto n_pose_gap = mvnx_closure(file.header(), file.first(), true);
  if (!t_pose_gap || !n_pose_gap) {
    if (major == 0)
      notes.push_back(fmt::format(
          "{}: states no version of MVN and holds no positions; its arms are read as turns from the "
          "T-pose, as in version 4",
          file.name()));
    return by_version;
  }
  if (const double gap = std::min(*t_pose_gap, *n_pose_gap); gap > kOtherUnit) {
    throw FormatError(
        fmt::format("{}:{}: the joints of the first frame do not meet (gap {:.3g} m): segments lie far from "
                    "their joint points; positions and joint points must be in metres",
                    file.name(), file.first().line, gap));
  }
  const bool t_pose = *t_pose_gap <= kCloses && *n_pose_gap >= kGapes;
  const bool n_pose = *n_pose_gap <= kCloses && *t_pose_gap >= kGapes;
  const bool n_pose_arms = t_pose ? false : n_pose ? true : by_version;
  if (!t_pose && !n_pose) {
    notes.push_back(
        fmt::format("{}: the joints of the first frame do not meet (gap {:.3f} m); joint points and "
                    "poses disagree, so only the version decides about the arms",
                    file.name(), by_version ? *n_pose_gap : *t_pose_gap));
  } else if (n_pose_arms != by_version || major == 0) {
    notes.push_back(
        fmt::format("{}: version=\"{}\", but the joints of the first frame meet only if the arms are "
                    "referenced to the {} (gap {:.4f} m, otherwise {:.4f} m); they are read so",
                    file.name(), file.header().version, n_pose_arms ? "N-pose" : "T-pose",
                    n_pose_arms ? *n_pose_gap : *t_pose_gap, n_pose_arms ? *t_pose_gap : *n_pose_gap));
  }
  return n_pose_arms;
}

std::optional<SubjectDimensions> mvnx_subject(const MvnxHeader& header, std::vector<std::string>& notes) {
  SubjectPoints measured;
  for (std::size_t i = 1; i < kHumanSegmentCount; ++i) {
    const std::string_view child = kHumanSegmentNames[i];
    const std::string_view parent = kHumanSegmentNames[static_cast<std::size_t>(kHumanSegmentParent[i])];
    const MvnxSegment* p = header.find_segment(parent);
    const MvnxSegment* c = header.find_segment(child);
    const auto points = p != nullptr && c != nullptr ? joint_between(header, *p, *c) : std::nullopt;
    if (!points) {
      notes.push_back(fmt::format("no dimensions of the person: the joint between {} and {} has no points",
                                  parent, child));
      return std::nullopt;
    }
    // origin of the child in its parent, both in the T-pose
    measured.origin[i] = points->on_parent - points->on_child;
  }
  for (const int segment : {Head, RightHand, LeftHand, RightToe, LeftToe}) {
    const auto i = static_cast<std::size_t>(segment);
    const MvnxPoint* end = header.find_segment(kHumanSegmentNames[i])->find_point(far_end_name(segment));
    if (end != nullptr) measured.end[i] = end->p_S;
  }
  measured.sole = lowest_sole(header, measured.origin);
  return measured_subject(measured, notes);
}

std::optional<std::array<Matrix3d, kHumanSegmentCount>> mvnx_isb_frames(const MvnxFile& file,
                                                                        bool n_pose_arms) {
  std::array<Matrix3d, kHumanSegmentCount> R_T_isb;
  R_T_isb.fill(Matrix3d::Identity());
  if (n_pose_arms) {
    // the recorded frames are the ISB frames: R_W,isb = R_WS = R_WT (R_ST)^T
    for (int i = 0; i < kHumanSegmentCount; ++i)
      R_T_isb[static_cast<std::size_t>(i)] = arm_correction(i).transpose();
    return R_T_isb;
  }
  const MvnxFrame* tpose = file.special("tpose");
  const MvnxFrame* isb = file.special("tpose-isb");
  if (tpose == nullptr || isb == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const std::size_t segment = index_of(file.header(), kHumanSegmentNames[i]);
    const auto R_WT = orientation(*tpose, segment), R_WI = orientation(*isb, segment);
    if (!R_WT || !R_WI) return std::nullopt;
    R_T_isb[i] = R_WT->transpose() * *R_WI;
  }
  return R_T_isb;
}

}  // namespace panto::io
