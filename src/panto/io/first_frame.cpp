#include "panto/io/first_frame.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/rig/fit.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr double kJumpAngle = 0.1;     // [rad] no joint turns farther from one frame to the next ...
constexpr double kJumpDistance = 0.2;  // [m] ... nor do the hips travel that far ...
constexpr double kJumpFactor = 3.0;    // ... unless they continue like that
constexpr double kOrigin = 1e-9;       // [m]
constexpr double kEqual = 1e-6;        // [rad]
constexpr double kCutDistance = 0.5;   // [m]
constexpr double kCutSpeed = 20.0;     // [m/s]
constexpr double kCutFactor = 5.0;

// measures how far the body moved from one pose to another
struct Step {
  double angle = 0.0;     // [rad] of the joint that turned most
  double distance = 0.0;  // [m] of the pelvis
};

Step step_between(const rig::Map& map, const SkeletonPose& a, const SkeletonPose& b) {
  Step step;
  for (const rig::MapEntry& entry : map.segments) {
    if (entry.joint < 0) continue;
    step.angle = std::max(step.angle, so3::distance(a.R_FJ[at(entry.joint)], b.R_FJ[at(entry.joint)]));
  }
  const std::size_t pelvis = at(map.segments[HumanSegment::Pelvis].joint);
  step.distance = map.unit * (a.p_FJ[pelvis] - b.p_FJ[pelvis]).norm();
  return step;
}

bool over_origin(const rig::Map& map, const SkeletonPose& pose) {
  const Vector3d p = map.unit * (map.R_WF * pose.p_FJ[at(map.segments[HumanSegment::Pelvis].joint)]);
  return std::abs(p.x()) < kOrigin && std::abs(p.y()) < kOrigin;
}

}  // namespace

std::optional<std::string> exporters_rest_pose(const SkeletonClip& clip, const rig::Map& map,
                                               const SkeletonPose& first, const SkeletonPose& second,
                                               const SkeletonPose* third) {
  const bool is_rest = step_between(map, clip.rest, first).angle < kEqual;
  const rig::RestPose kind = rig::judge_pose(clip, map, first);
  const std::string pose = (is_rest ? "all angles are zero" : "a pose") +
                           (kind == rig::RestPose::Other ? "" : std::string(", in ") + to_string(kind));
  if (is_rest && kind == rig::RestPose::T && over_origin(map, first)) return pose + ", over the origin";
  const Step jump = step_between(map, first, second);
  const Step next = third != nullptr ? step_between(map, second, *third) : Step{};
  // a person with hanging arms may be about to start, but no motion starts with a jump
  const bool posed = is_rest || kind == rig::RestPose::T || kind == rig::RestPose::A;
  const double far = std::max(posed ? kJumpDistance : kCutDistance, kJumpFactor * next.distance),
               wide = std::max(kJumpAngle, kJumpFactor * next.angle);
  if ((posed || kind == rig::RestPose::N) && jump.distance > far) {
    return pose + ", and the body is " + decimals(100.0 * jump.distance, 0) + " cm away one frame later";
  }
  if (posed && jump.angle > wide) {
    return pose + ", and a joint turns by " + decimals(jump.angle / kDegree, 0) + " deg until the next frame";
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
