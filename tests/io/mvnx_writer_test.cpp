#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

#include "panto/io/mvnx.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/isb_angles.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;
namespace fs = std::filesystem;

constexpr double kDegrees = 180.0 / std::numbers::pi;

class MvnxWriter : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("panto_mvnx_") + test->name() + "_" + std::to_string(std::random_device{}()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

State random_state(const Model& model, std::mt19937_64& random, Time t) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vector3d(unit(random), unit(random), unit(random)); };
  State state = rest_state(model);
  state.t = t;
  state.p_WB = 3.0 * vector();
  state.R_WB = so3::exp(3.0 * vector());
  state.v_WB = vector();
  state.w_WB = vector();
  for (Eigen::Index i = 0; i < state.s.size(); ++i) {
    state.s[i] = unit(random);
    state.sdot[i] = unit(random);
  }
  return state;
}

void expect_same_segments(const Model& model, const State& state, const SegmentSample& sample) {
  Kinematics kinematics(model);
  kinematics.update_with_velocities(state);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const int link = model.link_index(kHumanSegmentNames[i]);
    const SegmentMotion& S = sample.segments[i];
    ASSERT_TRUE(S.has_orientation && S.has_position && S.has_angular_velocity && S.has_linear_velocity);
    EXPECT_LT(so3::distance(S.R_WS, kinematics.R_WL(link)) * kDegrees, 1e-5) << kHumanSegmentNames[i];
    EXPECT_LT((S.p_WS - kinematics.p_WL(link)).norm(), 1e-8);
    EXPECT_LT((S.w_WS - kinematics.w_WL(link)).norm(), 1e-8);
    EXPECT_LT((S.v_WS - kinematics.v_WL(link)).norm(), 1e-8);
  }
}

TEST_F(MvnxWriter, WhatDisturbsTheSegmentsIsWritten) {
  const Model model = human66();
  const Matrix3d turn = so3::exp({0.1, -0.2, 0.3});
  StateFileOptions options{.rate_hz = 60.0};
  options.disturb = [&](SegmentSample& sample) {
    ASSERT_EQ(sample.segments.size(), static_cast<std::size_t>(kHumanSegmentCount));
    sample.segments[RightHand].R_WS = turn;
    sample.segments[RightHand].w_WS = {1.0, 2.0, 3.0};
  };
  const auto out = create_mvnx(path("a.mvnx"), model, options);
  ASSERT_EQ(out->write(rest_state(model)), WriteStatus::Written);
  out->close();
  const auto file = open_mvnx(path("a.mvnx"));
  SegmentSample sample;
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_LT(so3::distance(sample.segments[RightHand].R_WS, turn) * kDegrees, 1e-6);
  EXPECT_LT((sample.segments[RightHand].w_WS - Vector3d(1.0, 2.0, 3.0)).norm(), 1e-8);
  EXPECT_LT(so3::distance(sample.segments[LeftHand].R_WS, Matrix3d::Identity()), 1e-9)
      << "only what was disturbed";
}

TEST_F(MvnxWriter, WhatIsWrittenIsReadBack) {
  const SubjectDimensions subject = scaled_subject(1.68, 62.0);
  for (const Model& model : {human66(subject), human48(subject)}) {
    const std::string file = path((model.name() + ".mvnx").c_str());
    std::mt19937_64 random(11);
    std::vector<State> states;
    for (int k = 0; k < 20; ++k) states.push_back(random_state(model, random, frame_time(k, 60.0)));

    const auto out = create_mvnx(file, model, {.rate_hz = 60.0});
    for (const State& state : states) ASSERT_EQ(out->write(state), WriteStatus::Written);
    EXPECT_FALSE(fs::exists(file));  // until it is whole
    EXPECT_TRUE(fs::exists(file + ".part"));
    out->close();
    EXPECT_TRUE(fs::exists(file));
    EXPECT_FALSE(fs::exists(file + ".part"));

    const auto in = open_mvnx(file);
    EXPECT_EQ(in->info().format, "mvnx 4");
    EXPECT_EQ(in->info().rate_hz, 60.0);
    EXPECT_TRUE(in->info().notes.empty()) << in->info().notes.front();
    EXPECT_EQ(in->names(), human_segment_names());
    SegmentSample sample;
    for (const State& state : states) {
      ASSERT_EQ(in->read(sample), ReadStatus::Sample);
      EXPECT_EQ(sample.t, state.t);
      expect_same_segments(model, state, sample);
    }
    EXPECT_EQ(in->read(sample), ReadStatus::EndOfMotion);

    // the person comes back too: ends by proportion, since a model holds none
    ASSERT_TRUE(in->info().subject.has_value());
    EXPECT_NEAR(in->info().subject->height, 1.68, 1e-6);
    for (std::size_t i = 1; i < kHumanSegmentCount; ++i)
      EXPECT_LT((in->info().subject->origin[i] - subject.origin[i]).norm(), 1e-8);
  }
}

TEST_F(MvnxWriter, JointAnglesAreIsbAnglesOfTheSegments) {
  const Model model = human66();
  std::mt19937_64 random(5);
  const auto out = create_mvnx(path("a.mvnx"), model, {.rate_hz = 100.0});
  for (int k = 0; k < 5; ++k)
    ASSERT_EQ(out->write(random_state(model, random, frame_time(k, 100.0))), WriteStatus::Written);
  out->close();

  MvnxFile file(path("a.mvnx"));
  const auto R_T_isb = mvnx_isb_frames(file, false);
  ASSERT_TRUE(R_T_isb.has_value());
  MvnxFrame frame;
  int frames = 0;
  for (; file.read(frame) == ReadStatus::Sample; ++frames) {
    EXPECT_LT(mvnx_closure(file.header(), frame, false).value(), 1e-7);
    std::array<Matrix3d, kHumanSegmentCount> R;
    for (std::size_t i = 0; i < R.size(); ++i)
      R[i] = so3::from_quaternion_wxyz(Eigen::Vector4d(&frame[MvnxVector::Orientation][4 * i]));
    const auto angles = isb_angles(R, *R_T_isb);
    for (std::size_t j = 0; j < angles.size(); ++j) {
      for (int k = 0; k < 3; ++k) {
        const double written = frame[MvnxVector::JointAngle][3 * j + static_cast<std::size_t>(k)];
        EXPECT_LT(std::abs(std::remainder(angles[j][k] * kDegrees - written, 360.0)), 1e-4);
      }
    }
  }
  EXPECT_EQ(frames, 5);
}

TEST_F(MvnxWriter, KeepsTheOrderOfTheSchema) {
  const Model model = human66();
  const auto out = create_mvnx(path("a.mvnx"), model, {.rate_hz = 59.94});
  ASSERT_EQ(out->write(rest_state(model)), WriteStatus::Written);
  out->close();
  std::stringstream text;
  text << std::ifstream(path("a.mvnx")).rdbuf();
  const std::string all = text.str();
  std::size_t at = 0;
  for (const char* part : {"<mvnx ",
                           "<mvn ",
                           "<comment>",
                           "<subject ",
                           "<comment>",
                           "<segments>",
                           "</segments>",
                           "<sensors>",
                           "<joints>",
                           "<frames ",
                           "type=\"identity\"",
                           "type=\"tpose\"",
                           "type=\"tpose-isb\"",
                           "type=\"normal\"",
                           "<orientation>",
                           "<position>",
                           "<velocity>",
                           "<angularVelocity>",
                           "<jointAngle>",
                           "</frames>",
                           "</subject>",
                           "</mvnx>"}) {
    const std::size_t next = all.find(part, at);
    ASSERT_NE(next, std::string::npos) << part;
    at = next + 1;
  }
  EXPECT_NE(all.find("frameRate=\"59.94\""), std::string::npos);
  EXPECT_EQ(all.find("nan"), std::string::npos);
}

TEST_F(MvnxWriter, APauseInTheStampsIsAStepOfTheIndex) {
  const Model model = human48();
  const auto out = create_mvnx(path("a.mvnx"), model, {.rate_hz = 50.0});
  State state = rest_state(model);
  for (const int k : {10, 11, 15}) {
    state.t = frame_time(k, 50.0);
    ASSERT_EQ(out->write(state), WriteStatus::Written);
  }
  out->close();
  const auto in = open_mvnx(path("a.mvnx"));
  SegmentSample sample;
  for (const int k : {0, 1, 5}) {
    ASSERT_EQ(in->read(sample), ReadStatus::Sample);
    EXPECT_EQ(sample.t, frame_time(k, 50.0));
  }
}

TEST_F(MvnxWriter, DropsStatesThatAreNotOfItsModelAndGoesOn) {
  const Model model = human48();
  const auto out = create_mvnx(path("a.mvnx"), model, {.rate_hz = 60.0});
  State bad = rest_state(model);
  bad.s[3] = std::nan("");
  EXPECT_EQ(out->write(bad), WriteStatus::Dropped);
  EXPECT_EQ(out->write(rest_state(human66())), WriteStatus::Dropped);
  EXPECT_EQ(out->write(rest_state(model)), WriteStatus::Written);
  out->close();
  EXPECT_EQ(out->write(rest_state(model)), WriteStatus::Dropped);  // closed
  const auto in = open_mvnx(path("a.mvnx"));
  SegmentSample sample;
  EXPECT_EQ(in->read(sample), ReadStatus::Sample);
  EXPECT_EQ(in->read(sample), ReadStatus::EndOfMotion);
}

TEST_F(MvnxWriter, WithoutCloseThePartIsReadableToTheLastFrame) {
  const Model model = human66();
  {
    const auto out = create_mvnx(path("a.mvnx"), model, {.rate_hz = 60.0});
    State state = rest_state(model);
    for (int k = 0; k < 4; ++k) {
      state.t = frame_time(k, 60.0);
      ASSERT_EQ(out->write(state), WriteStatus::Written);
    }
  }
  EXPECT_FALSE(fs::exists(path("a.mvnx")));
  const auto in = open_mvnx(path("a.mvnx.part"));
  SegmentSample sample;
  for (int k = 0; k < 4; ++k) EXPECT_EQ(in->read(sample), ReadStatus::Sample);
  EXPECT_EQ(in->read(sample), ReadStatus::Malformed);
}

TEST_F(MvnxWriter, RefusesModelsAndRatesThatTheFormatCannotHold) {
  ModelSpec arm;
  arm.name = "arm & <hand>";
  arm.links = {{.name = "Pelvis"}, {.name = "Hand"}};
  arm.joints = {{.name = "j", .type = JointType::Revolute, .parent = "Pelvis", .child = "Hand"}};
  const Model robot(arm);
  EXPECT_THROW(static_cast<void>(create_mvnx(path("a.mvnx"), robot, {.rate_hz = 60.0})), ConfigError);
  for (const double rate : {0.0, -1.0, std::nan(""), kInfinity})
    EXPECT_THROW(static_cast<void>(create_mvnx(path("a.mvnx"), human66(), {.rate_hz = rate})), ConfigError);
  EXPECT_THROW(static_cast<void>(create_mvnx(path("no/such/folder/a.mvnx"), human66(), {.rate_hz = 60.0})),
               Error);
  EXPECT_FALSE(fs::exists(path("a.mvnx")));
  EXPECT_FALSE(fs::exists(path("a.mvnx.part")));
}

TEST_F(MvnxWriter, EscapesTheModelsName) {
  ModelSpec spec = human66().spec();
  spec.name = "Ann & \"Bob\" <1>";
  const Model model(spec);
  const auto out = create_mvnx(path("a.mvnx"), model, {.rate_hz = 60.0});
  ASSERT_EQ(out->write(rest_state(model)), WriteStatus::Written);
  out->close();
  EXPECT_EQ(MvnxFile(path("a.mvnx")).header().subject, spec.name);
}

}  // namespace
}  // namespace panto::io
