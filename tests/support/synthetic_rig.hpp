#pragma once
// Skeletons of any family on people whose true poses are known: with the extras, rest poses, axes and units
// that files come with.

#include <map>
#include <string>
#include <vector>

#include "tests/support/rig_families.hpp"
#include "tests/support/rig_people.hpp"

namespace panto::test {

/// What a joint follows.
enum class Follow : unsigned char {
  Segment,  ///< a segment of the body, rigidly
  Swing,    ///< a segment, without its turn about the bone against its parent
  Joint,    ///< the joint before it
  World,    ///< nothing
  Ground,   ///< the point below the pelvis
};

struct RigNode {
  std::string name;
  int parent = -1;
  Follow follow = Follow::Segment;
  int segment = HumanSegment::Pelvis;
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();  ///< in what it follows [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< about which it sways
  double sway = 0.0, speed = 0.0, phase = 0.0;       ///< [rad], [rad/s], [rad]
  std::vector<Eigen::Vector3d> tips;
};

/// Choices of one skeleton.
struct RigChoice {
  FamilyNames names;
  BodyPlan plan;
  int necks = 1;
  bool hands = true, toes = true, fingers = false, tips = true;
  bool tail = false, skirt = false, weapon = false, face = false, eyes = false, hair = false,
       extra_root = false;
};

inline RigChoice random_choice(Rng& rng) {
  const auto one_in = [&](int n) { return below(rng, n) == 0; };
  RigChoice choice;
  const auto& families = rig_families();
  choice.names = families[at(below(rng, static_cast<int>(families.size())))];
  choice.plan.spine = 1 + below(rng, 5);
  choice.plan.clavicles = choice.names.traits.clavicles_on_neck || !one_in(4);
  choice.necks = 1 + (one_in(4) ? 1 : 0);
  choice.hands = !one_in(6);
  choice.toes = !one_in(4);
  choice.fingers = choice.hands && one_in(3);
  choice.tips = !choice.hands || !one_in(4);
  choice.tail = one_in(6);
  choice.skirt = one_in(6);
  choice.weapon = choice.hands && one_in(6);
  choice.face = one_in(6);
  choice.eyes = one_in(4);
  choice.hair = one_in(6);
  choice.extra_root = one_in(4);
  return choice;
}

/// Hangs the joints of a choice on a body.
class RigBuilder {
 public:
  RigBuilder(const RigChoice& choice, const SubjectDimensions& subject, bool swapped, Rng& rng)
      : choice_(choice), names_(choice.names), subject_(subject), swapped_(swapped), rng_(rng) {
    joint_.fill(-1);
    build_trunk();
    for (const bool right : {true, false}) {
      build_leg(right);
      build_arm(right);
    }
    build_extras();
  }

  std::vector<RigNode> nodes;
  [[nodiscard]] const std::array<int, kHumanSegmentCount>& joint() const { return joint_; }
  [[nodiscard]] const std::vector<int>& spine() const { return spine_; }

 private:
  int add(const std::string& name, int parent, int segment,
          const Eigen::Vector3d& offset = Eigen::Vector3d::Zero(), Follow follow = Follow::Segment) {
    RigNode node;
    node.name = name;
    node.parent = parent;
    node.segment = segment;
    node.offset = offset;
    node.follow = follow;
    nodes.push_back(node);
    return static_cast<int>(nodes.size()) - 1;
  }

  // a joint that sways against the one before it
  int add_swaying(const std::string& name, int parent, const Eigen::Vector3d& offset, double sway) {
    const int joint = add(name, parent, -1, offset, Follow::Joint);
    RigNode& node = nodes.back();
    node.axis = random_rotation(rng_).col(0);
    node.sway = sway;
    node.speed = uniform(rng_, 1.0, 6.0);
    node.phase = uniform(rng_, 0.0, 6.0);
    return joint;
  }

  [[nodiscard]] std::string sided(std::string name, bool right) const {
    const std::size_t found = name.find('%');
    return found == std::string::npos
               ? name
               : name.replace(found, 1, right != swapped_ ? names_.right : names_.left);
  }

  void add_end(int joint, const Eigen::Vector3d& end) {
    if (!choice_.tips) return;
    if (names_.traits.end_joints) {
      add(nodes[at(joint)].name + "_End", joint, -1, end, Follow::Joint);
    } else {
      nodes[at(joint)].tips.push_back(end);
    }
  }

  void build_trunk() {
    const FamilyTraits& traits = names_.traits;
    int parent = -1;
    if (choice_.extra_root) parent = add("Reference", parent, -1, {0.3, -0.2, 0.0}, Follow::World);
    if (!traits.root.empty())
      parent = traits.root_in_pelvis ? add(traits.root, parent, HumanSegment::Pelvis)
                                     : add(traits.root, parent, -1, Eigen::Vector3d::Zero(), Follow::Ground);
    if (traits.ik_bones) ik_parent_ = parent;
    const int pelvis = joint_[HumanSegment::Pelvis] = add(names_.pelvis, parent, HumanSegment::Pelvis);
    parent = traits.split_pelvis ? parent : pelvis;
    for (int k = 0; k < 4; ++k) {
      if (!Actor::spine_turns(choice_.plan.spine, k)) continue;
      parent = add(names_.spine[spine_.size()], parent, HumanSegment::L5 + k);
      spine_.push_back(parent);
      if (choice_.plan.spine < 5 || k != 1) continue;
      parent = add(names_.spine[spine_.size()], parent, HumanSegment::L3,
                   0.5 * subject_.origin[HumanSegment::T12]);
      spine_.push_back(parent);
    }
    parent = joint_[HumanSegment::Neck] = add(names_.neck[0], parent, HumanSegment::Neck);
    if (choice_.necks > 1)
      parent = add(names_.neck[1], parent, HumanSegment::Neck, 0.5 * subject_.origin[HumanSegment::Head]);
    const int head = joint_[HumanSegment::Head] = add(names_.head, parent, HumanSegment::Head);
    add_end(head, subject_.end[HumanSegment::Head]);
  }

  // joints between two of a limb
  int add_twists(int joint, int segment) {
    const FamilyTraits& traits = names_.traits;
    if (traits.bend_bones && segment != HumanSegment::RightLowerLeg &&
        segment != HumanSegment::LeftLowerLeg) {
      nodes[at(joint)].follow = Follow::Swing;
      return add(nodes[at(joint)].name + "Twist", joint, segment, 0.45 * subject_.origin[at(segment + 1)]);
    }
    if (!traits.leaf_twists && !traits.line_twists) return joint;
    const int twist = add(nodes[at(joint)].name + (traits.leaf_twists ? "_twist_01" : ".001"), joint, segment,
                          0.5 * subject_.origin[at(segment + 1)]);
    RigNode& node = nodes.back();
    node.axis = subject_.origin[at(segment + 1)].normalized();
    node.sway = uniform(rng_, 0.0, 0.4);
    node.speed = 3.0;
    return traits.line_twists ? twist : joint;
  }

  void build_leg(bool right) {
    const int thigh = right ? HumanSegment::RightUpperLeg : HumanSegment::LeftUpperLeg;
    int parent = names_.traits.thighs_on_spine ? spine_.front() : joint_[HumanSegment::Pelvis];
    if (names_.traits.hip_joints) parent = add(sided("%_HIP", right), parent, HumanSegment::Pelvis);
    for (int i = 0; i < (choice_.toes ? 4 : 3); ++i) {
      const int segment = thigh + i;
      parent = joint_[at(segment)] = add(sided(names_.limb[at(4 + i)], right), parent, segment);
      if (i < 2) parent = add_twists(parent, segment);
    }
    const Eigen::Vector3d end = subject_.end[at(thigh + 3)];
    add_end(parent, choice_.toes ? end : Eigen::Vector3d(subject_.origin[at(thigh + 3)] + end));
  }

  void build_arm(bool right) {
    const int shoulder = right ? HumanSegment::RightShoulder : HumanSegment::LeftShoulder;
    int parent = names_.traits.clavicles_on_neck ? joint_[HumanSegment::Neck] : spine_.back();
    if (choice_.plan.clavicles)
      parent = joint_[at(shoulder)] = add(sided(names_.limb[0], right), parent, shoulder);
    else
      joint_[at(shoulder)] = spine_.back();
    for (int i = 1; i < (choice_.hands ? 4 : 3); ++i) {
      const int segment = shoulder + i;
      parent = joint_[at(segment)] = add(sided(names_.limb[at(i)], right), parent, segment);
      if (i < 3) parent = add_twists(parent, segment);
    }
    const int hand = shoulder + 3;
    if (!choice_.hands) {
      // behind the elbow, or behind the twist joint within the forearm
      const Eigen::Vector3d wrist = subject_.origin[at(hand)];
      add_end(parent, wrist - nodes[at(parent)].offset);
    } else if (choice_.fingers) {
      build_fingers(right, parent, subject_.end[at(hand)]);
    } else {
      add_end(parent, subject_.end[at(hand)]);
    }
  }

  void build_fingers(bool right, int hand, const Eigen::Vector3d& end) {
    constexpr std::array<const char*, 5> kFingers{"Thumb", "Index", "Middle", "Ring", "Pinky"};
    for (int finger = 0; finger < 5; ++finger) {
      const Eigen::Vector3d root =
          finger == 0
              ? Eigen::Vector3d(0.3 * end + 0.25 * end.norm() * Eigen::Vector3d::UnitX())
              : Eigen::Vector3d(0.55 * end + (0.1 * (2.5 - finger)) * end.norm() * Eigen::Vector3d::UnitX());
      int parent = hand;
      for (int k = 0; k < 3; ++k) {
        std::string name = sided(names_.finger, right);
        name.replace(name.find('@'), 1, kFingers[at(finger)]);
        const std::size_t number = name.find('1');
        if (number != std::string::npos) name[number] = static_cast<char>('1' + k);
        parent = add_swaying(name, parent, k == 0 ? root : Eigen::Vector3d(0.17 * end), 0.2);
      }
      add_end(parent, 0.12 * end);
    }
  }

  void build_extras() {
    const double size = subject_.height / 1.75;
    const int head = joint_[HumanSegment::Head], pelvis = joint_[HumanSegment::Pelvis];
    if (choice_.tail)
      add_chain("Tail", pelvis, {-0.1 * size, 0, 0}, {-0.12 * size, 0, -0.1 * size}, 3 + below(rng_, 3));
    if (choice_.skirt) {
      const int chains = below(rng_, 2) == 0 ? 4 : 8, length = 2 + below(rng_, 3);
      const double drop = uniform(rng_, 0.08, 0.25) * size;
      for (int i = 0; i < chains; ++i) {
        const double a = 2.0 * M_PI * (i + 0.5) / chains;
        const Eigen::Vector3d out(0.12 * size * std::cos(a), 0.15 * size * std::sin(a), 0.0);
        add_chain("Skirt" + std::to_string(i) + "_", pelvis, out, {0.2 * out.x(), 0.2 * out.y(), -drop},
                  length);
      }
    }
    for (const double side : {0.033, -0.033}) {
      const std::string name = sided("%", side < 0.0);
      if (choice_.eyes) add_swaying(name + "Eye", head, {0.09 * size, side * size, 0.07 * size}, 0.2);
      if (choice_.hair)
        add_chain("Hair_" + name, head, {-0.07 * size, 2 * side * size, 0.15 * size},
                  {-0.02, 0, -0.15 * size}, 4);
      if (choice_.face)
        for (const char* part : {"Brow", "Lip", "Cheek"})
          add_swaying(name + part, head, {0.1 * size, side * size, uniform(rng_, 0, 0.1) * size}, 0.05);
    }
    if (choice_.face)
      add_end(add_swaying("Jaw", head, {0.03 * size, 0, 0.0}, 0.15), {0.07 * size, 0, -0.02 * size});
    if (choice_.weapon) {
      const int weapon = add("Prop", joint_[HumanSegment::RightHand], -1,
                             0.6 * subject_.end[HumanSegment::RightHand], Follow::Joint);
      add("Blade", weapon, -1, {0.8, 0.0, 0.0}, Follow::Joint);
    }
    if (names_.traits.ik_bones) build_ik();
  }

  void add_chain(const std::string& name, int parent, const Eigen::Vector3d& first,
                 const Eigen::Vector3d& step, int count) {
    for (int i = 0; i < count; ++i)
      parent = add_swaying(name + std::to_string(i), parent, i == 0 ? first : step, 0.15);
    add_end(parent, step);
  }

  void build_ik() {
    const int feet = add("ik_foot_root", ik_parent_, -1, Eigen::Vector3d::Zero(), Follow::Joint);
    add(sided("ik_foot_%", false), feet, HumanSegment::LeftFoot);
    add(sided("ik_foot_%", true), feet, HumanSegment::RightFoot);
    if (!choice_.hands) return;
    const int hands = add("ik_hand_root", ik_parent_, -1, Eigen::Vector3d::Zero(), Follow::Joint);
    const int gun = add("ik_hand_gun", hands, HumanSegment::RightHand);
    add(sided("ik_hand_%", false), gun, HumanSegment::LeftHand);
    add(sided("ik_hand_%", true), gun, HumanSegment::RightHand);
  }

  const RigChoice& choice_;
  const FamilyNames& names_;
  const SubjectDimensions& subject_;
  bool swapped_;
  Rng& rng_;
  std::array<int, kHumanSegmentCount> joint_{};
  std::vector<int> spine_;
  int ik_parent_ = -1;
};

/// World pose of all nodes, t seconds into the clip; without a time all stand as they were built.
inline SkeletonPose node_poses(const std::vector<RigNode>& nodes, const SegmentPoses& body, const double* t) {
  SkeletonPose pose;
  const auto put = [&](const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
    pose.R_FJ.push_back(R);
    pose.p_FJ.push_back(p);
  };
  for (const RigNode& node : nodes) {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = node.offset;
    if (node.follow == Follow::Segment || node.follow == Follow::Swing) {
      R = body.R[at(node.segment)];
      p = body.p[at(node.segment)] + R * node.offset;
    } else if (node.follow == Follow::Joint) {
      R = pose.R_FJ[at(node.parent)];
      p = pose.p_FJ[at(node.parent)] + R * node.offset;
    } else if (node.follow == Follow::Ground) {
      p = {body.p[HumanSegment::Pelvis].x(), body.p[HumanSegment::Pelvis].y(), 0.0};
    }
    if (node.follow == Follow::Swing) {
      const Eigen::Matrix3d R_WP = body.R[at(kHumanSegmentParent[at(node.segment)])];
      const Eigen::Vector3d bone =
          (body.R[at(node.segment)].transpose() * (body.p[at(node.segment) + 1] - body.p[at(node.segment)]))
              .normalized();
      const Eigen::Vector3d turned = R_WP.transpose() * R * bone;
      R = R_WP * Eigen::Quaterniond::FromTwoVectors(bone, turned).toRotationMatrix();
    }
    if (t != nullptr && node.sway != 0.0)
      R = R * so3::exp(node.axis * (node.sway * std::sin(node.speed * *t + node.phase)));
    put(R, p);
  }
  return pose;
}

/// The joints' own axes: those of the body in the T-pose, those of the file in the rest pose, or any.
inline void choose_joint_frames(RigVariant& variant, Rng& rng) {
  const int kind = below(rng, 3);
  SkeletonClip& clip = variant.clip;
  for (std::size_t j = 0; kind > 0 && j < clip.joints.size(); ++j) {
    const Eigen::Matrix3d Q =
        kind == 1 ? Eigen::Matrix3d(clip.rest.R_FJ[j].transpose()) : random_rotation(rng);
    for_each_pose(clip, [&](SkeletonPose& pose) { pose.R_FJ[j] = pose.R_FJ[j] * Q; });
    for (Eigen::Vector3d& tip : clip.joints[j].tips) tip = Q.transpose() * tip;
  }
}

/// Where in the file the person moves: on the floor at height 0, or with the pelvis at the origin at first.
inline void place(RigVariant& variant, Rng& rng) {
  turn_about_up(variant, below(rng, 2) == 0 ? 0.5 * M_PI * below(rng, 4) : uniform(rng, -M_PI, M_PI));
  Eigen::Vector3d shift(uniform(rng, -2.0, 2.0), uniform(rng, -2.0, 2.0), 0.0);
  const Eigen::Vector3d pelvis =
      variant.clip.frames.front().p_FJ[at(variant.truth.joint[HumanSegment::Pelvis])];
  const int kind = below(rng, 5);
  if (kind == 0) shift = -pelvis;
  if (kind == 1) shift.z() = uniform(rng, -1.0, 1.0);
  if (kind == 2) shift = {-pelvis.x(), -pelvis.y(), 0.0};
  for (SkeletonPose& pose : variant.clip.frames) {
    for (Eigen::Vector3d& p : pose.p_FJ) p += shift;
  }
  variant.how += kind < 2 ? " off-the-floor" : "";
}

/// The skeleton at rest lies in the file, as some exporters leave it.
inline void lay_rest(RigVariant& variant, Rng& rng) {
  const Eigen::Matrix3d R = so3::about_axis(below(rng, 2), below(rng, 2) == 0 ? 0.5 * M_PI : -0.5 * M_PI);
  for (Eigen::Vector3d& p : variant.clip.rest.p_FJ) p = R * p;
  for (Eigen::Matrix3d& R_FJ : variant.clip.rest.R_FJ) R_FJ = R * R_FJ;
  variant.how += " rest-lies";
}

/// A rig on a person, and what was chosen.
struct SyntheticRig {
  RigVariant variant;
  Act act = Act::Walk;
  bool rest_lies = false;
  bool has_toe_ends = true;  ///< something lies before the ankles
};

inline RigVariant build_rig(const RigChoice& choice, const Performance& show, const SegmentPoses& rest,
                            bool swapped, Rng& rng) {
  RigVariant variant;
  const RigBuilder builder(choice, show.subject, swapped, rng);
  variant.clip.name = choice.names.family;
  for (const RigNode& node : builder.nodes)
    variant.clip.joints.push_back({node.name, node.parent, node.tips});
  variant.clip.rest = node_poses(builder.nodes, rest, nullptr);
  variant.clip.times = show.times;
  for (std::size_t f = 0; f < show.frames.size(); ++f)
    variant.clip.frames.push_back(node_poses(builder.nodes, show.frames[f], &show.times[f]));
  variant.truth.joint = builder.joint();
  variant.truth.spine = builder.spine();
  variant.truth.up = {2, false};
  variant.truth.names_swapped = swapped;
  variant.truth.named = !choice.names.traits.sideless;
  return variant;
}

inline std::string describe(const RigChoice& choice) {
  std::string text = choice.names.family + " spine=" + std::to_string(choice.plan.spine) +
                     " necks=" + std::to_string(choice.necks);
  const auto say = [&](bool is, const char* what) { text += is ? std::string(" ") + what : ""; };
  say(!choice.plan.clavicles, "no-clavicles");
  say(!choice.hands, "no-hands");
  say(!choice.toes, "no-toes");
  say(choice.fingers, "fingers");
  say(!choice.tips, "no-tips");
  say(choice.tail, "tail");
  say(choice.skirt, "skirt");
  say(choice.weapon, "weapon");
  say(choice.face, "face");
  say(choice.eyes, "eyes");
  say(choice.hair, "hair");
  say(choice.extra_root, "reference");
  return text;
}

/// Anybody doing anything, in anybody's file.
inline SyntheticRig random_rig(Rng& rng) {
  const auto one_in = [&](int n) { return below(rng, n) == 0; };
  const RigChoice choice = random_choice(rng);
  SyntheticRig rig;
  rig.act = static_cast<Act>(below(rng, static_cast<int>(kActNames.size())));
  rig.has_toe_ends = choice.toes || choice.tips;
  constexpr std::array<double, 6> kRates{30.0, 60.0, 90.0, 100.0, 120.0, 240.0};
  const double duration = one_in(3) ? 1.0 : uniform(rng, 2.0, 8.0);
  const double rate = kRates[at(below(rng, 6))];
  Actor actor(random_person(rng), rig.act, choice.plan, rng);
  const Performance show = actor.perform(duration, rate);
  const int rest = below(rng, 4);
  const SegmentPoses& pose = rest == 1 ? show.apose : rest == 2 ? show.npose : show.tpose;
  RigVariant& variant = rig.variant = build_rig(choice, show, pose, one_in(8), rng);
  constexpr std::array<const char*, 4> kRests{" T", " A", " N", ""};
  variant.how = describe(choice) + " | " + show.how + " " + std::to_string(std::lround(duration)) + " s " +
                std::to_string(std::lround(rate)) + " Hz" + kRests[at(rest)] +
                (variant.truth.names_swapped ? " swapped" : "");
  choose_joint_frames(variant, rng);
  place(variant, rng);
  rig.rest_lies = rest < 3 && rig.act != Act::Lie && one_in(12);
  if (rig.rest_lies) lay_rest(variant, rng);
  if (one_in(8)) mirror(variant);
  if (!one_in(3)) turn_up(variant, {one_in(8) ? 0 : 1, one_in(16)});
  constexpr std::array<double, 4> kUnits{1.0, 100.0, 1000.0, 1.0 / 0.0254};
  scale_by(variant, kUnits[at(below(rng, 4))]);
  if (rest == 3) turn_rest(variant, rng);
  if (one_in(3)) shuffle_children(variant, rng);
  if (one_in(4)) rename_all(variant, rng);
  return rig;
}

}  // namespace panto::test
