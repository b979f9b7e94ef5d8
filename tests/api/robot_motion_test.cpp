#include "panto/api/robot_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "panto/base/error.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/robot_arrays.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/derivatives.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using io::Certainty;
using io::MotionQuestion;
using io::RobotArrays;

// the bundled walk on a robot, solved once
const RetargetResult& walk_on(const std::string& name) {
  static std::map<std::string, RetargetResult> all;
  if (const auto found = all.find(name); found != all.end()) return found->second;
  RetargetOptions options;
  options.collisions = Collisions::Off;
  return all[name] = retarget(*test::bundled_walk(), test::shipped_robot(name), options);
}

std::string file_name(const std::string& layout) {
  return "clip" + std::string(io::robot_layout(layout).extension);
}

std::string bytes_of(const std::string& robot, const std::string& layout) {
  io::WriteMotionOptions options;
  options.layout = layout;
  return io::motion_bytes(walk_on(robot).motion, test::shipped_robot(robot).model, file_name(layout),
                          options);
}

RobotMotion opened(const std::string& bytes, const std::string& layout, const std::string& robot = {},
                   const std::string& from = {}) {
  io::Input input(bytes, file_name(layout));
  EXPECT_TRUE(io::is_robot_motion(input)) << layout;
  return open_robot_motion(input, robot, io::parse_motion_hints(from));
}

const io::ToldFact& fact(const RobotMotion& motion, MotionQuestion question) {
  return *std::find_if(motion.facts.begin(), motion.facts.end(),
                       [&](const io::ToldFact& f) { return f.question == question; });
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

// how far two motions are apart: joints, places, turns
double apart(const Motion& a, const Motion& b) {
  double most = 0.0;
  const std::size_t frames = std::min(a.states.size(), b.states.size());
  EXPECT_LE(std::abs(static_cast<double>(a.states.size()) - static_cast<double>(b.states.size())), 0.0);
  for (std::size_t k = 0; k < frames; ++k) {
    most = std::max(most, (a.states[k].s - b.states[k].s).cwiseAbs().maxCoeff());
    most = std::max(most, (a.states[k].p_WB - b.states[k].p_WB).norm());
    most = std::max(most, (a.states[k].R_WB - b.states[k].R_WB).norm());
  }
  return most;
}

TEST(RobotMotionFile, AMotionIsConvertedInMemoryAsIntoAFile) {
  RobotMotion motion = opened(bytes_of("unitree_g1", "mjlab"), "mjlab");
  std::string written;
  write_robot_motion(motion, {file_name("holosoma"), written}, "holosoma", 0.0);
  EXPECT_LT(apart(opened(written, "holosoma").motion, motion.motion), 1e-5) << "single precision";
}

TEST(RobotMotionFile, EveryWrittenLayoutIsNamedAndReadBackWithoutAWordFromTheUser) {
  for (const io::RobotLayout& layout : io::robot_layouts()) {
    const std::string name(layout.name);
    // its manifest tells the rate
    const std::string rate_word = name == "any4hdmi" ? "50hz" : "";
    const RobotMotion motion = opened(bytes_of("unitree_g1", name), name, {}, rate_word);
    EXPECT_EQ(motion.format, name);
    EXPECT_EQ(motion.robot_name, "unitree_g1") << name;
    EXPECT_FALSE(motion.open) << name << ": " << lines_of(motion.notes);
    EXPECT_TRUE(motion.notes.empty()) << name << ": " << lines_of(motion.notes);
    const double rate = layout.rate_hz > 0.0 ? layout.rate_hz : walk_on("unitree_g1").motion.rate_hz;
    EXPECT_NEAR(motion.motion.rate_hz, rate, 1e-3 * rate) << name;
    // of the same layout, read again as its own words say
    const RobotMotion again = opened(bytes_of("unitree_g1", name), name, "unitree_g1", name);
    EXPECT_LT(apart(motion.motion, again.motion), 1e-12) << name;
  }
}

TEST(RobotMotionFile, WhatIsReadIsWhatWasWritten) {
  const std::string bytes = bytes_of("unitree_g1", "mujoco");  // 8 bytes a number, not resampled
  const RobotMotion motion = opened(bytes, "mujoco");
  EXPECT_LT(apart(motion.motion, walk_on("unitree_g1").motion), 1e-12);
}

void turn_quaternions(std::vector<double>& values, bool xyzw) {
  for (std::size_t i = 0; i + 4 <= values.size(); i += 4)
    xyzw ? std::rotate(&values[i], &values[i] + 3, &values[i] + 4)   // to w x y z
         : std::rotate(&values[i], &values[i] + 1, &values[i] + 4);  // to x y z w
}

void scale(std::vector<double>& values, double factor) {
  for (double& value : values) value *= factor;
}

TEST(RobotMotionFile, PlantedSwapsAreNamedCorrectedAndSaid) {
  const auto quaternions = [](RobotArrays& a, bool xyzw) {
    if (a.turn.width == 4) turn_quaternions(a.turn.values, xyzw);
    turn_quaternions(a.body_turns.values, xyzw);
  };
  for (const std::string name :
       {"mjlab", "holosoma", "beyondmimic", "holomotion", "isaac-amp", "mujoco", "unitree"}) {
    const io::RobotLayout& layout = io::robot_layout(name);
    io::Input input(bytes_of("unitree_g1", name), file_name(name));
    const RobotArrays clean = io::read_robot_arrays(input);
    const RobotMotion expected = opened(bytes_of("unitree_g1", name), name);
    const auto check = [&](const char* what, const RobotArrays& arrays, MotionQuestion question,
                           bool said = true) {
      const RobotMotion told = tell_robot_motion(arrays, "unitree_g1");
      EXPECT_FALSE(told.open) << name << ": " << what << "\n" << lines_of(told.notes);
      if (said) {
        EXPECT_TRUE(fact(told, question).departs) << name << ": " << what << "\n" << lines_of(told.notes);
        EXPECT_FALSE(told.notes.empty()) << name << ": " << what;
      }
      Motion straight = told.motion;
      EXPECT_LT(apart(straight, expected.motion), 1e-4) << name << ": " << what << "\n"
                                                        << lines_of(told.notes);
    };
    RobotArrays swapped = clean;
    quaternions(swapped, layout.xyzw);
    check("quaternions", swapped, MotionQuestion::Turn, name != "unitree");
    RobotArrays degrees = clean;
    scale(degrees.joints.values, kToDegrees);
    check("degrees", degrees, MotionQuestion::Angles);
    RobotArrays centimetres = clean;
    scale(centimetres.place.values, 100.0);
    scale(centimetres.body_places.values, 100.0);
    check("centimetres", centimetres, MotionQuestion::Length);
  }
}

// Panto's own table
std::string table_of(const std::string& robot) {
  return io::motion_bytes(walk_on(robot).motion, test::shipped_robot(robot).model, "clip.csv");
}

TEST(RobotMotionFile, PantosOwnTableIsReadBack) {
  for (const char* robot : {"unitree_g1", "icub"}) {
    io::Input input(table_of(robot), "clip.csv");
    ASSERT_TRUE(io::is_robot_motion(input));
    const RobotMotion told = open_robot_motion(input);
    EXPECT_EQ(told.format, "panto");
    EXPECT_EQ(told.robot_name, robot) << "by its joints' names";
    EXPECT_NEAR(told.motion.rate_hz, walk_on(robot).motion.rate_hz, 1e-6);
    EXPECT_LT(apart(told.motion, walk_on(robot).motion), 1e-12);
    EXPECT_EQ(lines_of(told.notes), "") << robot;
  }
}

TEST(RobotMotionFile, PantosOwnFilesAreTakenAtTheirWordHoweverTheRobotMoves) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const char* robot : {"unitree_g1", "nao", "talos"}) {
    const Model& model = test::shipped_robot(robot).model;
    Motion motion{model.name(), model.joint_names(), 50.0, {}};
    for (int k = 0; k < 60; ++k) {  // joints anywhere in their ranges, a base that tumbles beside the floor
      State& state = motion.states.emplace_back(rest_state(model));
      state.t = frame_time(k, 50.0);
      for (int j = 0; j < model.dof(); ++j)
        state.s[j] = 0.5 * (model.lower()[j] + model.upper()[j] +
                            unit(random) * (model.upper()[j] - model.lower()[j]));
      state.R_WB = so3::exp(3.0 * Eigen::Vector3d(unit(random), unit(random), unit(random)));
      state.p_WB = 2.0 * Eigen::Vector3d(unit(random), unit(random), unit(random));
    }
    derive_velocities(motion);
    for (const char* name : {"clip.npz", "clip.csv"}) {
      io::Input input(io::motion_bytes(motion, model, name), name);
      const RobotMotion told = open_robot_motion(input);
      EXPECT_FALSE(told.open) << robot << " " << name;
      EXPECT_EQ(lines_of(told.notes), "") << robot << " " << name;
      EXPECT_LT(apart(told.motion, motion), 1e-12) << robot << " " << name;
    }
  }
}

TEST(RobotMotionFile, UnevenAndDisorderedStampsOfATableAreSaid) {
  const std::string text = table_of("unitree_g1");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
  const auto read = [&](std::vector<std::string> rows) {
    std::string all;
    for (const std::string& row : rows) all += row;
    io::Input input(all, "clip.csv");
    return open_robot_motion(input);
  };
  std::vector<std::string> gap = lines, swapped = lines, cut = lines;
  gap.erase(gap.begin() + 20);
  EXPECT_NE(lines_of(read(gap).notes).find("frames 18 and 19 are 2 steps apart"), std::string::npos)
      << lines_of(read(gap).notes);
  std::swap(swapped[20], swapped[21]);
  EXPECT_NE(test::refusal_of([&] { (void)read(swapped); }).find("clip.csv: frame 20"), std::string::npos)
      << test::refusal_of([&] { (void)read(swapped); });
  cut.back().resize(cut.back().rfind(','));
  EXPECT_NE(test::refusal_of([&] { (void)read(cut); }).find("cut off"), std::string::npos)
      << test::refusal_of([&] { (void)read(cut); });
}

TEST(RobotMotionFile, AHumansTableStaysARecordingOfAPerson) {
  io::Input input("time_s,base_x_m,base_y_m,base_z_m,base_qw,base_qx,base_qy,base_qz,jL5S1_roty_rad\n",
                  "h.csv");
  EXPECT_FALSE(io::is_robot_motion(input));
}

// one array of poses: x y z, qx qy qz qw, joints
std::string poses_npy() {
  io::Input table(bytes_of("unitree_g1", "unitree"), "clip.csv");
  const RobotArrays arrays = io::read_robot_arrays(table);
  std::vector<double> numbers;
  for (std::size_t k = 0; k < arrays.frames; ++k)
    for (const io::FrameRows* rows : {&arrays.place, &arrays.turn, &arrays.joints})
      numbers.insert(numbers.end(), rows->row(k), rows->row(k) + rows->width);
  return io::npy(numbers, std::to_string(arrays.frames) + ", 36");
}

// what MimicKit's pickle holds: place, rotation vector, joints
std::string mimickit_npz() {
  std::vector<double> numbers;
  const Motion& motion = walk_on("unitree_g1").motion;
  for (const State& state : motion.states) {
    const Eigen::Vector3d turn = so3::log(state.R_WB);
    for (const Eigen::VectorXd& part : {Eigen::VectorXd(state.p_WB), Eigen::VectorXd(turn), state.s})
      numbers.insert(numbers.end(), part.begin(), part.end());
  }
  return io::pack_npz({{"frames.npy", io::npy(numbers, std::to_string(motion.states.size()) + ", 35")},
                       {"loop_mode.npy", io::npy(std::vector<std::int64_t>{0}, "")},
                       {"fps.npy", io::npy(std::vector<double>{motion.rate_hz}, "")}});
}

TEST(RobotMotionFile, OneArrayOfPosesIsReadAsTheTableAndMimicKitsFramesAsTheyAre) {
  io::Input array(poses_npy(), "clip.npy");
  ASSERT_TRUE(io::is_robot_motion(array));
  const RobotMotion read = open_robot_motion(array);
  EXPECT_EQ(read.format, "unitree");
  EXPECT_LT(apart(read.motion, opened(bytes_of("unitree_g1", "unitree"), "unitree").motion), 1e-12);
  io::Input frames(mimickit_npz(), "clip.pkl");
  const RobotMotion clip = open_robot_motion(frames);
  EXPECT_EQ(clip.format, "mimickit");
  EXPECT_FALSE(clip.open) << lines_of(clip.notes);
  EXPECT_LT(apart(clip.motion, walk_on("unitree_g1").motion), 1e-9);
  // rows that are no poses are no robot's motion
  io::Input other(io::npy(std::vector<double>(720, 0.3), "20, 36"), "other.npy");
  EXPECT_FALSE(io::is_robot_motion(other));
  EXPECT_THROW((void)open_robot_motion(other), FormatError);
}

TEST(RobotMotionFile, WordsThatContradictEachOtherAreRefused) {
  for (const auto& [words, kind] :
       {std::pair{"50hz,60hz", "rate"}, std::pair{"wxyz,xyzw", "quaternion order"},
        std::pair{"m,cm", "unit of lengths"}, std::pair{"unitree_g1,booster_t1", "robot"}})
    EXPECT_NE(test::refusal_of([&w = words] { (void)io::parse_motion_hints(w); }).find(kind),
              std::string::npos)
        << words;
  EXPECT_EQ(io::parse_motion_hints("g1,50hz,cm").rate_hz, 50.0);
}

RobotArrays arrays_of(const std::string& layout) {
  io::Input input(bytes_of("unitree_g1", layout), file_name(layout));
  return io::read_robot_arrays(input);
}

// the notes of a G1's arrays
std::string notes_of(const RobotArrays& arrays, const std::string& from = {}) {
  return lines_of(tell_robot_motion(arrays, "unitree_g1", io::parse_motion_hints(from)).notes);
}

TEST(RobotMotionFile, AWordThatTheFileContradictsIsObeyedAndTheContradictionIsSaid) {
  const RobotArrays arrays = arrays_of("mjlab");
  for (const char* right : {"wxyz", "radians", "m", "z-up", "50hz", "mjlab"})
    EXPECT_EQ(notes_of(arrays, right), "") << right;
  const auto says = [&](const char* word, const char* truth) {
    const std::string notes = notes_of(arrays, word);
    EXPECT_NE(notes.find(truth), std::string::npos) << word << ": " << notes;
    EXPECT_TRUE(notes.starts_with("warning: ")) << notes;
  };
  says("xyzw", "without it turns: quaternions w x y z");
  says("degrees", "without it angles: radians");
  says("y-up", "without it up axis: z");
  says("cm", "without it lengths: metres");
  says("25hz", "the derivatives of its positions at 50 Hz");
  EXPECT_DOUBLE_EQ(tell_robot_motion(arrays, "unitree_g1", io::parse_motion_hints("25hz")).motion.rate_hz,
                   25.0);
}

TEST(RobotMotionFile, VelocitiesThatAreNoDerivativesAreSaid) {
  const RobotArrays clean = arrays_of("mjlab");
  ASSERT_FALSE(clean.joint_rates.empty());
  RobotArrays zero = clean;
  zero.joint_rates.values.assign(zero.joint_rates.values.size(), 0.0);
  EXPECT_NE(notes_of(zero).find("the velocities of joints are zero while its positions change"),
            std::string::npos)
      << notes_of(zero);
  RobotArrays shuffled = clean;
  std::mt19937 random(7);
  std::shuffle(shuffled.joint_rates.values.begin(), shuffled.joint_rates.values.end(), random);
  EXPECT_NE(notes_of(shuffled).find("not the derivatives of its positions at any rate"), std::string::npos)
      << notes_of(shuffled);
  RobotArrays turning = clean;
  std::shuffle(turning.body_turn_rates.values.begin(), turning.body_turn_rates.values.end(), random);
  EXPECT_NE(notes_of(turning).find("the turning rates of bodies are not the derivatives"), std::string::npos)
      << notes_of(turning);
  RobotArrays still = zero;  // a robot that stands has velocities of zero
  for (std::size_t k = 1; k < still.frames; ++k)
    std::copy_n(still.joints.row(0), still.joints.width,
                still.joints.values.begin() + static_cast<std::ptrdiff_t>(k * still.joints.width));
  EXPECT_EQ(notes_of(still).find("velocities of joints"), std::string::npos) << notes_of(still);
}

TEST(RobotMotionFile, NamesOfJointsThatTheRobotLacksAreSaid) {
  RobotArrays arrays = arrays_of("unitree");
  arrays.joint_names = test::shipped_robot("unitree_g1").model.joint_names();
  EXPECT_EQ(notes_of(arrays), "");
  arrays.joint_names[3] = "left_kneee_joint";
  EXPECT_NE(notes_of(arrays).find("names 1 joint that unitree_g1 lacks (left_kneee_joint)"),
            std::string::npos)
      << notes_of(arrays);
  arrays.joint_names[3] = arrays.joint_names[4];
  EXPECT_NE(notes_of(arrays).find("names the joint 'left_ankle_pitch_joint' twice"), std::string::npos)
      << notes_of(arrays);
  arrays.joint_names.resize(5);
  EXPECT_NE(notes_of(arrays).find("names 5 joints of 29"), std::string::npos) << notes_of(arrays);
}

TEST(RobotMotionFile, DamagedFilesAreReadOrRefusedWithTheirName) {
  std::vector<std::string> names{"npy", "mimickit"};
  for (const io::RobotLayout& layout : io::robot_layouts()) names.emplace_back(layout.name);
  for (const std::string& name : names) {
    const bool array = name == "npy", frames = name == "mimickit";
    std::string bytes = array ? poses_npy() : frames ? mimickit_npz() : bytes_of("unitree_g1", name);
    const std::string file = array ? "clip.npy" : frames ? "clip.pkl" : file_name(name);
    if (file.ends_with(".csv")) bytes.resize(8000);
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 60);
    test::CorruptionCount count;
    const auto parse = [&](std::string_view text) {
      io::Input input(std::string(text), file);
      (void)io::read_robot_arrays(input);
    };
    std::mt19937 random(34);
    for (std::size_t end = 0; end < bytes.size(); end += step) {
      test::try_damaged(std::string_view(bytes).substr(0, end), parse, name + " cut off", count);
      std::string damaged = bytes;
      for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      test::try_damaged(damaged, parse, name + " with wrong bytes", count);
    }
    EXPECT_EQ(count.broken, 0) << name;
    EXPECT_GT(count.refused, 0) << name;
  }
}

TEST(RobotMotionFile, FeetThatStandInTheFileSlideNoMoreThanInTheRunThatMadeIt) {
  const RetargetResult judged = judge_motion(opened(bytes_of("unitree_g1", "mjlab"), "mjlab"));
  ASSERT_TRUE(judged.figures.foot_skate_p95_mm_s);
  // planted: 4 mm/s in its own run; without the person a little of landing counts too
  EXPECT_LT(*judged.figures.foot_skate_p95_mm_s, 50.0);
}

TEST(RobotMotionFile, AJointOnItsLimitIsNotBeyondItBecauseItsNumberWasRounded) {
  const RetargetResult judged = judge_motion(opened(bytes_of("talos", "mjlab"), "mjlab"));
  EXPECT_GT(judged.figures.joint_on_limit_max_share, 0.05);  // an elbow straight, in numbers of 4 bytes
  EXPECT_EQ(judged.figures.limit_violations, 0);
  EXPECT_EQ(judge_motion(opened(bytes_of("icub", "mjlab"), "mjlab")).figures.row_violations, 0);
}

TEST(RobotMotionFile, SlidingFeetOfOthersAreSeenAsTheJudgeWithMuJoCoSeesThem) {
  PANTO_NEED_DATA("lafan1/unitree_dance1_subject2.csv");
  io::Input input(test::data_file("lafan1/unitree_dance1_subject2.csv"));
  const RetargetResult judged = judge_motion(open_robot_motion(input, "unitree_g1"));
  // the judge, which knows the person's contacts: 231 mm/s; without them a third either way
  ASSERT_TRUE(judged.figures.foot_skate_p95_mm_s);
  EXPECT_NEAR(*judged.figures.foot_skate_p95_mm_s, 231.0, 77.0);
}

}  // namespace
}  // namespace panto
