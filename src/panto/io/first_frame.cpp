#include "panto/io/first_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr double kSameAngle = 0.1;     // [rad] a T-pose; in Xsens' the forearms are 0.04 off
constexpr double kJumpAngle = 0.1;     // [rad] no joint turns that far from one frame to the next ...
constexpr double kJumpDistance = 0.2;  // [m] ... nor do the hips travel that far ...
constexpr double kJumpFactor = 3.0;    // ... unless they go on like that
constexpr double kOrigin = 1e-9;       // [m]
constexpr double kEqual = 1e-6;        // [rad]
constexpr double kCutDistance = 0.5;   // [m]
constexpr double kCutSpeed = 20.0;     // [m/s]
constexpr double kCutFactor = 5.0;

// how far the body moved from one pose to another
struct Step {
  double angle = 0.0;     // [rad] of the joint that turned most
  double distance = 0.0;  // [m] of the pelvis
};

Step step_between(const Rig& rig, const SkeletonPose& a, const SkeletonPose& b) {
  Step step;
  for (const RigMapEntry& entry : rig.map.segments) {
    if (entry.joint < 0) continue;
    step.angle = std::max(step.angle, so3::distance(a.R_FJ[at(entry.joint)], b.R_FJ[at(entry.joint)]));
  }
  const std::size_t pelvis = at(rig.map.segments[Pelvis].joint);
  step.distance = rig.map.unit * (a.p_FJ[pelvis] - b.p_FJ[pelvis]).norm();
  return step;
}

bool over_origin(const Rig& rig, const SkeletonPose& pose) {
  const Vector3d p = rig.map.unit * (rig.map.R_WF * pose.p_FJ[at(rig.map.segments[Pelvis].joint)]);
  return std::abs(p.x()) < kOrigin && std::abs(p.y()) < kOrigin;
}

// arms level to both sides, the body upright
bool in_t_pose(const Rig& rig, const SkeletonPose& pose) {
  std::vector<SegmentMotion> segments;
  rig_segments(rig, pose, segments);
  const Eigen::Matrix3d& R_WB = segments[Pelvis].R_WS;
  if (!(R_WB(2, 2) > std::cos(kSameAngle))) return false;
  constexpr std::array<int, 4> arms{RightUpperArm, RightForeArm, LeftUpperArm, LeftForeArm};
  return std::all_of(arms.begin(), arms.end(), [&](int arm) {
    return segments[at(arm)].has_orientation && so3::distance(segments[at(arm)].R_WS, R_WB) < kSameAngle;
  });
}

}  // namespace

std::optional<std::string> exporters_rest_pose(const Rig& rig, const SkeletonPose& rest,
                                               const SkeletonPose& first, const SkeletonPose& second,
                                               const SkeletonPose* third) {
  const bool is_rest = step_between(rig, rest, first).angle < kEqual, at_origin = over_origin(rig, first);
  const bool t_pose = at_origin && in_t_pose(rig, first);
  if (!is_rest && !t_pose) return {};
  if (is_rest && t_pose) return "all angles are zero, a T-pose over the origin";
  const Step jump = step_between(rig, first, second);
  const Step next = third != nullptr ? step_between(rig, second, *third) : Step{};
  const std::string pose = is_rest ? "all angles are zero" : "a T-pose over the origin";
  if (jump.distance > std::max(kJumpDistance, kJumpFactor * next.distance)) {
    return pose + ", and the body is " + std::to_string(std::lround(100.0 * jump.distance)) +
           " cm away one frame later";
  }
  if (jump.angle > std::max(kJumpAngle, kJumpFactor * next.angle)) {
    return pose + ", and a joint turns by " +
           std::to_string(std::lround(jump.angle * 180.0 / std::numbers::pi)) + " deg to the frame after it";
  }
  return {};
}

std::vector<std::int64_t> find_cuts(const std::vector<Vector3d>& pelvis, double rate_hz) {
  std::vector<std::int64_t> cuts;
  double before = 0.0;
  for (std::size_t k = 1; k < pelvis.size(); ++k) {
    const double way = (pelvis[k] - pelvis[k - 1]).norm();
    const bool cut = way > kCutDistance && way * rate_hz > kCutSpeed && way > kCutFactor * before;
    if (cut) cuts.push_back(static_cast<std::int64_t>(k));
    before = cut ? 0.0 : way;
  }
  return cuts;
}

}  // namespace panto::io
