#include "panto/io/bvh_character.hpp"

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/gltf.hpp"
#include "panto/io/input.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/recording/joint_motion.hpp"
#include "panto/rig/families.hpp"
#include "panto/rig/fit.hpp"
#include "panto/rig/map.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr std::int64_t kMotion = 3;  // frames of a file that shows a motion
constexpr double kSure = 0.5;        // confidence above which a decision needs no note
constexpr double kUpsideDown = 0.5;  // cosine between down and the direction from pelvis to head

std::vector<int> rotation_axes(const BvhJoint& joint) {
  std::vector<int> axes;
  for (const BvhChannel channel : joint.channels)
    if (is_rotation(channel)) axes.push_back(axis_of(channel));
  return axes;
}

void check_channels(const BvhClip& clip) {
  for (const BvhJoint& joint : clip.joints) {
    std::vector<int> axes = rotation_axes(joint);
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
      throw FormatError(clip.name + ": joint '" + joint.name +
                        "' turns twice about one axis; export it with three different rotation channels");
  }
}

// Returns the map of a skeleton that never shows how it stands: its family must tell.
rig::Map map_by_family(const SkeletonClip& skeleton, const rig::Map& map) {
  const rig::Family* family = rig::find_family(map.family);
  if (family == nullptr || family->frames.empty())
    throw FormatError(
        skeleton.name +
        ": the pose at rest is neither a T- nor an A-pose, and no frames show how the character "
        "stands: export it with some motion, or with its T-pose as the one frame");
  rig::Hints hints;
  hints.up = family->up.empty() ? "y" : std::string(family->up);
  return rig::map_rig(skeleton, hints);
}

// Returns the channels of the pose at rest: no rotation, every joint where its bone ends. Files whose OFFSETs
// are zero say in their first frame where that is.
std::vector<double> rest_values(const BvhClip& clip) {
  std::vector<double> values(at(clip.channel_count), 0.0);
  for (const BvhJoint& joint : clip.joints) {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (is_rotation(joint.channels[c])) continue;
      const std::size_t column = at(joint.first_channel) + c;
      const double offset = joint.offset[axis_of(joint.channels[c])];
      if (clip.positions == BvhPositions::Replace) values[column] = offset;
      if (joint.parent >= 0 && joint.offset.isZero(0.0) && clip.frame_count > 0)
        values[column] = clip.frame(0)[column];
    }
  }
  return values;
}

// A person may stand on the hands, but a character that never shows its head above the pelvis has another
// axis.
void check_up(const SkeletonClip& skeleton, const rig::Map& map, const std::string& up) {
  const int pelvis = map.segments[HumanSegment::Pelvis].joint, head = map.segments[HumanSegment::Head].joint;
  if (up.empty() || head < 0) return;
  const auto upside_down = [&](const SkeletonPose& pose) {
    const Vector3d rise = map.R_WF * (pose.p_FJ[at(head)] - pose.p_FJ[at(pelvis)]);
    return rise.z() < -kUpsideDown * rise.norm();
  };
  if (!upside_down(skeleton.rest) ||
      !std::all_of(skeleton.frames.begin(), skeleton.frames.end(), upside_down))
    return;
  throw ConfigError(skeleton.name + ": up is '" + up +
                    "' in the map, but then the head is below the pelvis: correct `up`");
}

void describe(const rig::Rig& rig, std::vector<std::string>& notes) {
  for (const rig::Decision& decision : rig.map.decisions) {
    const bool unit = decision.what == "unit of length";
    if (!unit && decision.confidence >= kSure) continue;
    if (unit && decision.confidence >= 0.9) continue;
    notes.push_back("the character: " + decision.what + ": " + decision.answer + ", " + decision.reason);
  }
  std::string missing;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
    if (!rig.offsets[i].valid) missing += (missing.empty() ? "" : ", ") + std::string(kHumanSegmentNames[i]);
  if (!missing.empty()) notes.push_back("the character has no joints for " + missing);
}

// whether channels of the file take the body along its way
bool travels(const BvhClip& clip, const rig::Character& character) {
  for (int j = character.base; j >= 0; j = clip.joints[at(j)].parent)
    for (const BvhChannel channel : clip.joints[at(j)].channels)
      if (!is_rotation(channel)) return true;
  return false;
}

void note_channels(const BvhClip& clip, const rig::Character& character, std::vector<std::string>& notes) {
  std::string stiff;
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    const std::size_t axes = rotation_axes(clip.joints[j]).size();
    if (character.segment[j] >= 0 && axes < 3) stiff += (stiff.empty() ? "'" : "', '") + clip.joints[j].name;
  }
  if (!stiff.empty())
    notes.push_back("the character turns about fewer than three axes at " + stiff +
                    "', so these joints and those after them follow only in part");
  if (!travels(clip, character))
    notes.emplace_back("the character has no position channels, so it stays in one place");
}

}  // namespace

OpenedCharacter open_bvh_character(BvhClip clip, const RecordingInfo& person, const MappedHints& own) {
  check_channels(clip);
  BvhClip still = clip;
  still.values = rest_values(clip);
  still.frame_count = 1;
  if (clip.frame_count == 0) clip = still;
  SkeletonClip skeleton = bvh_skeleton(clip);
  bvh_pose(still, 0, skeleton.rest);
  if (own.hints.rig.complete && own.hints.rig.joint[HumanSegment::Pelvis].empty())
    throw ConfigError("the map names no joint for Pelvis, so the character '" + clip.name +
                      "' cannot follow a person: add it to the map");
  rig::Map map = rig::map_rig(skeleton, own.hints.rig);
  if (map.segments[HumanSegment::Pelvis].joint < 0)
    throw FormatError(clip.name + ": no joint is the pelvis, so the character cannot follow a person");
  check_up(skeleton, map, own.hints.rig.up);
  if (rig::judge_pose(skeleton, map, skeleton.rest) == rig::RestPose::Other) {
    SkeletonPose first;
    bvh_pose(clip, 0, first);
    if (rig::judge_pose(skeleton, map, first) != rig::RestPose::Other) {
      skeleton.rest = std::move(first);
      still.values.assign(clip.frame(0).begin(), clip.frame(0).end());
    }
  }
  if (own.file.empty() && clip.frame_count < kMotion &&
      rig::judge_pose(skeleton, map, skeleton.rest) == rig::RestPose::Other)
    map = map_by_family(skeleton, map);
  rig::Rig rig = rig::align_rig(skeleton, std::move(map), own.hints.offsets);
  if (own.file.empty() && person.rig && person.joints &&
      rig::same_axes(person.joints->skeleton(), *person.rig, skeleton, rig)) {
    rig.offsets = person.rig->offsets;
    rig.map.R_WF = person.rig->map.R_WF;
  }
  std::vector<std::string> notes = clip.notes;
  notes.insert(notes.end(), own.notes.begin(), own.notes.end());
  describe(rig, notes);
  std::vector<bool> turns;
  for (const BvhJoint& joint : clip.joints) turns.push_back(!rotation_axes(joint).empty());
  rig::CharacterModel made = rig::make_character(std::move(skeleton), std::move(rig), turns);
  note_channels(still, made.character, notes);
  const bool goes = travels(still, made.character);
  return {{std::move(still), std::move(made.character), nullptr, goes},
          std::move(made.model),
          std::move(made.rest),
          std::move(notes)};
}

std::shared_ptr<const OpenedCharacter> open_character(const std::string& path, const RecordingInfo& person,
                                                      const std::string& rig) {
  Input input(path);
  const std::string_view head = input.head();
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n\xef\xbb\xbf"), head.size());
  if (!is_gltf(head) && !equal_ignoring_case(head.substr(begin, 9), "HIERARCHY"))
    throw FormatError(
        path +
        ":1: a character is a BVH file, which begins with HIERARCHY, or a glTF file (.glb, .vrm); for a "
        "robot (URDF, MJCF) use --robot");
  SkeletonFile file = read_character_file(input);
  const MappedHints own = read_mapped_hints(rig, 0.0);
  std::vector<std::string> joints;
  for (const BvhJoint& joint : file.clip.joints) joints.push_back(joint.name);
  OpenedCharacter opened = [&] {
    try {
      return open_bvh_character(std::move(file.clip), person, own);
    } catch (const ConfigError& error) {
      if (rig.empty()) throw;
      throw ModelError(place_in_map(joints, own) + ": " + error.what());
    }
  }();
  opened.character.gltf = std::move(file.gltf);
  return std::make_shared<const OpenedCharacter>(std::move(opened));
}

}  // namespace panto::io
