#pragma once
// Models and files for the tests of tables.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>
#include <string>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/state.hpp"

namespace panto::test {

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// A folder of its own for every test, gone afterwards.
class TableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("panto_" + std::string(info->test_suite_name()) + "_" + info->name() + "_" +
               std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A free joint without limits, one with limits, one that slides.
inline Model small_robot() {
  ModelSpec spec;
  spec.name = "small";
  for (const char* link : {"base", "arm", "hand", "slider"}) {
    spec.links.emplace_back();
    spec.links.back().name = link;
  }
  const auto add = [&](const char* name, JointType type, const char* parent, const char* child) -> Joint& {
    spec.joints.emplace_back();
    Joint& joint = spec.joints.back();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    return joint;
  };
  add("wheel", JointType::Revolute, "base", "arm");
  Joint& elbow = add("elbow", JointType::Revolute, "arm", "hand");
  elbow.p_PJ = {0.0, 0.0, 0.3};
  elbow.lower = -4.0;
  elbow.upper = 4.0;
  add("rail", JointType::Prismatic, "hand", "slider");
  return Model(std::move(spec));
}

/// The 23 segments, joined by balls of three joints, frames equal at zero.
inline Model segment_tree() {
  ModelSpec spec;
  spec.name = "segments";
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const auto index = static_cast<std::size_t>(i);
    spec.links.emplace_back();
    spec.links.back().name = kHumanSegmentNames[index];
    if (i == 0) continue;
    std::string parent(kHumanSegmentNames[static_cast<std::size_t>(kHumanSegmentParent[index])]);
    for (int axis = 0; axis < 3; ++axis) {
      Joint joint;
      joint.name = std::string(kHumanJointNames[index]) + "_rot" + "xyz"[axis];
      joint.type = JointType::Revolute;
      joint.parent = parent;
      joint.child = axis == 2 ? std::string(kHumanSegmentNames[index]) : joint.name + "_link";
      joint.axis = Eigen::Vector3d::Unit(axis);
      if (axis < 2) {
        spec.links.emplace_back();
        spec.links.back().name = joint.child;
      }
      parent = joint.child;
      spec.joints.push_back(std::move(joint));
    }
  }
  return Model(std::move(spec));
}

inline State random_state(const Model& model, Time t, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  State state = rest_state(model);
  state.t = t;
  for (double& x : state.p_WB) x = normal(random);
  Eigen::Vector3d turn;
  for (double& x : turn) x = normal(random);
  state.R_WB = so3::exp(turn);
  for (double& x : state.s) x = 0.5 * normal(random);
  return state;
}

/// The text of the error that `action` throws; empty when it throws none.
template <typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace panto::test
