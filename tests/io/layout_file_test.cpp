#include "panto/io/robot_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "panto/base/error.hpp"
#include "panto/io/layout_values.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// a base with a fixed tail of 3 kg, and two children that hang on it; the second one has a child of its own
Model forked() {
  ModelSpec spec;
  spec.name = "forked";
  spec.links = {
      {"base", 1.0, Vector3d(0.1, 0.0, 0.0)}, {"tail", 3.0, Vector3d(0.0, 0.2, 0.0)}, {"a"}, {"b"}, {"b2"}};
  const auto joint = [](const char* name, JointType type, const char* parent, const char* child,
                        const Vector3d& p) {
    Joint made;
    made.name = name;
    made.type = type;
    made.parent = parent;
    made.child = child;
    made.p_PJ = p;
    return made;
  };
  spec.joints = {joint("weld", JointType::Fixed, "base", "tail", Vector3d(-0.3, 0.0, 0.0)),
                 joint("jb", JointType::Revolute, "base", "b", Vector3d(0.0, 0.0, 0.5)),
                 joint("jb2", JointType::Revolute, "b", "b2", Vector3d(0.0, 0.0, 0.5)),
                 joint("ja", JointType::Revolute, "base", "a", Vector3d(0.0, 0.4, 0.0))};
  return Model(spec);
}

// turned by 2 rad about an axis without symmetry, and moving
Motion planted(const Model& model, double rate_hz, int frames = 2) {
  Motion motion;
  motion.model_name = model.name();
  motion.joint_names = model.joint_names();
  motion.rate_hz = rate_hz;
  for (int k = 0; k < frames; ++k) {
    State& state = motion.states.emplace_back(rest_state(model));
    state.t = frame_time(k, rate_hz);
    state.p_WB = Vector3d(1.0, 2.0, 3.0);
    state.R_WB = so3::exp(2.0 * Vector3d(1.0, 2.0, 3.0).normalized());
    state.v_WB = Vector3d(0.1, 0.2, 0.3);
    state.w_WB = Vector3d(1.0, -2.0, 0.5);
    for (int i = 0; i < model.dof(); ++i) state.s[i] = 0.1 * (i + 1), state.sdot[i] = i + 1.0;
  }
  return motion;
}

std::vector<double> part_of(const Model& model, const char* layout, LayoutPart part) {
  LayoutValues values(model, robot_layout(layout));
  const Motion motion = planted(model, 50.0);
  values.move_to(motion.states.front());
  std::vector<double> numbers;
  values.append(part, numbers);
  return numbers;
}

TEST(RobotLayout, EveryOneIsFoundByItsNameAndOthersSuggestOne) {
  for (const RobotLayout& layout : robot_layouts()) {
    EXPECT_EQ(&robot_layout(layout.name), &layout);
    EXPECT_FALSE(layout.members.empty()) << layout.name;
  }
  try {
    (void)robot_layout("mjlap");
    FAIL() << "no such layout";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'mjlab'"), std::string::npos) << error.what();
  }
}

TEST(RobotLayout, QuaternionsAreInTheReadersOrder) {
  const Model model = forked();
  const Vector3d axis = Vector3d(1.0, 2.0, 3.0).normalized() * std::sin(1.0);
  const std::vector<double> xyzw = part_of(model, "unitree", LayoutPart::BaseTurn);
  const std::vector<double> wxyz = part_of(model, "kimodo", LayoutPart::BaseTurn);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(xyzw[k], axis[static_cast<int>(k)], 1e-15);
    EXPECT_NEAR(wxyz[k + 1], axis[static_cast<int>(k)], 1e-15);
  }
  EXPECT_NEAR(xyzw[3], std::cos(1.0), 1e-15);
  EXPECT_NEAR(wxyz[0], std::cos(1.0), 1e-15);
}

TEST(RobotLayout, JointsAndBodiesGoLevelByLevelForIsaacAndBranchByBranchForMujoco) {
  const Model model = forked();
  EXPECT_EQ(LayoutValues(model, robot_layout("beyondmimic")).joint_names(),
            (std::vector<std::string>{"jb", "ja", "jb2"}));
  EXPECT_EQ(LayoutValues(model, robot_layout("mjlab")).joint_names(),
            (std::vector<std::string>{"jb", "jb2", "ja"}));
  EXPECT_EQ(LayoutValues(model, robot_layout("holosoma")).body_names(),
            (std::vector<std::string>{"world", "base", "b", "b2", "a"}));
}

TEST(RobotLayout, CentresOfMassAreThoseOfAllThatIsWeldedOn) {
  const Model model = forked();
  const std::vector<double> origins = part_of(model, "mjlab", LayoutPart::BodyVelocities);
  const std::vector<double> masses = part_of(model, "beyondmimic", LayoutPart::MassVelocities);
  const Matrix3d R = so3::exp(2.0 * Vector3d(1.0, 2.0, 3.0).normalized());
  const Vector3d com = (1.0 * Vector3d(0.1, 0.0, 0.0) + 3.0 * Vector3d(-0.3, 0.2, 0.0)) / 4.0;
  const Vector3d more = Vector3d(1.0, -2.0, 0.5).cross(R * com);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(masses[k] - origins[k], more[static_cast<int>(k)], 1e-14);
}

TEST(RobotLayout, MujocosTurnOfTheBaseIsInItsOwnAxes) {
  const std::vector<double> rates = part_of(forked(), "mujoco", LayoutPart::PoseRates);
  const Vector3d local =
      so3::exp(2.0 * Vector3d(1.0, 2.0, 3.0).normalized()).transpose() * Vector3d(1.0, -2.0, 0.5);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(rates[3 + k], local[static_cast<int>(k)], 1e-14);
  EXPECT_EQ(rates.size(), 9U);
}

TEST(RobotLayout, TextsHaveNoHeadUnlessTheReaderWantsOne) {
  const Model model = forked();
  WriteMotionOptions options;
  options.layout = "unitree";
  const std::string rows = motion_bytes(planted(model, 30.0), model, "m.csv", options);
  EXPECT_EQ(rows.substr(0, 6), "1,2,3,");
  options.layout = "bones";
  const std::string lines = motion_bytes(planted(model, 120.0), model, "m.csv", options);
  EXPECT_EQ(lines.substr(0, lines.find('\n')),
            "Frame,root_translateX,root_translateY,root_translateZ,root_rotateX,root_rotateY,root_rotateZ,jb_"
            "dof,jb2_dof,ja_dof");
  EXPECT_NE(lines.find("\n0,100,200,300,"), std::string::npos) << "centimetres";
}

TEST(RobotLayout, NoQuaternionChangesItsSignFromFrameToFrame) {
  const Model model = forked();
  Motion motion = planted(model, 30.0, 200);
  for (std::size_t k = 0; k < motion.states.size(); ++k)  // two whole turns
    motion.states[k].R_WB = so3::exp(0.02 * std::numbers::pi * static_cast<double>(k) * Vector3d::UnitZ());
  WriteMotionOptions options;
  options.layout = "unitree";
  std::istringstream rows(motion_bytes(motion, model, "m.csv", options));
  Eigen::Vector4d before = Eigen::Vector4d::Zero();
  int frames = 0;
  for (std::string line; std::getline(rows, line); ++frames) {
    std::istringstream cells(line);
    Eigen::Vector4d q;
    std::string cell;
    for (int k = 0; k < 7 && std::getline(cells, cell, ','); ++k)
      if (k >= 3) q[k - 3] = std::stod(cell);
    if (frames > 0) {
      EXPECT_GT(q.dot(before), 0.9) << line;
    }
    before = q;
  }
  EXPECT_EQ(frames, 200);
}

TEST(RobotLayout, FramesComeAtTheRateThatTheReaderExpectsOrIsAskedFor) {
  const Model model = forked();
  const Motion motion = planted(model, 100.0, 101);  // one second
  const auto rows = [&](double fps) {
    WriteMotionOptions options;
    options.layout = "unitree";
    options.resample_hz = fps;
    const std::string text = motion_bytes(motion, model, "m.csv", options);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(rows(0.0), 31);
  EXPECT_EQ(rows(50.0), 51);
  EXPECT_EQ(rows(100.0), 101);
}

TEST(RobotLayout, WhatALayoutCannotHoldIsRefusedBeforeAnythingIsWritten) {
  const Model model = forked();
  const auto refusal = [&](const std::string& name, const WriteMotionOptions& options) -> std::string {
    try {
      (void)motion_bytes(planted(model, 50.0), model, name, options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  WriteMotionOptions options;
  options.resample_hz = 50.0;
  EXPECT_NE(refusal("m.npz", options).find("needs a layout"), std::string::npos);
  options.layout = "mjlab";
  EXPECT_NE(refusal("m.csv", options).find(".npz"), std::string::npos);
  options.angles = AngleConvention::Isb;
  EXPECT_NE(refusal("m.npz", options).find("own joints"), std::string::npos);
  for (const double rate : {-1.0, 1e9, std::nan(""), kInfinity}) {
    options = {};
    options.layout = "mjlab";
    options.resample_hz = rate;
    EXPECT_NE(refusal("m.npz", options).find("frames per second"), std::string::npos) << rate;
  }
  Motion unknown = planted(model, 50.0);
  unknown.rate_hz = 0.0;
  options = {};
  options.layout = "mujoco";
  EXPECT_THROW((void)motion_bytes(unknown, model, "m.npz", options), ConfigError);
}

TEST(RobotLayout, AGapOfYearsIsNotFilledWithFrames) {
  const Model model = forked();
  Motion motion = planted(model, 50.0);
  motion.rate_hz = 60.0;
  motion.states.back().t = from_seconds(1e8);
  WriteMotionOptions options;
  options.layout = "mjlab";
  EXPECT_THROW((void)motion_bytes(motion, model, "m.npz", options), Error);
}

}  // namespace
}  // namespace panto::io
