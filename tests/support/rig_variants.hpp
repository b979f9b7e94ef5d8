#pragma once
// The adversary of rig maps: the same motion of the same body, told by another file. Joints without names,
// names of the wrong side, other axes and units, a mirrored world, other zero angles, spines with fewer
// joints, lost end sites, twist joints. The truth is carried along.

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/rig/axes.hpp"
#include "panto/rig/map.hpp"

namespace panto::test {

/// What a clip truly is.
struct RigTruth {
  std::array<int, kHumanSegmentCount> joint{};  ///< by segment, the spine left out; -1: not measured
  std::vector<int> spine;                       ///< joints from above the pelvis to the chest
  rig::FileAxis up;
  double unit = 1.0;           ///< [m per file unit]
  bool named = true;           ///< the joints have names that say something
  bool names_swapped = false;  ///< ... and they say left where the body is right
  double tipped = 0.0;         ///< share of the clip in which the body lies or is upside down
};

struct RigVariant {
  SkeletonClip clip;
  RigTruth truth;
  std::string how;  ///< what was done, for messages
};

using Rng = std::mt19937;

inline double uniform(Rng& rng, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(rng);
}
inline int below(Rng& rng, int count) { return std::uniform_int_distribution<int>(0, count - 1)(rng); }

inline Eigen::Matrix3d random_rotation(Rng& rng) {
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond q(normal(rng), normal(rng), normal(rng), normal(rng));
  return q.normalized().toRotationMatrix();
}

template <typename Function>
void for_each_pose(SkeletonClip& clip, Function&& function) {
  function(clip.rest);
  for (SkeletonPose& pose : clip.frames) function(pose);
}

/// Joints in another order: new joint i is old joint order[i]; parents keep preceding their children.
inline void reorder(RigVariant& variant, const std::vector<int>& order) {
  std::vector<int> now(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) now[at(order[i])] = static_cast<int>(i);
  const std::vector<SkeletonJoint> old = variant.clip.joints;
  for (std::size_t i = 0; i < order.size(); ++i) {
    SkeletonJoint joint = old[at(order[i])];
    if (joint.parent >= 0) joint.parent = now[at(joint.parent)];
    variant.clip.joints[i] = joint;
  }
  for_each_pose(variant.clip, [&](SkeletonPose& pose) {
    const SkeletonPose before = pose;
    for (std::size_t i = 0; i < order.size(); ++i) {
      pose.R_FJ[i] = before.R_FJ[at(order[i])];
      pose.p_FJ[i] = before.p_FJ[at(order[i])];
    }
  });
  for (int& joint : variant.truth.joint) joint = joint < 0 ? -1 : now[at(joint)];
  for (int& joint : variant.truth.spine) joint = now[at(joint)];
}

/// Children in random order.
inline void shuffle_children(RigVariant& variant, Rng& rng) {
  const auto count = static_cast<int>(variant.clip.joints.size());
  std::vector<int> order, open;
  for (int j = 0; j < count; ++j) {
    if (variant.clip.joints[at(j)].parent < 0) open.push_back(j);
  }
  while (!open.empty()) {
    const int joint = open.back();
    open.pop_back();
    order.push_back(joint);
    std::vector<int> children;
    for (int j = 0; j < count; ++j) {
      if (variant.clip.joints[at(j)].parent == joint) children.push_back(j);
    }
    std::shuffle(children.begin(), children.end(), rng);
    open.insert(open.end(), children.begin(), children.end());
  }
  reorder(variant, order);
  variant.how += " shuffled";
}

/// Names j0, j1, ... that say nothing.
inline void rename_all(RigVariant& variant, Rng& rng) {
  std::vector<int> numbers(variant.clip.joints.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  std::shuffle(numbers.begin(), numbers.end(), rng);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    variant.clip.joints[i].name = "j" + std::to_string(numbers[i]);
  }
  variant.truth.named = false;
  variant.how += " nameless";
}

/// "LeftLeg" -> "RightLeg", "CC_Base_R_Hand" -> "CC_Base_L_Hand", "lhand" -> "rhand".
inline std::string other_side(std::string name) {
  const auto swap_words = [&](const std::string& left, const std::string& right) {
    for (const auto& [from, to] : {std::pair{left, right}, std::pair{right, left}}) {
      const std::size_t found = name.find(from);
      if (found == std::string::npos) continue;
      name.replace(found, from.size(), to);
      return true;
    }
    return false;
  };
  if (swap_words("Left", "Right") || swap_words("_L_", "_R_") || name.size() < 2) return name;
  const bool capital =
      (name[0] == 'L' || name[0] == 'R') && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  if (capital) name[0] = name[0] == 'L' ? 'R' : 'L';
  if (name == "lhand" || name == "rhand") name[0] = name[0] == 'l' ? 'r' : 'l';
  return name;
}

/// Every name says the other side.
inline void swap_names(RigVariant& variant) {
  for (SkeletonJoint& joint : variant.clip.joints) joint.name = other_side(joint.name);
  variant.truth.names_swapped = !variant.truth.names_swapped;
  variant.how += " names-swapped";
}

/// World turned by G, a rotation.
inline void turn_world(RigVariant& variant, const Eigen::Matrix3d& G) {
  for_each_pose(variant.clip, [&](SkeletonPose& pose) {
    for (Eigen::Vector3d& p : pose.p_FJ) p = G * p;
    for (Eigen::Matrix3d& R : pose.R_FJ) R = G * R;
  });
}

inline void turn_up(RigVariant& variant, rig::FileAxis up) {
  turn_world(variant, rig::world_from_file(up).transpose() * rig::world_from_file(variant.truth.up));
  variant.truth.up = up;
  variant.how += " up=" + to_string(up);
}

inline void turn_about_up(RigVariant& variant, double angle) {
  const Eigen::Matrix3d R_WF = rig::world_from_file(variant.truth.up);
  turn_world(variant, R_WF.transpose() * so3::about_axis(2, angle) * R_WF);
  variant.how += " turned=" + std::to_string(std::lround(angle * 180.0 / M_PI));
}

inline void scale_by(RigVariant& variant, double factor) {
  for_each_pose(variant.clip, [&](SkeletonPose& pose) {
    for (Eigen::Vector3d& p : pose.p_FJ) p *= factor;
  });
  for (SkeletonJoint& joint : variant.clip.joints) {
    for (Eigen::Vector3d& tip : joint.tips) tip *= factor;
  }
  variant.truth.unit /= factor;
  variant.how += " scale=" + std::to_string(factor);
}

/// The world as in a mirror: left limbs are right ones now.
inline void mirror(RigVariant& variant) {
  const Eigen::Matrix3d M = Eigen::Vector3d(-1.0, 1.0, 1.0).asDiagonal();
  for_each_pose(variant.clip, [&](SkeletonPose& pose) {
    for (Eigen::Vector3d& p : pose.p_FJ) p = M * p;
    for (Eigen::Matrix3d& R : pose.R_FJ) R = M * R * M;
  });
  for (SkeletonJoint& joint : variant.clip.joints) {
    for (Eigen::Vector3d& tip : joint.tips) tip = M * tip;
  }
  RigTruth& truth = variant.truth;
  if (truth.up.axis == 0) truth.up.negative = !truth.up.negative;
  constexpr int kSide = HumanSegment::LeftShoulder - HumanSegment::RightShoulder,
                kLegs = HumanSegment::LeftUpperLeg - HumanSegment::RightUpperLeg;
  for (int s = HumanSegment::RightShoulder; s <= HumanSegment::RightHand; ++s)
    std::swap(truth.joint[at(s)], truth.joint[at(s + kSide)]);
  for (int s = HumanSegment::RightUpperLeg; s <= HumanSegment::RightToe; ++s)
    std::swap(truth.joint[at(s)], truth.joint[at(s + kLegs)]);
  truth.names_swapped = !truth.names_swapped;
  variant.how += " mirrored";
}

/// Other zero angles for every joint: R_FJ' = R_FJ Q_j. The motion of origins and tips stays.
inline void turn_rest(RigVariant& variant, Rng& rng) {
  SkeletonClip& clip = variant.clip;
  std::vector<Eigen::Matrix3d> Q;
  for (std::size_t j = 0; j < clip.joints.size(); ++j) Q.push_back(random_rotation(rng));
  const SkeletonPose rest = clip.rest;
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    for (Eigen::Vector3d& tip : clip.joints[j].tips) tip = Q[j].transpose() * tip;
    for (SkeletonPose& pose : clip.frames) pose.R_FJ[j] = pose.R_FJ[j] * Q[j];
    const int parent = clip.joints[j].parent;
    if (parent < 0) continue;
    // the same offset from the parent, seen in its new frame; all angles zero again
    const Eigen::Vector3d offset = rest.R_FJ[at(parent)].transpose() * (rest.p_FJ[j] - rest.p_FJ[at(parent)]);
    clip.rest.p_FJ[j] =
        clip.rest.p_FJ[at(parent)] + clip.rest.R_FJ[at(parent)] * Q[at(parent)].transpose() * offset;
    clip.rest.R_FJ[j] = clip.rest.R_FJ[at(parent)];
  }
  variant.how += " rest-turned";
}

/// A joint less; its children hang on its parent.
inline void remove_joint(RigVariant& variant, int gone) {
  SkeletonClip& clip = variant.clip;
  const int above = clip.joints[at(gone)].parent;
  clip.joints.erase(clip.joints.begin() + gone);
  for (SkeletonJoint& joint : clip.joints) {
    if (joint.parent == gone) {
      joint.parent = above;
    } else if (joint.parent > gone) {
      --joint.parent;
    }
  }
  for_each_pose(clip, [&](SkeletonPose& pose) {
    pose.R_FJ.erase(pose.R_FJ.begin() + gone);
    pose.p_FJ.erase(pose.p_FJ.begin() + gone);
  });
  std::erase(variant.truth.spine, gone);
  const auto shift = [&](int& joint) { joint = joint == gone ? -1 : joint > gone ? joint - 1 : joint; };
  for (int& joint : variant.truth.joint) shift(joint);
  for (int& joint : variant.truth.spine) shift(joint);
}

/// Fewer joints between pelvis and chest, at least `least` (the chest among them).
inline void merge_spine(RigVariant& variant, Rng& rng) {
  const auto count = static_cast<int>(variant.truth.spine.size());
  if (count < 2) return;
  for (int drop = 1 + below(rng, count - 1); drop > 0; --drop) {
    const int last = static_cast<int>(variant.truth.spine.size()) - 1;
    remove_joint(variant, variant.truth.spine[at(below(rng, last))]);
  }
  variant.how += " spine=" + std::to_string(variant.truth.spine.size());
}

inline void remove_tips(RigVariant& variant) {
  for (SkeletonJoint& joint : variant.clip.joints) joint.tips.clear();
  variant.how += " tipless";
}

/// A joint on the bone from `joint` to `child`, `along` of the way, that twists about it. In line: the child
/// hangs on it.
inline void add_twist(RigVariant& variant, int joint, int child, double along, bool in_line, Rng& rng) {
  SkeletonClip& clip = variant.clip;
  const auto added = static_cast<int>(clip.joints.size());
  clip.joints.push_back({clip.joints[at(joint)].name + "Twist", joint, {}});
  const double amount = uniform(rng, 0.0, 0.5);
  int frame = 0;
  for_each_pose(clip, [&](SkeletonPose& pose) {
    const Eigen::Vector3d bone = pose.p_FJ[at(child)] - pose.p_FJ[at(joint)];
    const double angle = &pose == &clip.rest ? 0.0 : amount * std::sin(0.3 * frame++);
    pose.p_FJ.push_back(pose.p_FJ[at(joint)] + along * bone);
    pose.R_FJ.push_back(so3::exp(bone.normalized() * angle) * pose.R_FJ[at(joint)]);
  });
  if (!in_line) return;
  // parents before children again: the new joint goes just before the child
  clip.joints[at(child)].parent = added;
  std::vector<int> order;
  for (int j = 0; j < added; ++j) {
    if (j == child) order.push_back(added);
    order.push_back(j);
  }
  reorder(variant, order);
}

inline void add_twists(RigVariant& variant, Rng& rng) {
  constexpr std::array<std::pair<int, int>, 8> kBones{
      {{HumanSegment::RightUpperArm, HumanSegment::RightForeArm},
       {HumanSegment::RightForeArm, HumanSegment::RightHand},
       {HumanSegment::LeftUpperArm, HumanSegment::LeftForeArm},
       {HumanSegment::LeftForeArm, HumanSegment::LeftHand},
       {HumanSegment::RightUpperLeg, HumanSegment::RightLowerLeg},
       {HumanSegment::RightLowerLeg, HumanSegment::RightFoot},
       {HumanSegment::LeftUpperLeg, HumanSegment::LeftLowerLeg},
       {HumanSegment::LeftLowerLeg, HumanSegment::LeftFoot}}};
  const bool in_line = below(rng, 2) == 0;
  for (const auto& [upper, lower] : kBones) {
    if (below(rng, 2) == 0) continue;
    const int joint = variant.truth.joint[at(upper)], child = variant.truth.joint[at(lower)];
    if (variant.clip.joints[at(child)].parent != joint) continue;
    add_twist(variant, joint, child, uniform(rng, 0.3, 0.7), in_line, rng);
  }
  variant.how += in_line ? " twists-in-line" : " twists";
}

/// A root above all that never moves.
inline void add_root(RigVariant& variant) {
  SkeletonClip& clip = variant.clip;
  for (SkeletonJoint& joint : clip.joints) ++joint.parent;
  clip.joints.insert(clip.joints.begin(), SkeletonJoint{"Armature", -1, {}});
  for_each_pose(clip, [](SkeletonPose& pose) {
    pose.R_FJ.insert(pose.R_FJ.begin(), Eigen::Matrix3d::Identity());
    pose.p_FJ.insert(pose.p_FJ.begin(), Eigen::Vector3d::Zero());
  });
  for (int& joint : variant.truth.joint) joint += joint >= 0 ? 1 : 0;
  for (int& joint : variant.truth.spine) ++joint;
  variant.how += " extra-root";
}

// ---- what lies, hangs on, or stands beside
// -----------------------------------------------------------------

/// A joint that moves with `parent`, at `offset` in its frame.
inline int add_still(RigVariant& variant, const std::string& name, int parent,
                     const Eigen::Vector3d& offset) {
  SkeletonClip& clip = variant.clip;
  clip.joints.push_back({name, parent, {}});
  for_each_pose(clip, [&](SkeletonPose& pose) {
    pose.p_FJ.emplace_back(pose.p_FJ[at(parent)] + pose.R_FJ[at(parent)] * offset);
    pose.R_FJ.push_back(pose.R_FJ[at(parent)]);
  });
  return static_cast<int>(clip.joints.size()) - 1;
}

/// Length of thigh and shank in the first frame [file units].
inline double leg_of(const RigVariant& variant) {
  const auto& p = variant.clip.frames.front().p_FJ;
  const auto joint = [&](int segment) { return p[at(variant.truth.joint[at(segment)])]; };
  return (joint(HumanSegment::RightUpperLeg) - joint(HumanSegment::RightLowerLeg)).norm() +
         (joint(HumanSegment::RightLowerLeg) - joint(HumanSegment::RightFoot)).norm();
}

inline Eigen::Vector3d random_direction(Rng& rng) { return random_rotation(rng).col(0); }

/// Things held and worn: one to three joints on hands or feet.
inline void add_props(RigVariant& variant, Rng& rng) {
  constexpr std::array<const char*, 6> kNames{"Prop", "Sword", "Weapon", "Camera", "Racket", "Holder"};
  for (const int segment : {HumanSegment::RightHand, HumanSegment::LeftHand, HumanSegment::RightFoot}) {
    const int joint = variant.truth.joint[at(segment)];
    if (joint < 0 || below(rng, 2) == 0) continue;
    const double length =
        (segment == HumanSegment::RightFoot ? 0.1 : uniform(rng, 0.1, 1.0)) * leg_of(variant);
    const Eigen::Vector3d way = length * random_direction(rng);
    int parent = joint;
    for (int k = 1 + below(rng, 3); k > 0; --k)
      parent = add_still(variant, kNames[at(below(rng, 6))] + std::to_string(k), parent, way / 3.0);
  }
  variant.how += " props";
}

/// Joints at the places of others that never turn against them: a finger's base at the wrist, a helper at the
/// knee.
inline void add_coincident(RigVariant& variant, Rng& rng) {
  for (const int segment : {HumanSegment::RightHand, HumanSegment::LeftHand, HumanSegment::LeftLowerLeg,
                            HumanSegment::RightFoot, HumanSegment::Head}) {
    const int joint = variant.truth.joint[at(segment)];
    if (joint < 0 || below(rng, 2) == 0) continue;
    add_still(variant, variant.clip.joints[at(joint)].name + "Base", joint, Eigen::Vector3d::Zero());
  }
  variant.how += " coincident";
}

/// Returns whether two joints are at one place in all frames and never turn against each other.
inline bool same_joint(const SkeletonClip& clip, int a, int b) {
  if (a == b || a < 0 || b < 0) return a == b;
  const auto relative = [&](const SkeletonPose& pose) -> Eigen::Matrix3d {
    return pose.R_FJ[at(a)].transpose() * pose.R_FJ[at(b)];
  };
  double size = 0.0;
  for (const Eigen::Vector3d& p : clip.frames.front().p_FJ)
    size = std::max(size, (p - clip.frames.front().p_FJ[at(a)]).norm());
  const Eigen::Matrix3d first = relative(clip.frames.front());
  return std::all_of(clip.frames.begin(), clip.frames.end(), [&](const SkeletonPose& pose) {
    return (pose.p_FJ[at(a)] - pose.p_FJ[at(b)]).norm() < 1e-6 * size &&
           so3::distance(first, relative(pose)) < 1e-6;
  });
}

/// The body lies down (quarter turn) or is put on its head (half a turn), on the same floor, for a share of
/// the clip, from its start or to its end; it stays where it does so.
inline void tip_over(RigVariant& variant, double share, double angle, Rng& rng) {
  SkeletonClip& clip = variant.clip;
  const Eigen::Vector3d up = rig::world_from_file(variant.truth.up).row(2).transpose();
  const Eigen::Vector3d axis = random_direction(rng).cross(up).normalized();
  // head and trunk carry the body; hands and feet would lift it as they move
  const auto lowest = [&](const SkeletonPose& pose) {
    double low = 1e300;
    for (const int segment :
         {HumanSegment::Pelvis, HumanSegment::Head, HumanSegment::RightUpperArm, HumanSegment::LeftUpperArm,
          HumanSegment::RightUpperLeg, HumanSegment::LeftUpperLeg})
      low = std::min(low, up.dot(pose.p_FJ[at(variant.truth.joint[at(segment)])]));
    return low;
  };
  double floor = 1e300;
  for (const SkeletonPose& pose : clip.frames) {
    for (const int foot : {HumanSegment::RightFoot, HumanSegment::LeftFoot})
      floor = std::min(floor, up.dot(pose.p_FJ[at(variant.truth.joint[at(foot)])]));
  }
  const auto count = static_cast<int>(clip.frames.size());
  const int blend = std::max(1, count / 20), tipped = static_cast<int>(share * count);
  const bool first = below(rng, 2) == 0;
  const int edge = first ? tipped - 1 : count - tipped;
  const Eigen::Vector3d spot =
      clip.frames[at(std::clamp(edge, 0, count - 1))].p_FJ[at(variant.truth.joint[HumanSegment::Pelvis])];
  for (int k = 0; k < count; ++k) {
    SkeletonPose& pose = clip.frames[at(k)];
    const int within = tipped - (first ? k : count - 1 - k);
    if (within <= 0) continue;
    const Eigen::Matrix3d G =
        so3::exp(axis * (angle * (share >= 1.0 ? 1.0 : std::min(1.0, 1.0 * within / blend))));
    const Eigen::Vector3d centre = pose.p_FJ[at(variant.truth.joint[HumanSegment::Pelvis])];
    for (Eigen::Vector3d& p : pose.p_FJ) p = centre + G * (p - centre);
    for (Eigen::Matrix3d& R : pose.R_FJ) R = G * R;
    const Eigen::Vector3d back = spot - centre;
    const Eigen::Vector3d shift = back - back.dot(up) * up + (floor - lowest(pose)) * up;
    for (Eigen::Vector3d& p : pose.p_FJ) p += shift;
  }
  variant.truth.tipped = share;
  variant.how += (angle > 2.0 ? " head-down=" : " lies=") + std::to_string(std::lround(100.0 * share));
}

/// Somebody else of the same build, three leg lengths away, who does the same later.
inline void add_person(RigVariant& variant, Rng& rng) {
  SkeletonClip& clip = variant.clip;
  const auto joints = static_cast<int>(clip.joints.size());
  const Eigen::Matrix3d R_WF = rig::world_from_file(variant.truth.up);
  const Eigen::Vector3d away = 3.0 * leg_of(variant) * R_WF.row(below(rng, 2)).transpose();
  for (int j = 0; j < joints; ++j) {
    SkeletonJoint joint = clip.joints[at(j)];
    joint.name += "_2";
    if (joint.parent >= 0) joint.parent += joints;
    clip.joints.push_back(joint);
  }
  const std::vector<SkeletonPose> alone = clip.frames;
  const auto add = [&](SkeletonPose& pose, const SkeletonPose& other) {
    for (int j = 0; j < joints; ++j) {
      pose.p_FJ.emplace_back(other.p_FJ[at(j)] + away);
      pose.R_FJ.push_back(other.R_FJ[at(j)]);
    }
  };
  for (std::size_t k = 0; k < alone.size(); ++k)
    add(clip.frames[k], alone[(k + alone.size() / 3) % alone.size()]);
  add(clip.rest, SkeletonPose(clip.rest));
  variant.how += " two-people";
}

/// A random composition of all of the above.
inline RigVariant random_variant(const RigVariant& original, Rng& rng) {
  RigVariant variant = original;
  const auto heads = [&] { return below(rng, 2) == 0; };
  if (heads()) merge_spine(variant, rng);
  if (heads()) add_twists(variant, rng);
  if (heads()) add_root(variant);
  if (heads()) swap_names(variant);
  if (heads()) mirror(variant);
  if (heads()) turn_up(variant, {below(rng, 3), heads()});
  if (heads()) turn_about_up(variant, heads() ? M_PI : uniform(rng, -M_PI, M_PI));
  if (heads()) scale_by(variant, std::pow(10.0, uniform(rng, -2.0, 2.0)));
  if (heads()) turn_rest(variant, rng);
  if (heads()) remove_tips(variant);
  if (heads()) shuffle_children(variant, rng);
  const auto one_in = [&](int n) { return below(rng, n) == 0; };
  if (one_in(3)) tip_over(variant, uniform(rng, 0.0, 1.0), (heads() ? 0.5 : 1.0) * M_PI, rng);
  if (one_in(3)) add_props(variant, rng);
  if (one_in(3)) add_coincident(variant, rng);
  if (heads()) rename_all(variant, rng);
  if (one_in(6)) add_person(variant, rng);
  return variant;
}

}  // namespace panto::test
