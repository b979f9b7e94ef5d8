#pragma once
// Humanoid robots that no one has seen, with the map that is right for them: proportions, order and direction
// of axes, frames of links, names, wrists, waist, neck, toes, grippers and sensors vary.

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/model.hpp"

namespace panto::test {

struct SyntheticRobotOptions {
  enum class Arms { Hanging, Raised, Bent };  ///< with all joints at zero; Bent: the elbows only
  bool telling_names = true;                  ///< "left_knee"; else "part17"
  bool swapped_names = false;                 ///< left is called right
  bool turned_links = false;                  ///< every link's frame is turned at random, the root's too
  bool flipped_axes = false;                  ///< some joints turn about the opposite axis
  bool shuffled = false;                      ///< links and joints are listed in any order
  bool legs = true;
  int arm_count = 2;  ///< 1: the right one
  bool floating_base = true;
  Arms arms = Arms::Hanging;
  int hip_order = 0;       ///< 0 .. 5: order of pitch, roll and yaw
  bool low_yaw = false;    ///< the hip's last joint, yaw, sits at the knee
  double hip_shift = 0.0;  ///< sideways from the first hip axis to the next [m]
  double crouch = 0.0;     ///< thighs lean forward, shanks back by this, all joints at zero [rad]
  int ankle = 2;           ///< joints
  bool toe = false;
  int waist = 1, neck = 2;  ///< joints, 0 .. 3
  bool clavicle = false;
  double elbow_offset = 0.0;  ///< of the elbow's axis from the arm's line, with `forearm_twist` only [m]
  bool forearm_twist = true;
  int wrist = 2;    ///< joints that bend, 0 .. 2
  int gripper = 0;  ///< 0 none, 1 one jaw, 2 two fingers of two joints
  bool sensors = false;
  bool foot_plate = false;  ///< a link of its own, fixed to the ankle
  bool knee_limits = true, elbow_limits = true, feet_ahead = true;
  double trunk = 0.45, thigh = 0.4, shank = 0.38, upper_arm = 0.28, forearm = 0.25;  ///< [m]
};

struct SyntheticRobot {
  ModelSpec spec;
  std::map<std::string, std::string> link;      ///< by segment
  std::map<std::string, Eigen::Matrix3d> R_SF;  ///< by segment
  std::map<std::string, std::string> joint;     ///< by what it is: "right knee", "left elbow"
};

/// Builds one robot: everything is laid out in one set of axes (x forward, y left, z up), all joints at zero;
/// frames are given to the links at the end.
class SyntheticRobotBuilder {
 public:
  SyntheticRobotBuilder(const SyntheticRobotOptions& options, unsigned seed) : o_(options), random_(seed) {}

  SyntheticRobot build() {
    const int base = add_root("pelvis");
    if (o_.legs)
      for (const double side : {-1.0, 1.0}) add_leg(base, side);
    const int chest = add_waist(base);
    for (int i = 0; i < o_.arm_count; ++i) add_arm(chest, i == 0 ? -1.0 : 1.0);
    const bool alone = !o_.legs && o_.arm_count == 1;
    const bool turned = o_.turned_links;  // a fixed base is mapped where it says what forward and up are
    if (o_.legs || (chest != base && (o_.floating_base || turned) && !alone))
      mark("Pelvis", base, Eigen::Matrix3d::Identity());
    if (o_.arm_count > 0 && !alone && (chest != base || !o_.legs))
      mark("T8", chest, Eigen::Matrix3d::Identity());
    add_neck(chest);
    return finish();
  }

 private:
  using Vector = Eigen::Vector3d;
  struct Part {
    std::string name;
    Vector p, com;
    double mass;
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  };
  struct Hinge {
    std::string name;
    int parent, child;
    Vector axis;
    double lower, upper;
    bool fixed = false;
  };

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }

  std::string side_name(double side) const { return (side > 0.0) != o_.swapped_names ? "left_" : "right_"; }

  int add_root(const std::string& name) {
    parts_.push_back({name, Vector::Zero(), {0, 0, 0.05}, 8.0});
    return 0;
  }

  // a link behind a joint at p; its centre of mass `ahead` of that
  int add(int parent, const std::string& name, const Vector& p, const Vector& axis, double lower,
          double upper, const Vector& ahead, double mass = 1.0) {
    const int child = static_cast<int>(parts_.size());
    parts_.push_back({name + "_link", p, p + ahead, mass});
    hinges_.push_back({name + "_joint", parent, child, axis, lower, upper});
    return child;
  }

  int add_fixed(int parent, const std::string& name, const Vector& p, double mass) {
    const int child = static_cast<int>(parts_.size());
    parts_.push_back({name, p, p, mass});
    hinges_.push_back({name + "_fixed", parent, child, Vector::UnitX(), 0.0, 0.0, true});
    return child;
  }

  void mark(const std::string& segment, int part, const Eigen::Matrix3d& R_WS) {
    marks_.push_back({segment, {part, R_WS}});
  }

  int add_waist(int base) {
    const Vector axes[] = {Vector::UnitZ(), Vector::UnitY(), Vector::UnitX()};
    int part = base;
    for (int i = 0; i < o_.waist; ++i)
      part = add(part, "waist_" + std::to_string(i + 1), {0.0, 0.0, 0.06 + 0.03 * i}, axes[i], -1.0, 1.0,
                 {0.0, 0.0, 0.1}, i + 1 == o_.waist ? 10.0 : 1.0);
    return part;
  }

  void add_neck(int chest) {
    const Vector axes[] = {Vector::UnitZ(), Vector::UnitY(), Vector::UnitX()};
    int part = chest;
    for (int i = 0; i < o_.neck; ++i)
      part = add(part, (i + 1 == o_.neck ? "head_" : "neck_") + std::to_string(i + 1),
                 {0.0, 0.0, o_.trunk + 0.1 + 0.02 * i}, axes[i], -0.8, 0.8, {0.01, 0.0, 0.08});
    if (o_.neck > 0) mark("Head", part, Eigen::Matrix3d::Identity());
  }

  void add_leg(int base, double side) {
    const std::string prefix = side_name(side);
    const std::string who = side > 0.0 ? "Left" : "Right";
    const Eigen::Matrix3d R_thigh = so3::about_axis(1, -o_.crouch), R_shank = so3::about_axis(1, o_.crouch);
    const Vector hip{0.0, side * 0.09, -0.08};
    const Vector knee_at = hip + Vector(0, side * o_.hip_shift, 0) - o_.thigh * R_thigh.col(2);
    const Vector ankle = knee_at - o_.shank * R_shank.col(2);
    std::vector<int> order{0, 1, 2};  // pitch, roll, yaw
    for (int i = 0; i < o_.hip_order; ++i) std::next_permutation(order.begin(), order.end());
    const Vector axes[] = {Vector::UnitY(), R_thigh.col(0), R_thigh.col(2)};
    const char* names[] = {"hip_pitch", "hip_roll", "hip_yaw"};
    int part = base;
    for (int i = 0; i < 3; ++i) {
      Vector p = hip + Vector(0, i > 0 ? side * o_.hip_shift : 0.0, 0);
      if (o_.low_yaw && i == 2 && order[at(i)] == 2) p = knee_at;
      part = add(part, prefix + names[order[at(i)]], p, axes[order[at(i)]], -1.2, 1.2, {0, 0, -0.1}, 2.0);
    }
    mark(who + "UpperLeg", part, R_thigh);
    const double loose = o_.knee_limits ? 0.0 : 2.1;
    joint_["knee" + who] = prefix + "knee_joint";
    part = add(part, prefix + "knee", knee_at, Vector::UnitY(), -0.1 - loose - 2.0 * o_.crouch,
               2.2 - 2.0 * o_.crouch, {0, 0, -0.15}, 2.0);
    mark(who + "LowerLeg", part, R_shank);
    const double ahead = o_.feet_ahead ? 0.06 : 0.0;
    for (int i = 0; i < o_.ankle; ++i) {
      part = add(part, prefix + (i == 0 ? "ankle_pitch" : "ankle_roll"), ankle,
                 i == 0 ? Vector::UnitY() : Vector::UnitX(), -0.7, 0.7,
                 i + 1 == o_.ankle ? Vector(ahead, 0, -0.04) : Vector(0, 0, -0.005), 0.8);
    }
    if (o_.foot_plate) part = add_fixed(part, prefix + "foot", ankle + Vector(0, 0, -0.05), 0.5);
    if (o_.ankle > 0) mark(who + "Foot", part, Eigen::Matrix3d::Identity());
    if (o_.sensors) add_fixed(part, prefix + "sole", ankle + Vector(0, 0, -0.07), 0.0);
    if (o_.toe) {
      part = add(part, prefix + "toe", ankle + Vector(0.13, 0, -0.06), Vector::UnitY(), -0.5, 0.8,
                 {0.03, 0, 0}, 0.2);
      mark(who + "Toe", part, Eigen::Matrix3d::Identity());
    }
  }

  void add_arm(int chest, double side) {
    using Arms = SyntheticRobotOptions::Arms;
    const std::string prefix = side_name(side), who = side > 0.0 ? "Left" : "Right";
    const bool raised = o_.arms == Arms::Raised;
    const Vector bone = raised ? Vector(0, side, 0) : Vector(0, 0, -1);
    // flexion brings the hand forward
    const Vector flexion = bone.cross(Vector::UnitX());
    const Vector fore = o_.arms == Arms::Bent ? Vector(Vector::UnitX()) : bone;
    const Vector shoulder{0.0, side * 0.2, o_.trunk};
    int part = chest;
    if (o_.clavicle) {
      part = add(part, prefix + "clavicle", {0.0, side * 0.05, o_.trunk}, Vector::UnitX(), -0.3, 0.3,
                 {0, side * 0.05, 0});
      mark(who + "Shoulder", part, Eigen::Matrix3d::Identity());
    }
    part = add(part, prefix + "shoulder_pitch", shoulder, flexion, -2.5, 2.5, {0, side * 0.02, 0});
    part = add(part, prefix + "shoulder_roll", shoulder, Vector::UnitX(), -1.8, 1.8, 0.1 * bone);
    part =
        add(part, prefix + "shoulder_yaw", shoulder + 0.3 * o_.upper_arm * bone, bone, -1.8, 1.8, 0.1 * bone);
    const auto axes = [&](const Vector& along) {
      const Vector y = side * along, z = -side * flexion;
      return (Eigen::Matrix3d() << y.cross(z), y, z).finished();
    };
    const double offset = o_.forearm_twist && o_.wrist > 0 ? o_.elbow_offset : 0.0;
    const Vector elbow = shoulder + o_.upper_arm * bone + offset * Vector::UnitX();
    mark(who + "UpperArm", part, axes((elbow - shoulder).normalized()));
    const Vector wrist = shoulder + o_.upper_arm * bone + o_.forearm * fore;
    const double bent = o_.arms == Arms::Bent ? std::numbers::pi / 2.0 : 0.0;
    joint_["elbow" + who] = prefix + "elbow_joint";
    const double loose = o_.elbow_limits ? 0.0 : 2.35;
    part = add(part, prefix + "elbow", elbow, flexion, -0.05 - loose - bent, 2.4 - bent,
               o_.forearm_twist ? Vector(0.02 * fore) : Vector(wrist - elbow));
    if (o_.forearm_twist)
      part = add(part, prefix + "wrist_yaw", wrist - 0.6 * o_.forearm * fore, fore, -1.9, 1.9,
                 0.6 * o_.forearm * fore);
    mark(who + "ForeArm", part, axes((wrist - elbow).normalized()));
    if (o_.sensors) add_fixed(part, prefix + "forearm_camera", wrist - 0.5 * o_.forearm * fore, 0.0);
    for (int i = 0; i < o_.wrist; ++i) {
      part = add(part, prefix + (i == 0 ? "wrist_pitch" : "wrist_roll"), wrist,
                 i == 0 ? flexion : Vector(flexion.cross(fore)), -1.0, 1.0, 0.06 * fore, 0.4);
    }
    if (o_.wrist > 0) mark(who + "Hand", part, axes(fore));
    if (o_.wrist > 0) add_gripper(part, prefix, wrist, fore, flexion);
  }

  void add_gripper(int hand, const std::string& prefix, const Vector& wrist, const Vector& along,
                   const Vector& axis) {
    if (o_.gripper == 1)
      add(hand, prefix + "gripper", wrist + 0.09 * along, axis, 0.0, 1.0, 0.03 * along, 0.1);
    if (o_.gripper != 2) return;
    for (int finger = 0; finger < 2; ++finger) {
      const Vector at_hand = wrist + 0.08 * along + (finger == 0 ? 0.02 : -0.02) * axis;
      int part = add(hand, prefix + "finger" + std::to_string(finger) + "_a", at_hand, axis, 0.0, 1.5,
                     0.02 * along, 0.05);
      add(part, prefix + "finger" + std::to_string(finger) + "_b", at_hand + 0.04 * along, axis, 0.0, 1.5,
          0.02 * along, 0.05);
    }
  }

  Eigen::Matrix3d any_rotation() {
    Eigen::Vector4d q;
    do {
      for (int i = 0; i < 4; ++i) q[i] = uniform(-1.0, 1.0);
    } while (q.norm() > 1.0 || q.norm() < 0.1);
    return so3::from_quaternion_wxyz(q);
  }

  SyntheticRobot finish() {
    SyntheticRobot robot;
    robot.spec.name = "synthetic";
    robot.spec.floating_base = o_.floating_base;
    if (o_.turned_links)
      for (Part& part : parts_) part.R = any_rotation();
    if (o_.flipped_axes) flip_axes();
    if (!o_.telling_names) rename();
    for (const Part& part : parts_) {
      Link link;
      link.name = part.name;
      link.mass = part.mass;
      link.com = part.R.transpose() * (part.com - part.p);
      robot.spec.links.push_back(std::move(link));
    }
    for (const Hinge& hinge : hinges_) {
      const Part &parent = parts_[at(hinge.parent)], &child = parts_[at(hinge.child)];
      Joint joint;
      joint.name = hinge.name;
      joint.type = hinge.fixed ? JointType::Fixed : JointType::Revolute;
      joint.parent = parent.name;
      joint.child = child.name;
      joint.R_PJ = parent.R.transpose() * child.R;
      joint.p_PJ = parent.R.transpose() * (child.p - parent.p);
      joint.axis = (child.R.transpose() * hinge.axis).normalized();
      joint.lower = hinge.lower;
      joint.upper = hinge.upper;
      robot.spec.joints.push_back(std::move(joint));
    }
    for (const auto& [segment, mark] : marks_) {
      const Part& part = parts_[at(mark.first)];
      robot.link[segment] = part.name;
      robot.R_SF[segment] = mark.second.transpose() * part.R;
    }
    robot.joint = joint_;
    if (o_.shuffled) {
      std::shuffle(robot.spec.links.begin(), robot.spec.links.end(), random_);
      std::shuffle(robot.spec.joints.begin(), robot.spec.joints.end(), random_);
    }
    return robot;
  }

  void flip_axes() {
    for (Hinge& hinge : hinges_) {
      if (hinge.fixed || uniform(0.0, 1.0) < 0.5) continue;
      hinge.axis = -hinge.axis;
      std::swap(hinge.lower, hinge.upper);
      hinge.lower = -hinge.lower;
      hinge.upper = -hinge.upper;
    }
  }

  void rename() {
    std::map<std::string, std::string> names;
    std::vector<int> numbers(hinges_.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    std::shuffle(numbers.begin(), numbers.end(), random_);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      parts_[i].name = "part" + std::to_string(i == 0 ? 900 : numbers[i - 1]);
    for (std::size_t i = 0; i < hinges_.size(); ++i) {
      names[hinges_[i].name] = "q" + std::to_string(numbers[i]);
      hinges_[i].name = names[hinges_[i].name];
    }
    for (auto& [what, name] : joint_) name = names[name];
  }

  SyntheticRobotOptions o_;
  std::mt19937 random_;
  std::vector<Part> parts_;
  std::vector<Hinge> hinges_;
  std::vector<std::pair<std::string, std::pair<int, Eigen::Matrix3d>>> marks_;
  std::map<std::string, std::string> joint_;
};

inline SyntheticRobot synthetic_robot(const SyntheticRobotOptions& options, unsigned seed) {
  return SyntheticRobotBuilder(options, seed).build();
}

/// Any of the variations together, other than those that leave something untold.
inline SyntheticRobotOptions random_robot_options(unsigned seed) {
  std::mt19937 random(seed);
  const auto coin = [&] { return std::uniform_int_distribution<int>(0, 1)(random) == 1; };
  const auto count = [&](int n) { return std::uniform_int_distribution<int>(0, n)(random); };
  const auto size = [&](double a) { return a * std::uniform_real_distribution<double>(0.75, 1.3)(random); };
  SyntheticRobotOptions o;
  o.telling_names = coin();
  o.turned_links = coin();
  o.flipped_axes = coin();
  o.shuffled = coin();
  o.arms = static_cast<SyntheticRobotOptions::Arms>(count(2));
  o.hip_order = count(5);
  o.low_yaw = coin();
  o.hip_shift = coin() ? 0.05 : 0.0;
  o.crouch = coin() ? 0.15 : 0.0;
  o.ankle = 1 + count(1);
  o.toe = coin() && o.ankle == 2;
  o.waist = count(3);
  o.neck = count(3);
  o.clavicle = coin();
  o.elbow_offset = coin() ? 0.02 : 0.0;
  o.forearm_twist = coin();
  o.wrist = count(2);
  o.gripper = count(2);
  o.sensors = coin();
  o.foot_plate = coin() && o.telling_names && !o.toe;
  o.trunk = size(0.45);
  o.thigh = size(0.4);
  o.shank = size(0.38);
  o.upper_arm = size(0.28);
  o.forearm = size(0.25);
  return o;
}

}  // namespace panto::test
