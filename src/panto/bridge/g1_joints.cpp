#include "panto/bridge/g1_joints.hpp"

#include <array>
#include <optional>

#include "panto/base/error.hpp"

namespace panto::bridge {
namespace {

using Names = std::array<const char*, 29>;

constexpr Names kIsaac{"left_hip_pitch",       "right_hip_pitch",  "waist_yaw",         "left_hip_roll",
                       "right_hip_roll",       "waist_roll",       "left_hip_yaw",      "right_hip_yaw",
                       "waist_pitch",          "left_knee",        "right_knee",        "left_shoulder_pitch",
                       "right_shoulder_pitch", "left_ankle_pitch", "right_ankle_pitch", "left_shoulder_roll",
                       "right_shoulder_roll",  "left_ankle_roll",  "right_ankle_roll",  "left_shoulder_yaw",
                       "right_shoulder_yaw",   "left_elbow",       "right_elbow",       "left_wrist_roll",
                       "right_wrist_roll",     "left_wrist_pitch", "right_wrist_pitch", "left_wrist_yaw",
                       "right_wrist_yaw"};

constexpr Names kMotors{
    "left_hip_pitch",     "left_hip_roll",     "left_hip_yaw",         "left_knee",
    "left_ankle_pitch",   "left_ankle_roll",   "right_hip_pitch",      "right_hip_roll",
    "right_hip_yaw",      "right_knee",        "right_ankle_pitch",    "right_ankle_roll",
    "waist_yaw",          "waist_roll",        "waist_pitch",          "left_shoulder_pitch",
    "left_shoulder_roll", "left_shoulder_yaw", "left_elbow",           "left_wrist_roll",
    "left_wrist_pitch",   "left_wrist_yaw",    "right_shoulder_pitch", "right_shoulder_roll",
    "right_shoulder_yaw", "right_elbow",       "right_wrist_roll",     "right_wrist_pitch",
    "right_wrist_yaw"};

[[noreturn]] void refuse(const Model& model, const std::string& joint, const std::string& controller) {
  std::string why = controller;
  why += " drives the 29 joints of a Unitree G1; ";
  why += model.name();
  why += " has no '" + joint + "'";
  throw ConfigError(why);
}

std::vector<std::int64_t> places(const Model& model, const Names& names, const std::string& controller) {
  std::vector<std::int64_t> found;
  for (const char* name : names) {
    const std::string joint = std::string(name) + "_joint";
    const std::optional<int> place = model.find_joint(joint);
    if (!place) refuse(model, joint, controller);
    found.push_back(*place);
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> g1_isaac_joints(const Model& model, const std::string& controller) {
  return places(model, kIsaac, controller);
}

std::vector<std::int64_t> g1_motor_joints(const Model& model, const std::string& controller) {
  return places(model, kMotors, controller);
}

}  // namespace panto::bridge
