// A BVH recording as a source of body segments, whatever its skeleton: a part of the frames gives the rig,
// through which every frame is then read. (docs/formats/bvh.md)

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/base/time.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/first_frame.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/model/human.hpp"
#include "panto/recording/joint_motion.hpp"
#include "panto/rig/axes.hpp"
#include "panto/rig/fit.hpp"
#include "panto/rig/map.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr double kSure = 0.5;  // confidence above which a decision needs no note

constexpr double kFarthest = 1e9;  // [m], [units]; beyond, rounding hides lengths of bones

// A clip whose largest angle lies between these may be in radians: a turn or two, but no person at rest.
constexpr double kTurned = 1.0, kRadians = 7.0;
constexpr int kFewestTurning = 30;  // channels: arms, legs and trunk

constexpr double kTellable = 1e4;  // [m] longer jumps are not printed in centimetres

// false for a NaN too
bool within_reach(const Vector3d& p) { return p.squaredNorm() <= kFarthest * kFarthest; }

// all joints in one place: some recorders write this while they see no person
bool is_blank(const SkeletonPose& pose) {
  return pose.p_FJ.size() > 1 && std::all_of(pose.p_FJ.begin(), pose.p_FJ.end(),
                                             [&](const Vector3d& p) { return p == pose.p_FJ.front(); });
}

// Removes every joint that is neither wanted nor a parent of a wanted one. Frames stay unchanged. Returns the
// new index of every joint, -1 for removed ones.
std::vector<int> prune(std::vector<BvhJoint>& joints, std::vector<unsigned char> wanted) {
  for (std::size_t j = joints.size(); j-- > 0;) {
    const int parent = joints[j].parent;
    if (wanted[j] != 0 && parent >= 0) wanted[at(parent)] = 1;
  }
  std::vector<int> index(joints.size(), -1);
  std::vector<BvhJoint> kept;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (wanted[j] == 0) continue;
    index[j] = static_cast<int>(kept.size());
    BvhJoint& joint = kept.emplace_back(std::move(joints[j]));
    if (joint.parent >= 0) joint.parent = index[at(joint.parent)];
  }
  joints = std::move(kept);
  return index;
}

// Returns a warning where no angle of a moving clip leaves one turn in radians: a person who moves turns some
// joint by more than 6.3 degrees.
std::string radians_warning(const BvhClip& clip) {
  double least = 0.0, most = 0.0;
  int turning = 0;
  for (const BvhJoint& joint : clip.joints) {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (!is_rotation(joint.channels[c])) continue;
      ++turning;
      for (std::int64_t k = 0; k < clip.frame_count; ++k) {
        const double value = clip.frame(k)[at(joint.first_channel) + c];
        least = std::min(least, value), most = std::max(most, value);
      }
    }
  }
  const double farthest = std::max(most, -least);
  if (turning < kFewestTurning || farthest < kTurned || farthest > kRadians) return "";
  return "warning: no angle is beyond " + decimals(farthest, 1) +
         " deg: where these are radians, multiply them by 57.2958, for BVH has degrees";
}

// Returns a note where nothing moves the body as a whole.
std::string place_note(const BvhClip& clip) {
  for (const BvhJoint& joint : clip.joints) {
    if (joint.parent < 0 && std::any_of(joint.channels.begin(), joint.channels.end(),
                                        [](BvhChannel channel) { return !is_rotation(channel); }))
      return "";
  }
  return "the root has no position channels: the body turns in one place";
}

// The whole clip, for those who want every joint.
class BvhJoints final : public JointMotion {
 public:
  BvhJoints(std::shared_ptr<const BvhClip> clip, SkeletonClip skeleton)
      : clip_(std::move(clip)), skeleton_(std::move(skeleton)) {
    skeleton_.frames.clear();
    skeleton_.times.clear();
  }
  [[nodiscard]] const SkeletonClip& skeleton() const noexcept override { return skeleton_; }
  [[nodiscard]] bool pose(Time t, SkeletonPose& pose) const override {
    const auto frame = static_cast<std::int64_t>(std::llround(to_seconds(t) * clip_->rate_hz));
    if (frame < 0 || frame >= clip_->frame_count || frame_time(frame, clip_->rate_hz) != t) return false;
    bvh_pose(*clip_, frame, pose);
    return true;
  }

 private:
  std::shared_ptr<const BvhClip> clip_;
  SkeletonClip skeleton_;
};

class BvhMotion final : public Recording {
 public:
  BvhMotion(BvhClip clip, const RecordingHints& options)
      : whole_(std::make_shared<const BvhClip>(std::move(clip))), clip_(*whole_), joints_(clip_.joints) {
    refuse_stillness();
    info_.path = clip_.name;
    info_.rate_hz = clip_.rate_hz;
    info_.notes = clip_.notes;
    info_.incomplete = !clip_.damage.empty();
    for (std::string note : {radians_warning(clip_), place_note(clip_)})
      if (!note.empty()) info_.notes.push_back(std::move(note));
    understand(options);
    keep_needed_joints();
    find_teleports();
    first_ = next_;
    info_.frames = clip_.frame_count - next_;
    // the loop allocates nothing
    pose_.R_FJ.reserve(joints_.size());
    pose_.p_FJ.reserve(joints_.size());
  }

  const std::vector<std::string>& names() const noexcept override { return human_segment_names(); }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }
  void rewind() override {
    next_ = first_;
    problem_.clear();
  }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= clip_.frame_count) return ReadStatus::EndOfMotion;
    bvh_pose(clip_, joints_, next_, pose_);
    sample.t = frame_time(next_, clip_.rate_hz);
    sample.cut = std::binary_search(cuts_.begin(), cuts_.end(), next_);
    rig::rig_segments(rig_, pose_, sample.segments);
    for (std::size_t i = 0; i < sample.segments.size(); ++i) {
      if (!within_reach(sample.segments[i].p_WS)) return malformed(i);
    }
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  ReadStatus malformed(std::size_t segment) noexcept {
    problem_ = clip_.name + ": frame " + std::to_string(next_) + ": the position of '" + names()[segment] +
               "' is further away than 1e9 m";
    next_ = clip_.frame_count;
    return ReadStatus::Malformed;
  }

  void refuse_stillness() const {
    if (clip_.frame_count == 0)
      throw FormatError(clip_.name + ": nothing to track: a skeleton without frames");
    if (clip_.frame_count == 1)
      throw FormatError(clip_.name + ": nothing to track: one frame (a rest pose), no motion");
  }

  void understand(const RecordingHints& options) {
    SkeletonClip skeleton = bvh_skeleton(clip_);
    rig::Map map = rig::map_rig(skeleton, options.rig);
    if (map.segments[HumanSegment::Pelvis].joint < 0)
      throw FormatError(clip_.name +
                        ": the rig map names no joint for Pelvis; Pelvis is the root and always needed");
    note_doubts(map);
    leave_out_rest_pose(skeleton, map);
    rig_ = rig::align_rig(skeleton, std::move(map), options.offsets);
    info_.rig = rig_;
    info_.joints = std::make_shared<const BvhJoints>(whole_, std::move(skeleton));
    for (const BvhJoint& joint : clip_.joints) info_.rig_joints.push_back(joint.name);
    info_.format = clip_.format + " (" + rig_.map.family + ")";
    info_.subject = rig_.subject;
    info_.up = rig::to_string(rig::nearest_axis(rig_.map.R_WF.transpose() * Vector3d::UnitZ()));
    info_.attachments = mvn_attachments();
    info_.attachments.source = info_.format;
    std::string missing;
    auto& attachments = info_.attachments.attachments;
    for (std::size_t i = kHumanSegmentCount; i-- > 0;) {
      if (rig_.offsets[i].valid) continue;
      attachments.erase(attachments.begin() + static_cast<std::ptrdiff_t>(i));
      missing.insert(0, std::string(kHumanSegmentNames[i]) + (missing.empty() ? "" : ", "));
    }
    if (!missing.empty()) info_.notes.push_back("the skeleton has no joints for " + missing);
    if (!rig_.map.unmapped.empty()) {
      info_.notes.push_back(counted(rig_.map.unmapped.size(), "joint") +
                            " without a body segment (fingers, face, helpers) left out");
    }
  }

  // decisions that the user may want to override
  void note_doubts(const rig::Map& map) {
    for (const rig::Decision& decision : map.decisions) {
      const bool swap = map.names_swapped && decision.what == "left and right";
      if (!swap && decision.confidence >= kSure) continue;
      if (decision.what == "person") {
        info_.notes.push_back(decision.reason + "; this is " + decision.answer +
                              "; `person` chooses another by name");
        continue;
      }
      info_.notes.push_back(decision.what + ": " + decision.answer + " (" + decimals(decision.confidence, 2) +
                            "), " + decision.reason + "; override it with a rig map (--rig)");
    }
  }

  // A rest pose in frame 0 shows how the person stands when the zero pose does not.
  void leave_out_rest_pose(SkeletonClip& skeleton, const rig::Map& map) {
    SkeletonPose first, second, third;
    bvh_pose(clip_, 0, first);
    bvh_pose(clip_, 1, second);
    if (clip_.frame_count > 2) bvh_pose(clip_, 2, third);
    const auto why =
        exporters_rest_pose(skeleton, map, first, second, clip_.frame_count > 2 ? &third : nullptr);
    info_.rest_pose_dropped = why.has_value();
    if (!why) return;
    next_ = 1;
    info_.first_frame = 1;
    info_.rest_pose_reason = *why;
    info_.notes.push_back("frame 0 is the exporter's rest pose and is left out (" + *why +
                          "); the first sample is frame 1");
    if (rig::judge_pose(skeleton, map, skeleton.rest) == rig::RestPose::Other)
      skeleton.rest = std::move(first);
  }

  void keep_needed_joints() {
    std::vector<unsigned char> wanted(joints_.size(), 0);
    for (const rig::MapEntry& entry : rig_.map.segments) {
      if (entry.joint >= 0) wanted[at(entry.joint)] = 1;
      if (entry.next >= 0) wanted[at(entry.next)] = 1;
    }
    const std::vector<int> index = prune(joints_, std::move(wanted));
    for (rig::MapEntry& entry : rig_.map.segments) {
      if (entry.joint >= 0) entry.joint = index[at(entry.joint)];
      if (entry.next >= 0) entry.next = index[at(entry.next)];
    }
    rig_.map.unmapped.clear();
  }

  void find_teleports() {
    std::vector<BvhJoint> path = joints_;
    std::vector<unsigned char> wanted(path.size(), 0);
    wanted[at(rig_.map.segments[HumanSegment::Pelvis].joint)] = 1;
    const std::vector<int> index = prune(path, std::move(wanted));
    const std::size_t pelvis = at(index[at(rig_.map.segments[HumanSegment::Pelvis].joint)]);
    std::vector<Vector3d> places;
    for (std::int64_t k = next_; k < clip_.frame_count; ++k) {
      bvh_pose(clip_, path, k, pose_);
      places.emplace_back(rig_.map.unit * pose_.p_FJ[pelvis]);
    }
    for (const std::int64_t cut : find_cuts(places, clip_.rate_hz)) {
      cuts_.push_back(next_ + cut);
      const auto k = static_cast<std::size_t>(cut);
      if (cuts_.size() > 3) continue;
      const double way = (places[k] - places[k - 1]).stableNorm();  // [m]
      const std::string far = way <= kTellable ? decimals(100.0 * way, 0) + " cm" : "more than 10 km";
      info_.notes.push_back("frame " + std::to_string(cuts_.back()) + ": the body is " + far +
                            " from its position one frame before; taken as a cut, the pose is found again");
    }
    if (cuts_.size() > 3)
      info_.notes.push_back("and " + counted(cuts_.size() - 3, "more cut") + " like that");
  }

  std::shared_ptr<const BvhClip> whole_;
  const BvhClip& clip_;
  std::vector<BvhJoint> joints_;  // those that are needed
  RecordingInfo info_;
  rig::Rig rig_;  // as in `info_`, for the remaining joints
  std::vector<std::int64_t> cuts_;
  std::string problem_;
  SkeletonPose pose_;
  std::int64_t first_ = 0, next_ = 0;
};

}  // namespace

SkeletonClip bvh_skeleton(const BvhClip& clip, std::int64_t most_frames) {
  SkeletonClip result;
  result.name = clip.name;
  for (const BvhJoint& joint : clip.joints)
    result.joints.push_back({joint.name, joint.parent, joint.end_sites});
  bvh_rest_pose(clip, result.rest);
  const std::int64_t first = clip.frame_count > 2 ? 1 : 0, available = clip.frame_count - first,
                     count = std::min(available, most_frames);
  SkeletonPose pose;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t frame = first + (count > 1 ? k * (available - 1) / (count - 1) : 0);
    bvh_pose(clip, frame, pose);
    if (!std::all_of(pose.p_FJ.begin(), pose.p_FJ.end(), within_reach) || is_blank(pose)) continue;
    result.frames.push_back(pose);
    result.times.push_back(static_cast<double>(frame) / clip.rate_hz);
  }
  const bool usable = std::all_of(result.rest.p_FJ.begin(), result.rest.p_FJ.end(), within_reach);
  if (result.frames.empty() || !usable)
    throw FormatError(clip.name +
                      ": all its joints are in one place or further away than 1e9 units of length");
  return result;
}

std::unique_ptr<Recording> open_bvh(BvhClip clip, const RecordingHints& hints) {
  return std::make_unique<BvhMotion>(std::move(clip), hints);
}

std::unique_ptr<Recording> open_bvh(const std::string& path, const RecordingHints& hints) {
  return open_bvh(read_bvh_file(path), hints);
}

}  // namespace panto::io
