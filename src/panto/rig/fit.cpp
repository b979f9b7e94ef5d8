#include "panto/rig/fit.hpp"

#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/rig/alignment.hpp"
#include "panto/rig/clip.hpp"
#include "panto/rig/sizes.hpp"

namespace panto::rig {

const char* to_string(RestPose pose) noexcept {
  switch (pose) {
    case RestPose::T:
      return "T";
    case RestPose::A:
      return "A";
    case RestPose::N:
      return "N";
    case RestPose::Other:
      break;
  }
  return "other";
}

RestPose judge_pose(const SkeletonClip& clip, const Map& map, const SkeletonPose& pose) {
  const SkeletonClip one{clip.name, clip.joints, pose, {pose}, {0.0}};
  return rig::Clip(one, map).judge_rest().kind;
}

namespace {

using enum HumanSegment::Index;

// are there joints between those of neck and head?
bool neck_has_inner_joints(const SkeletonClip& clip, const Map& map) {
  const MapEntry &neck = map.segments[Neck], &head = map.segments[Head];
  if (neck.joint < 0 || neck.next >= 0 || head.joint < 0 || head.next >= 0) return false;
  return head.joint != neck.joint && clip.joints[at(head.joint)].parent != neck.joint;
}

// the origin of a segment that is not spread
Eigen::Vector3d origin_of(const Rig& rig, const SkeletonPose& pose, int segment) {
  const int joint = rig.map.segments[at(segment)].joint;
  Eigen::Vector3d p_WS = rig.map.unit * (rig.map.R_WF * pose.p_FJ[at(joint)]);
  const Eigen::Vector3d& p_JS = rig.offsets[at(segment)].p_JS;
  if (!p_JS.isZero(0.0)) p_WS += rig.map.R_WF * pose.R_FJ[at(joint)] * p_JS;
  return p_WS;
}

}  // namespace

Rig align_rig(const SkeletonClip& clip, Map map, const Offsets& known) {
  const rig::Clip seen(clip, map);
  if (clip.frames.empty())
    throw FormatError(clip.name + ": the clip has no frames, so the rig cannot be aligned");
  if (!seen.has(Pelvis))
    throw FormatError(clip.name + ": no joint is mapped to the pelvis; name one in the map");
  bool sided = false;
  for (int k = 0; k < seen.frame_count() && !sided; ++k) sided = seen.leftwards(k).norm() > 0.1;
  if (!sided) {
    throw FormatError(clip.name +
                      ": facing direction unknown: neither both thighs nor both upper arms have distinct "
                      "joints; name them in the map");
  }
  const rig::RestJudgement rest = seen.judge_rest();
  const rig::Alignment alignment(seen, rest, known);
  Rig result;
  result.rest = rest.kind;
  result.offsets = alignment.offsets();
  result.subject = rig::measure_subject(seen, alignment, result.offsets);
  result.map = std::move(map);
  result.offsets[Neck].aimed =
      result.offsets[Neck].valid && result.offsets[Head].valid && neck_has_inner_joints(clip, result.map);
  return result;
}

void rig_segments(const Rig& rig, const SkeletonPose& pose, std::vector<SegmentMotion>& segments) {
  segments.resize(kHumanSegmentCount);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    SegmentMotion& segment = segments[at(i)] = {};
    const MapEntry& entry = rig.map.segments[at(i)];
    const Offset& offset = rig.offsets[at(i)];
    if (entry.joint < 0 || !offset.valid) continue;
    const Eigen::Matrix3d R_WJ = rig.map.R_WF * pose.R_FJ[at(entry.joint)];
    segment.R_WS = R_WJ * offset.R_JS;
    segment.has_orientation = true;
    if (entry.next >= 0) {
      const Eigen::Matrix3d R_WN = rig.map.R_WF * pose.R_FJ[at(entry.next)] * offset.R_NS;
      segment.R_WS = part_of_turn(segment.R_WS, R_WN, entry.share);
      continue;
    }
    segment.p_WS = origin_of(rig, pose, i);
    if (offset.aimed) {
      const Eigen::Vector3d bone = segment.R_WS * rig.subject.origin[Head],
                            wanted = origin_of(rig, pose, Head) - segment.p_WS;
      if (bone.norm() > 1e-9 && wanted.norm() > 1e-9)
        segment.R_WS = least_turn(bone.normalized(), wanted.normalized()) * segment.R_WS;
    }
    segment.has_position = true;
  }
}

}  // namespace panto::rig
