// A real recording: 1.85 s of MVN at 60 Hz, as .mvnx (version 4) and as the same program's .bvh.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "panto/evaluation/metrics.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/isb_angles.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180.0;
constexpr const char* kMvnx = "mvnx/blender-mvnx-io_test_mocap.mvnx";
constexpr const char* kBvh = "mvnx/blender-mvnx-io_test_mocap.bvh";
constexpr Time kSettle = 500'000'000;

struct Recording {
  RecordingInfo info;
  std::vector<std::string> names;
  std::vector<SegmentSample> samples;
};

Recording read(const char* relative) {
  const auto file = io::open_recording(test::data_file(relative));
  Recording recording{file->info(), file->names(), {}};
  for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) recording.samples.push_back(sample);
  return recording;
}

DynamicalOptions with(VelocitySource velocity) {
  DynamicalOptions options;
  options.velocity = velocity;
  return options;
}

std::vector<State> track(const Recording& recording, const Model& model, const DynamicalOptions& options) {
  SegmentTracker tracker(model, recording.info.attachments, options, recording.names);
  State state = tracker.rest_state();
  std::vector<State> states;
  for (const SegmentSample& sample : recording.samples) {
    EXPECT_TRUE(usable(tracker.step(sample, state)));
    states.push_back(state);
  }
  return states;
}

std::array<Matrix3d, kHumanSegmentCount> segments_of(const Model& model, Kinematics& kinematics,
                                                     const State& state) {
  kinematics.update(state);
  std::array<Matrix3d, kHumanSegmentCount> R;
  for (std::size_t i = 0; i < R.size(); ++i) R[i] = kinematics.R_WL(model.link_index(kHumanSegmentNames[i]));
  return R;
}

class OnTheTake : public ::testing::Test {
 protected:
  void expect_angles(VelocitySource velocity, double mean_deg, double p99_deg) {
    const Recording take = read(kMvnx);
    const Model model = human66(*take.info.subject);
    const std::vector<State> states = track(take, model, with(velocity));
    Kinematics kinematics(model);
    OrientationError error(states.size() * 23);
    SampleStatistics origin(states.size() * 23);
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].t < kSettle) continue;
      const auto R = segments_of(model, kinematics, states[i]);
      for (std::size_t k = 0; k < R.size(); ++k) {
        error.add(take.samples[i].segments[k].R_WS, R[k]);
        origin.add(
            (take.samples[i].segments[k].p_WS - kinematics.p_WL(model.link_index(kHumanSegmentNames[k])))
                .norm());
      }
    }
    const double mean = *error.angle().mean() / kDegree, p99 = *error.angle().percentile(0.99) / kDegree;
    std::printf("take, %s: angle mean %.4f, p99 %.4f deg; origins mean %.2f, max %.2f mm\n",
                velocity == VelocitySource::Measured ? "measured" : "differenced", mean, p99,
                1e3 * *origin.mean(), 1e3 * *origin.max());
    EXPECT_LE(mean, mean_deg);
    EXPECT_LE(p99, p99_deg);
    EXPECT_LE(*origin.mean(), 0.002);
    EXPECT_LE(*origin.max(), 0.008);
  }
};

TEST_F(OnTheTake, MeasuredRatesFollowItWithinAFractionOfADegree) {
  PANTO_NEED_DATA(kMvnx);
  expect_angles(VelocitySource::Measured, 0.15, 0.8);
}

TEST_F(OnTheTake, DifferencedRatesFollowItAlmostExactly) {
  PANTO_NEED_DATA(kMvnx);
  expect_angles(VelocitySource::Differenced, 0.02, 0.8);
}

TEST_F(OnTheTake, EveryJointTurnsAsTheFilesSegmentsAndItsOwnJointAnglesSay) {
  PANTO_NEED_DATA(kMvnx);
  const Recording take = read(kMvnx);
  const Model model = human66(*take.info.subject);
  const std::vector<State> states = track(take, model, with(VelocitySource::Differenced));
  io::MvnxFile file(test::data_file(kMvnx));
  const auto R_T_isb = io::mvnx_isb_frames(file, false);
  ASSERT_TRUE(R_T_isb.has_value());

  Kinematics kinematics(model);
  SampleStatistics relative, isb;
  io::MvnxFrame frame;
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_EQ(file.read(frame), ReadStatus::Sample);
    const auto R = segments_of(model, kinematics, states[i]);
    const auto angles = isb_angles(R, *R_T_isb);
    const std::vector<double>& own = frame[io::MvnxVector::JointAngle];
    ASSERT_EQ(own.size(), 66U);
    if (states[i].t < kSettle) continue;
    for (std::size_t j = 0; j < 22; ++j) {
      const auto parent = static_cast<std::size_t>(kHumanSegmentParent[j + 1]);
      const auto& measured = take.samples[i].segments;
      relative.add(so3::distance(R[parent].transpose() * R[j + 1],
                                 measured[parent].R_WS.transpose() * measured[j + 1].R_WS) /
                   kDegree);
      // the middle of z-x-y is the first number: at 90 degrees the others are not determined
      if (std::abs(own[3 * j]) > 80.0) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const double off = angles[j][static_cast<int>(k)] - own[3 * j + k] * kDegree;
        isb.add(std::abs(std::remainder(off, 2.0 * kPi)) / kDegree);
      }
    }
  }
  std::printf(
      "take: relative rotations p99 %.4f max %.4f deg; ISB angles p99 %.4f max %.4f deg (%zu of %zu)\n",
      *relative.percentile(0.99), *relative.max(), *isb.percentile(0.99), *isb.max(), isb.count(),
      3 * relative.count());
  EXPECT_LE(*relative.percentile(0.99), 0.3);
  EXPECT_LE(*isb.percentile(0.99), 0.3);
  EXPECT_GT(isb.count(), 2 * relative.count());
}

TEST_F(OnTheTake, TheBvhTwinGivesTheSameMotion) {
  PANTO_NEED_DATA(kMvnx);
  PANTO_NEED_DATA(kBvh);
  const Recording mvnx = read(kMvnx), bvh = read(kBvh);
  const Model model = human66(*mvnx.info.subject);
  const std::vector<State> a = track(mvnx, model, with(VelocitySource::Differenced)),
                           b = track(bvh, model, with(VelocitySource::Differenced));
  std::printf("twin: %zu frames of .mvnx, %zu of .bvh\n", a.size(), b.size());
  const Attachments attachments(mvnx.info.attachments, model, mvnx.names, {});
  test::LinkComparison compare(model, attachments.rows());
  // the exporter overwrites frame 0 of a .bvh with its rest pose, which the reader leaves out: the stamps
  // tell which frames belong together
  ASSERT_EQ(b.size() + 1, a.size());
  double worst = 0.0;
  for (std::size_t i = 2; i < a.size(); ++i) {
    ASSERT_EQ(a[i].t, b[i - 1].t) << "frame " << i;
    const test::Apart apart = compare(a[i], b[i - 1]);
    worst = std::max(worst, apart.angle / kDegree);
    ASSERT_LT(apart.angle / kDegree, 0.2)
        << "frame " << i << " " << model.link_names()[static_cast<std::size_t>(apart.link)];
  }
  std::printf("twin: links differ by at most %.4f deg\n", worst);
}

TEST_F(OnTheTake, Human48NeverLeavesItsLimits) {
  PANTO_NEED_DATA(kMvnx);
  const Recording take = read(kMvnx);
  const Model model = human48(*take.info.subject);
  for (const VelocitySource velocity : {VelocitySource::Measured, VelocitySource::Differenced}) {
    LimitViolations violations(model);
    for (const State& state : track(take, model, with(velocity))) violations.add(state);
    EXPECT_EQ(violations.count(), 0);
  }
}

// ---- one motion, whatever the start -----------------------------------------------------------------------

State random_start(const Model& model, test::Random& random) {
  State state = rest_state(model);
  state.p_WB = test::random_vector(random, 2.0);
  state.R_WB = test::random_rotation(random);
  for (int i = 0; i < model.dof(); ++i)
    state.s[i] = test::uniform(random, std::max(model.lower()[i], -kPi), std::min(model.upper()[i], kPi));
  return state;
}

struct SameMotion {
  double worst_deg = 0.0;
  int failed = 0, stuck = 0;
};

// Starts at random frames in 0 .. `last_start` from random states; from `after` on, the motion must be the
// one tracked from frame 0.
SameMotion compare_starts(const Recording& recording, const Model& model, const DynamicalOptions& options,
                          Time last_start, int starts, double tolerance_deg, const char* what) {
  constexpr Time after = 1'000'000'000;
  const std::vector<State> reference = track(recording, model, options);
  SegmentTracker tracker(model, recording.info.attachments, options, recording.names);
  test::LinkComparison compare(model, tracker.targets().rows);
  test::Random random(1);
  int candidates = 0;
  for (const SegmentSample& sample : recording.samples) candidates += sample.t <= last_start ? 1 : 0;
  SameMotion result;
  for (int start = 0; start < starts; ++start) {
    const int first = test::pick(random, candidates);
    State state = random_start(model, random);
    tracker.reset();
    StepStatus status = StepStatus::Solved;
    double worst = 0.0;
    std::size_t worst_frame = 0;
    int worst_link = 0;
    const Time begin = recording.samples[static_cast<std::size_t>(first)].t;
    // 1 s of checking is enough on long motions
    for (auto i = static_cast<std::size_t>(first); i < recording.samples.size(); ++i) {
      if (recording.samples[i].t > begin + 2 * after) break;
      status = tracker.step(recording.samples[i], state);
      EXPECT_TRUE(advanced(status));
      if (status == StepStatus::Stuck || recording.samples[i].t < begin + after) continue;
      const test::Apart apart = compare(reference[i], state);
      if (apart.angle > worst) worst = apart.angle, worst_frame = i, worst_link = apart.link;
    }
    result.stuck += status == StepStatus::Stuck ? 1 : 0;
    result.worst_deg = std::max(result.worst_deg, worst / kDegree);
    if (worst / kDegree > tolerance_deg && ++result.failed <= 10) {
      std::printf("%s: start %d at frame %d: %s is %.4f deg off at frame %zu\n", what, start, first,
                  model.link_names()[static_cast<std::size_t>(worst_link)].c_str(), worst / kDegree,
                  worst_frame);
    }
  }
  std::printf("%s: %d starts, worst %.2e deg, %d beyond %g deg, %d stuck\n", what, starts, result.worst_deg,
              result.failed, tolerance_deg, result.stuck);
  EXPECT_EQ(result.stuck, 0) << what << ": every pose of these motions can be found";
  return result;
}

Recording synthetic_walk(const Model& source) {
  Recording recording;
  recording.info.attachments = mvn_attachments();
  recording.names = human_segment_names();
  recording.samples = test::synthetic_motion("walk", source, 4.0, 60.0).samples;
  return recording;
}

constexpr Time kTakeStarts = 800'000'000;  // 1.85 s long: 1 s must be left

TEST(AnyStart, GivesTheSameMotionOfHuman66OnTheTake) {
  PANTO_NEED_DATA(kMvnx);
  const Recording take = read(kMvnx);
  const Model model = human66(*take.info.subject);
  const int starts = test::scaled_numerical(1000);
  EXPECT_EQ(compare_starts(take, model, with(VelocitySource::Differenced), kTakeStarts, starts, 0.01,
                           "human66, take, differenced")
                .failed,
            0);
  // measured rates: the loop forgets the start as e^(-K t); after 1 s what is left is e^-20
  EXPECT_EQ(compare_starts(take, model, with(VelocitySource::Measured), kTakeStarts, starts, 0.01,
                           "human66, take, measured")
                .failed,
            0);
}

TEST(AnyStart, GivesTheSameMotionOfHuman66OnTheSyntheticWalk) {
  const Model model = human66();
  const Recording walk = synthetic_walk(model);
  EXPECT_EQ(compare_starts(walk, model, with(VelocitySource::Measured), 2'000'000'000,
                           test::scaled_numerical(1000), 0.01, "human66, walk, measured")
                .failed,
            0);
}

TEST(AnyStart, GivesTheSameMotionOfHuman48OnTheTake) {
  PANTO_NEED_DATA(kMvnx);
  const Recording take = read(kMvnx);
  const Model model = human48(*take.info.subject);
  for (const VelocitySource velocity : {VelocitySource::Differenced, VelocitySource::Measured}) {
    const SameMotion result = compare_starts(
        take, model, with(velocity), kTakeStarts, test::scaled_numerical(1000), 0.1,
        velocity == VelocitySource::Measured ? "human48, take, measured" : "human48, take, differenced");
    EXPECT_EQ(result.failed, 0);
  }
}

TEST(AnyStart, GivesTheSameMotionOfHuman48OnTheSyntheticWalk) {
  const Model model = human48();
  EXPECT_EQ(compare_starts(synthetic_walk(model), model, with(VelocitySource::Measured), 2'000'000'000,
                           test::scaled_numerical(1000), 0.1, "human48, its own walk")
                .failed,
            0);
  EXPECT_EQ(compare_starts(synthetic_walk(human66()), model, with(VelocitySource::Measured), 2'000'000'000,
                           test::scaled_numerical(1000), 0.1, "human48, walk of human66")
                .failed,
            0);
}

}  // namespace
}  // namespace panto
