#include "panto/rig/joint_match.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/words.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/rig/character.hpp"
#include "panto/rig/clip.hpp"
#include "panto/rig/names.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kStretched = 75.0 * kDegree;  // thumbs point aside

// 0 thumb .. 4 little finger; -1: none
int finger_of(const std::string& name) {
  constexpr std::array<std::array<std::string_view, 3>, 5> names{{{"thumb", "pollex", "first"},
                                                                  {"index", "fore", "second"},
                                                                  {"middle", "mid", "third"},
                                                                  {"ring", "ring", "fourth"},
                                                                  {"pinky", "little", "fifth"}}};
  const std::vector<std::string> words = words_of_name(name);
  for (const std::string& word : words)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::find(names[i].begin(), names[i].end(), word) != names[i].end()) return static_cast<int>(i);
  return -1;
}

// "Finger12" of 3ds Max: the first digit counts fingers from the thumb, which is 0; elsewhere it is 1
int finger_number(const std::string& name) {
  const std::vector<std::string> words = words_of_name(name);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if ((words[i] == "finger" || words[i] == "digit") &&
        words[i + 1].find_first_not_of("0123456789") == words[i + 1].npos)
      return words[i + 1][0] - '0';
  return -1;
}

// One skeleton as the match sees it.
class Seen {
 public:
  Seen(const SkeletonClip& clip, const Rig& rig)
      : clip_(clip), rig_(rig), segment_(segments_of_joints(rig, clip.joints.size())) {
    for (std::size_t j = 0; j < segment_.size(); ++j) {
      const int parent = clip.joints[j].parent;
      anchor_.push_back(segment_[j] >= 0 ? static_cast<int>(j) : parent >= 0 ? anchor_[at(parent)] : -1);
    }
    find_fingers();
  }

  using Finger = std::pair<int, int>;  // hand and finger
  struct Place {
    int joint = -1;
    bool palm = false;  // its bone lies in the palm
  };

  [[nodiscard]] int segment(int joint) const { return segment_[at(joint)]; }
  [[nodiscard]] int anchor_segment(int joint) const {
    return anchor_[at(joint)] < 0 ? -1 : segment_[at(anchor_[at(joint)])];
  }
  [[nodiscard]] const std::map<Finger, std::vector<Place>>& fingers() const { return fingers_; }
  [[nodiscard]] const SkeletonClip& clip() const { return clip_; }
  [[nodiscard]] const Rig& rig() const { return rig_; }

  // Returns the axes of a joint's bone in the joint's frame: those of the segment that carries it, and of a
  // finger turned by the smallest rotation that takes the hand's bone to the finger's.
  [[nodiscard]] Matrix3d bone_axes(int joint) const {
    const int anchor = anchor_[at(joint)], segment = anchor_segment(joint);
    Matrix3d R_FB = clip_.rest.R_FJ[at(anchor)] * rig_.offsets[at(segment)].R_JS;
    const Vector3d along = bone(joint), hand = R_FB * limb_axis(segment);
    if ((segment == RightHand || segment == LeftHand) && joint != anchor && along.norm() > 0.0)
      R_FB = least_turn(hand, along.normalized()) * R_FB;
    return clip_.rest.R_FJ[at(joint)].transpose() * R_FB;
  }

  // Returns whether a finger's bone points away from the hand at rest, so that its rotation since then says
  // how it bends.
  [[nodiscard]] bool is_stretched(int joint) const {
    const int anchor = anchor_[at(joint)], segment = anchor_segment(joint);
    const Vector3d hand = clip_.rest.R_FJ[at(anchor)] * rig_.offsets[at(segment)].R_JS * limb_axis(segment);
    return angle_between(hand, bone(joint)) < kStretched;
  }

 private:
  // from a joint to the next at rest, in the file's axes; zero if nothing follows
  [[nodiscard]] Vector3d bone(int joint) const {
    for (std::size_t j = at(joint) + 1; j < clip_.joints.size(); ++j)
      if (clip_.joints[j].parent == joint) return clip_.rest.p_FJ[j] - clip_.rest.p_FJ[at(joint)];
    const std::vector<Vector3d>& tips = clip_.joints[at(joint)].tips;
    return tips.empty() ? Vector3d(Vector3d::Zero()) : Vector3d(clip_.rest.R_FJ[at(joint)] * tips.front());
  }

  void find_fingers() {
    const auto is_end = [&](std::size_t j) {
      const std::vector<std::string> words = words_of_name(clip_.joints[j].name);
      return std::any_of(words.begin(), words.end(), [](const std::string& w) {
        return w == "end" || w == "nub" || w == "tip" || w == "site";
      });
    };
    const bool zero_based =
        std::any_of(clip_.joints.begin(), clip_.joints.end(),
                    [](const SkeletonJoint& joint) { return finger_number(joint.name) == 0; });
    for (std::size_t j = 0; j < segment_.size(); ++j) {
      const int joint = static_cast<int>(j), hand = anchor_segment(joint);
      if (segment_[j] >= 0 || (hand != RightHand && hand != LeftHand) || is_end(j)) continue;
      int finger = finger_of(clip_.joints[j].name);
      if (finger < 0 && finger_number(clip_.joints[j].name) >= 0)
        finger = finger_number(clip_.joints[j].name) - (zero_based ? 0 : 1);
      if (finger < 0) continue;
      std::vector<Place>& places = fingers_[{hand, finger}];
      const double from_hand = (clip_.rest.p_FJ[j] - clip_.rest.p_FJ[at(anchor_[j])]).norm();
      places.push_back({joint, finger > 0 && places.empty() && from_hand < bone(joint).norm()});
    }
  }

  const SkeletonClip& clip_;
  const Rig& rig_;
  std::vector<int> segment_, anchor_;
  std::map<Finger, std::vector<Place>> fingers_;
};

void match(const Seen& source, int from, const Seen& target, int to, std::vector<JointMatch>& matches) {
  matches[at(to)] = {from, target.bone_axes(to) * source.bone_axes(from).transpose()};
}

void match_fingers(const Seen& source, const Seen& target, std::vector<JointMatch>& matches) {
  for (const auto& [finger, own] : target.fingers()) {
    const auto found = source.fingers().find(finger);
    if (found == source.fingers().end()) continue;
    const auto& theirs = found->second;
    // a bone in the palm has its like in the palm alone
    std::size_t a = theirs.front().palm && !own.front().palm ? 1 : 0,
                b = own.front().palm && !theirs.front().palm ? 1 : 0;
    for (; a < theirs.size() && b < own.size(); ++a, ++b)
      if (source.is_stretched(theirs[a].joint) && target.is_stretched(own[b].joint))
        match(source, theirs[a].joint, target, own[b].joint, matches);
  }
}

}  // namespace

std::vector<JointMatch> match_joints(const SkeletonClip& source_clip, const Rig& source_rig,
                                     const SkeletonClip& target_clip, const Rig& target_rig) {
  const Seen source(source_clip, source_rig), target(target_clip, target_rig);
  std::vector<JointMatch> matches(target_clip.joints.size());
  match_fingers(source, target, matches);
  const bool posed = source_rig.rest != RestPose::Other && target_rig.rest != RestPose::Other;
  if (!posed && !same_axes(source_clip, source_rig, target_clip, target_rig)) return matches;
  std::map<std::tuple<int, NamedSide, std::string>, int> named;
  const auto key = [](const Seen& seen, int joint) {
    const PlainName name = plain_name(seen.clip().joints[at(joint)].name);
    return std::make_tuple(seen.anchor_segment(joint), name.side, name.core);
  };
  for (int j = 0; j < static_cast<int>(source_clip.joints.size()); ++j)
    if (source.segment(j) < 0 && source.anchor_segment(j) >= 0) named.emplace(key(source, j), j);
  for (int j = 0; j < static_cast<int>(matches.size()); ++j) {
    if (matches[at(j)].source >= 0 || target.segment(j) >= 0 || target.anchor_segment(j) < 0) continue;
    if (const auto found = named.find(key(target, j)); found != named.end())
      match(source, found->second, target, j, matches);
  }
  // a neck of several joints on both sides turns joint by joint
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const int from = source_rig.map.segments[at(i)].joint, to = target_rig.map.segments[at(i)].joint;
    if (!source_rig.offsets[at(i)].aimed || !target_rig.offsets[at(i)].aimed || from < 0 || to < 0) continue;
    bool all = true;
    for (int j = target_rig.map.segments[Head].joint; all && j != to && j >= 0;
         j = target_clip.joints[at(j)].parent)
      all = target.segment(j) >= 0 || matches[at(j)].source >= 0;
    if (all) match(source, from, target, to, matches);
  }
  return matches;
}

}  // namespace panto::rig
