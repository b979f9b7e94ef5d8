// The table of layouts. Sources: the readers' own code, see docs/formats/layouts.md.

#include <algorithm>
#include <array>

#include "panto/base/error.hpp"
#include "panto/io/robot_layout.hpp"

namespace panto::io {
namespace {

using enum LayoutPart;

// of whole_body_tracking and mjlab, and of all that copied them
std::vector<LayoutMember> tracking_members(LayoutPart joints, LayoutPart rates, LayoutPart velocities) {
  return {{"fps", RateList},
          {"joint_pos", joints},
          {"joint_vel", rates},
          {"body_pos_w", BodyPlaces},
          {"body_quat_w", BodyTurns},
          {"body_lin_vel_w", velocities},
          {"body_ang_vel_w", BodyTurnRates}};
}

std::vector<LayoutMember> with_names(std::vector<LayoutMember> members) {
  members.push_back({"joint_names", JointNames});
  members.push_back({"body_names", BodyNames});
  return members;
}

// size: one entry a layout, nothing to decide
std::vector<RobotLayout> all_layouts() {
  std::vector<RobotLayout> all;
  all.push_back({.name = "unitree",
                 .reader = "Unitree's and BeyondMimic's csv_to_npz.py (x y z, qx qy qz qw, joints)",
                 .extension = ".csv",
                 .rate_hz = 30.0,
                 .xyzw = true,
                 .members = {{"", BasePlace}, {"", BaseTurn}, {"", Joints}}});
  all.push_back({.name = "kimodo",
                 .reader = "Kimodo and ARDY (x y z, qw qx qy qz, joints)",
                 .extension = ".csv",
                 .rate_hz = 30.0,
                 .members = {{"", BasePlace}, {"", BaseTurn}, {"", Joints}}});
  all.push_back({.name = "bones",
                 .reader = "BONES-SEED, soma-retargeter and ProtoMotions (cm, degrees)",
                 .extension = ".csv",
                 .rate_hz = 120.0,
                 .head = true,
                 .centimetres_degrees = true,
                 .members = {{"Frame", FrameNumber},
                             {"root_translate", BasePlace},
                             {"root_rotate", BaseAngles},
                             {"_dof", Joints}}});
  all.push_back({.name = "beyondmimic",
                 .reader = "BeyondMimic's whole_body_tracking",
                 .extension = ".npz",
                 .rate_hz = 50.0,
                 .breadth_first = true,
                 .members = tracking_members(Joints, JointRates, MassVelocities)});
  all.push_back({.name = "mjlab",
                 .reader = "mjlab and unitree_rl_mjlab",
                 .extension = ".npz",
                 .rate_hz = 50.0,
                 .members = with_names(tracking_members(Joints, JointRates, BodyVelocities))});
  all.push_back({.name = "holosoma",
                 .reader = "holosoma's whole-body tracking",
                 .extension = ".npz",
                 .rate_hz = 50.0,
                 .world = true,
                 .members = with_names(tracking_members(Pose, PoseRates, BodyVelocities))});
  all.push_back({.name = "holomotion",
                 .reader = "HoloMotion",
                 .extension = ".npz",
                 .rate_hz = 50.0,
                 .xyzw = true,
                 .members = {{"metadata", Description},
                             {"ref_dof_pos", Joints},
                             {"ref_dof_vel", JointRates},
                             {"ref_global_translation", BodyPlaces},
                             {"ref_global_rotation_quat", BodyTurns},
                             {"ref_global_velocity", BodyVelocities},
                             {"ref_global_angular_velocity", BodyTurnRates}}});
  all.push_back({.name = "isaac-amp",
                 .reader = "Isaac Lab's humanoid_amp",
                 .extension = ".npz",
                 .rate_hz = 0.0,
                 .members = {{"fps", Rate},
                             {"dof_names", JointNames},
                             {"body_names", BodyNames},
                             {"dof_positions", Joints},
                             {"dof_velocities", JointRates},
                             {"body_positions", BodyPlaces},
                             {"body_rotations", BodyTurns},
                             {"body_linear_velocities", BodyVelocities},
                             {"body_angular_velocities", BodyTurnRates}}});
  all.push_back({.name = "any4hdmi",
                 .reader = "any4hdmi (MimicLite, HDMI): a clip of a data set with a manifest",
                 .extension = ".npz",
                 .rate_hz = 50.0,
                 .members = {{"qpos", Pose}}});
  all.push_back(
      {.name = "mujoco",
       .reader = "MuJoCo: qpos and qvel",
       .extension = ".npz",
       .rate_hz = 0.0,
       .single = false,
       .members = {{"fps", Rate}, {"joint_names", JointNames}, {"qpos", Pose}, {"qvel", PoseRates}}});
  return all;
}

}  // namespace

const std::vector<RobotLayout>& robot_layouts() {
  static const std::vector<RobotLayout> all = all_layouts();
  return all;
}

const RobotLayout& robot_layout(std::string_view name) {
  std::vector<std::string> names;
  for (const RobotLayout& layout : robot_layouts()) {
    if (layout.name == name) return layout;
    names.emplace_back(layout.name);
  }
  constexpr std::array kInPython{"gmr",   "twist2",       "mimickit",   "phc",
                                 "sonic", "protomotions", "locomujoco", "lerobot"};
  if (std::find(kInPython.begin(), kInPython.end(), name) != kInPython.end())
    throw ConfigError("Panto's Python package writes the layout '" + std::string(name) +
                      "': motion.save(path, layout=\"" + std::string(name) + "\"), or panto batch");
  throw ConfigError(unknown_name("layout", name, "Panto", names));
}

}  // namespace panto::io
