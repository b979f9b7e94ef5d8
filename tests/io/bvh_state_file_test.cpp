#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/test_data.hpp"

namespace {

using namespace panto;
using namespace panto::io;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;

class BvhStateFile : public ::testing::Test {
 protected:
  BvhStateFile() {
    path_ = ::testing::TempDir() + "panto_bvh_" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".bvh";
    clean();
  }
  ~BvhStateFile() override { clean(); }
  void clean() const {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".part");
  }

  // writes all; every state must be taken
  void write(const Model& model, const std::vector<State>& states, double rate_hz) const {
    const auto file = create_bvh(path_, model, {.rate_hz = rate_hz});
    for (const State& state : states) ASSERT_EQ(file->write(state), WriteStatus::Written);
    file->close();
  }

  // The poses of these tests are nobody's: nothing but the map that the writer had in mind tells what they
  // are.
  static RecordingHints the_writers_map() {
    const std::vector<std::string> joints{
        "Hips",         "Chest",       "Chest2",        "Chest3",     "Chest4",     "Neck",
        "Head",         "RightCollar", "RightShoulder", "RightElbow", "RightWrist", "LeftCollar",
        "LeftShoulder", "LeftElbow",   "LeftWrist",     "RightHip",   "RightKnee",  "RightAnkle",
        "RightToe",     "LeftHip",     "LeftKnee",      "LeftAnkle",  "LeftToe"};
    RecordingHints options;
    std::copy(joints.begin(), joints.end(), options.rig.joint.begin());
    options.rig.complete = true;
    options.rig.unit = 0.01;
    options.rig.up = "y";
    for (rig::Offset& offset : options.offsets) {
      offset.R_JS << 0, 1, 0, 0, 0, 1, 1, 0, 0;  // x, y, z of ours are z, x, y of the file's
      offset.valid = true;
    }
    return options;
  }

  std::vector<SegmentSample> read_back() const {
    const auto file = open_bvh(path_, the_writers_map());
    std::vector<SegmentSample> samples;
    for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) samples.push_back(sample);
    EXPECT_EQ(file->problem(), "");
    EXPECT_EQ(file->info().frames, static_cast<std::int64_t>(samples.size()));
    return samples;
  }

  std::string path_;
};

State random_state(const Model& model, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  State state = rest_state(model);
  for (Eigen::Index i = 0; i < state.s.size(); ++i) state.s[i] = std::numbers::pi * unit(random);
  state.R_WB = so3::exp(3.0 * Vector3d(unit(random), unit(random), unit(random)));
  state.p_WB = 5.0 * Vector3d(unit(random), unit(random), unit(random));
  return state;
}

void expect_same_poses(const Model& model, const std::vector<State>& states,
                       const std::vector<SegmentSample>& samples) {
  ASSERT_EQ(samples.size(), states.size());
  Kinematics kinematics(model);
  double angle = 0.0, distance = 0.0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    EXPECT_EQ(samples[k].t, states[k].t);
    kinematics.update(states[k]);
    for (std::size_t i = 0; i < 23; ++i) {
      const int link = model.link_index(kHumanSegmentNames[i]);
      angle = std::max(angle, so3::distance(samples[k].segments[i].R_WS, kinematics.R_WL(link)));
      distance = std::max(distance, (samples[k].segments[i].p_WS - kinematics.p_WL(link)).norm());
    }
  }
  ::testing::Test::RecordProperty("worst_deg", std::to_string(angle / kDegree * 1e9) + "e-9");
  ::testing::Test::RecordProperty("worst_m", std::to_string(distance * 1e9) + "e-9");
  EXPECT_LT(angle, 1e-6 * kDegree) << "eight decimals of a degree, through up to nine joints";
  EXPECT_LT(distance, 2e-8) << "a rest pose is moved by 10 nanometres";
}

std::vector<State> random_motion(const Model& model, int first, int count, double rate_hz,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<State> states;
  for (int k = first; k < first + count; ++k) {
    states.push_back(random_state(model, random));
    states.back().t = frame_time(k, rate_hz);
  }
  return states;
}

TEST_F(BvhStateFile, GivesBackEveryPoseWithItsStamp) {
  for (const Model& model : {human66(), human48(scaled_subject(1.2))}) {
    for (const double rate : {60.0, 240.0, 29.97, 7.5}) {
      const auto states = random_motion(model, 0, panto::test::scaled(30), rate, 11);
      write(model, states, rate);
      expect_same_poses(model, states, read_back());
    }
  }
}

TEST_F(BvhStateFile, GivesBackStampsOfAMotionThatBeginsWithFrameOne) {
  // as one does that was tracked from an Xsens BVH
  const Model model = human66();
  const auto states = random_motion(model, 1, 20, 60.0, 12);
  write(model, states, 60.0);
  EXPECT_EQ(read_bvh_file(path_).frame_count, 21) << "a rest pose comes first, as in Xsens' exports";
  expect_same_poses(model, states, read_back());
}

TEST_F(BvhStateFile, GivesBackATposeAtTheOrigin) {
  const Model model = human66();
  for (const int first : {0, 1}) {
    std::vector<State> states(5, rest_state(model));
    for (int k = 0; k < 5; ++k) states[static_cast<std::size_t>(k)].t = frame_time(k + first, 60.0);
    write(model, states, 60.0);
    expect_same_poses(model, states, read_back());
  }
}

TEST_F(BvhStateFile, GivesBackATposeFromWhichTheMotionGoesOn) {
  const Model model = human66();
  auto states = random_motion(model, 0, 5, 60.0, 13);
  for (std::size_t k = 0; k < states.size(); ++k) {
    states[k].s *= 0.01 * static_cast<double>(k);
    states[k].R_WB.setIdentity();
    states[k].p_WB = Vector3d(0.01 * static_cast<double>(k), 0, 0.9);
  }
  write(model, states, 60.0);
  expect_same_poses(model, states, read_back());
}

TEST_F(BvhStateFile, GivesBackTheBonesOfTheModel) {
  const SubjectDimensions subject = scaled_subject(1.83);
  const Model model = human66(subject);
  std::vector<State> states(2, rest_state(model));
  states[1].t = frame_time(1, 60.0);
  write(model, states, 60.0);
  const auto file = open_bvh(path_);
  ASSERT_TRUE(file->info().subject);
  for (std::size_t i = 1; i < 23; ++i) {
    EXPECT_LT((file->info().subject->origin[i] - subject.origin[i]).norm(), 1e-10) << kHumanSegmentNames[i];
    EXPECT_LT((file->info().subject->end[i] - subject.end[i]).norm(), 1e-3) << kHumanSegmentNames[i];
  }
}

TEST_F(BvhStateFile, StartsLaterMotionsAtFrameOne) {
  const Model model = human48();
  const auto states = random_motion(model, 300, 4, 60.0, 14);
  write(model, states, 60.0);
  const auto samples = read_back();
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[0].t, frame_time(1, 60.0));
  EXPECT_EQ(samples[3].t, frame_time(4, 60.0));
}

TEST_F(BvhStateFile, HoldsThePoseWhereFramesAreMissing) {
  const Model model = human66();
  auto states = random_motion(model, 0, 6, 60.0, 15);
  states.erase(states.begin() + 2, states.begin() + 4);  // frames 2 and 3
  write(model, states, 60.0);
  const auto samples = read_back();
  ASSERT_EQ(samples.size(), 6U);
  EXPECT_EQ(samples[3].segments[HumanSegment::Head].R_WS, samples[1].segments[HumanSegment::Head].R_WS);
  EXPECT_EQ(samples[4].t, states[2].t);
}

TEST_F(BvhStateFile, DropsStatesThatCannotBeAFrame) {
  const Model model = human66();
  const auto states = random_motion(model, 0, 3, 60.0, 16);
  const auto file = create_bvh(path_, model, {.rate_hz = 60.0});
  EXPECT_EQ(file->write(states[1]), WriteStatus::Written);
  EXPECT_EQ(file->write(states[1]), WriteStatus::Dropped) << "the same instant again";
  EXPECT_EQ(file->write(states[0]), WriteStatus::Dropped) << "back in time";
  State broken = states[2];
  broken.s[7] = std::nan("");
  EXPECT_EQ(file->write(broken), WriteStatus::Dropped);
  broken.s.resize(3);
  EXPECT_EQ(file->write(broken), WriteStatus::Dropped);
  EXPECT_EQ(file->write(states[2]), WriteStatus::Written);
  file->close();
  EXPECT_EQ(read_back().size(), 2U);
}

TEST_F(BvhStateFile, RefusesFramesFasterThanItsRate) {
  const Model model = human66();
  const auto states = random_motion(model, 0, 6, 60.0, 17);
  const auto file = create_bvh(path_, model, {.rate_hz = 40.0});
  int dropped = 0;
  for (const State& state : states) dropped += file->write(state) == WriteStatus::Dropped ? 1 : 0;
  EXPECT_EQ(dropped, 2) << "60 Hz onto 40 Hz: every third has no place";
  try {
    file->close();
    FAIL() << "a file that lacks frames appeared under its name";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("2 frames came faster than the rate of 40 Hz"),
              std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(BvhStateFile, RefusesPausesThatBvhCannotHold) {
  const Model model = human66();
  auto states = random_motion(model, 0, 2, 60.0, 17);
  states[1].t = from_seconds(3600.0);
  const auto file = create_bvh(path_, model, {.rate_hz = 60.0});
  EXPECT_EQ(file->write(states[0]), WriteStatus::Written);
  EXPECT_EQ(file->write(states[1]), WriteStatus::Dropped);
  EXPECT_THROW(file->close(), Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(BvhStateFile, AppearsUnderItsNameOnlyWhenClosed) {
  const Model model = human66();
  auto file = create_bvh(path_, model, {.rate_hz = 60.0});
  const auto states = random_motion(model, 0, 3, 60.0, 18);
  for (const State& state : states) ASSERT_EQ(file->write(state), WriteStatus::Written);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(std::filesystem::exists(path_ + ".part"));
  file.reset();  // as if killed: what was written can be read
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(read_bvh_file(path_ + ".part").frame_count, 3);
  EXPECT_THROW((void)create_bvh(path_, model, {.rate_hz = 60.0}), Error) << "it is not written over";
  std::filesystem::remove(path_ + ".part");

  file = create_bvh(path_, model, {.rate_hz = 60.0});
  file->close();
  file->close();
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
  EXPECT_EQ(read_bvh_file(path_).frame_count, 0) << "no states, no frames";
}

TEST_F(BvhStateFile, WritesAFileWithNothingToRepair) {
  const Model model = human66();
  write(model, random_motion(model, 1, 3, 60.0, 19), 60.0);
  const BvhClip clip = read_bvh_file(path_);
  EXPECT_TRUE(clip.notes.empty());
  EXPECT_EQ(clip.rate_hz, 60.0);
  ASSERT_EQ(clip.joints.size(), 23U);
  EXPECT_EQ(clip.joints[0].channels.size(), 6U);
  EXPECT_EQ(clip.joints[1].channels,
            (std::vector<BvhChannel>{BvhChannel::Yrotation, BvhChannel::Xrotation, BvhChannel::Zrotation}));
  // a person stands y up on the ground in the rest pose, arms along x
  SkeletonPose rest;
  bvh_pose(clip, 0, rest);
  const auto at = [&](const char* name) {
    return rest.p_FJ[static_cast<std::size_t>(clip.find_joint(name).value())];
  };
  EXPECT_GT(at("Head").y(), 130.0);
  EXPECT_LT(std::abs(at("RightToe").y()), 5.0);
  EXPECT_GT(at("LeftWrist").x(), 50.0);
  EXPECT_GT(at("LeftToe").z(), 5.0);
}

TEST_F(BvhStateFile, RefusesModelsWithoutTheSegmentsAndBadRates) {
  ModelSpec spec;
  spec.name = "stick";
  spec.links = {Link{.name = "Pelvis"}};
  const Model stick(spec);
  try {
    (void)create_bvh(path_, stick, {.rate_hz = 60.0});
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("no link 'L5' in model 'stick'"), std::string::npos)
        << error.what();
  }
  const Model model = human66();
  for (const double rate : {0.0, -1.0, std::nan(""), 0.9, 1e9}) {
    EXPECT_THROW((void)create_bvh(path_, model, {.rate_hz = rate}), ConfigError) << rate;
  }
  EXPECT_THROW((void)create_bvh("/nowhere/at/all.bvh", model, {.rate_hz = 60.0}), Error);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part")) << "nothing is left behind";
}

}  // namespace
