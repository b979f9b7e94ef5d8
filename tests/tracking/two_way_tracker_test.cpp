#include "panto/tracking/two_way_tracker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/ik/row_limits.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/robot/skeleton.hpp"
#include "panto/robot/touch_weights.hpp"
#include "panto/synthesis/segments.hpp"
#include "tests/support/recorded_motion.hpp"

namespace panto {
namespace {

constexpr double kRate = 60.0;
constexpr double kDegree = std::numbers::pi / 180.0;

// Samples in memory.
class Kept final : public Source<SegmentSample> {
 public:
  explicit Kept(const std::vector<SegmentSample>& samples) : samples_(&samples) {}
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    static const std::vector<std::string> names = human_segment_names();
    return names;
  }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= samples_->size()) return ReadStatus::EndOfMotion;
    sample = (*samples_)[next_++];
    return ReadStatus::Sample;
  }

 private:
  const std::vector<SegmentSample>* samples_;
  std::size_t next_ = 0;
};

// Hands that meet outweigh where the arms point.
robot::Map firm_map(const Model& robot) {
  robot::Map map = robot::propose_robot_map(robot).map;
  for (Attachment& a : map.attachments.attachments) {
    if (a.segment != "RightHand" && a.segment != "LeftHand") continue;
    a.position = true;
    a.touch_weight = 2500.0;
  }
  return map;
}

// A person whose straight arms swing from the T-pose to the front and back, palms turned a little forwards,
// so that the iCub's shoulders leave their gimbal lock on the wrong side.
class Clap : public ::testing::Test {
 protected:
  const Model robot = io::shipped_robot("icub");
  const robot::Map map = firm_map(robot);
  const Model person = human66();
  const OwnTargetsOption own = robot::with_touch_weights({}, map.attachments, human_segment_names(), 25.0);
  SolverOptions options{robot_options()};

  // at t seconds; the swing begins at 0.3 s and ends at 2.3 s
  [[nodiscard]] State posture(double t) const {
    State state = rest_state(person);
    state.t = from_seconds(t);
    const double on = std::clamp((t - 0.3) / 2.0, 0.0, 1.0);
    const double swing = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * on);
    const Eigen::Matrix3d R = so3::about_axis(2, 100.0 * kDegree * swing) *
                              so3::about_axis(1, -3.0 * kDegree * swing) *
                              so3::about_axis(0, -15.0 * kDegree * swing);
    for (const auto& [side, sign] : {std::pair{"jRightShoulder", 1.0}, std::pair{"jLeftShoulder", -1.0}}) {
      const Eigen::Vector3d mirror(1.0, sign, 1.0);
      const Eigen::Matrix3d turned = mirror.asDiagonal() * R * mirror.asDiagonal();
      const Eigen::Vector3d angles = euler::nearest(turned, euler::XYZ, Eigen::Vector3d::Zero());
      for (int k = 0; k < 3; ++k)
        state.s[person.joint_index(side + std::string("_rot") + "xyz"[k])] = angles[k];
    }
    return state;
  }

  [[nodiscard]] std::vector<SegmentSample> samples(double seconds) const {
    robot::Skeleton skeleton(robot, map, SubjectDimensions{}, human_segment_names());
    std::vector<SegmentSample> made;
    for (int k = 0; k <= static_cast<int>(seconds * kRate); ++k) {
      SegmentSample measured = segment_sample(person, posture(k / kRate));
      for (SegmentMotion& segment : measured.segments)
        segment.has_angular_velocity = segment.has_linear_velocity = false;
      made.emplace_back();
      skeleton.pose(measured, made.back());
    }
    return made;
  }

  [[nodiscard]] TwoWayTracker look_back(const std::vector<SegmentSample>& samples,
                                        TwoWayOptions two_way = {}) const {
    Kept source(samples);
    return {
        robot, map.attachments, SolverKind::Dynamical, options, human_segment_names(), source, two_way, {},
        own};
  }
  [[nodiscard]] SegmentTracker follow() const {
    return {robot, map.attachments, SolverKind::Dynamical, options, human_segment_names(), own};
  }

  // by how much the distance of the hands differs from the one that is wanted, at one frame [m]
  [[nodiscard]] double hands_off(const State& state, const SegmentSample& sample) const {
    Kinematics kinematics(robot);
    kinematics.update(state);
    Eigen::Vector3d apart = Eigen::Vector3d::Zero(), wanted = apart;
    for (const Attachment& a : map.attachments.attachments) {
      const double sign = a.segment == "RightHand" ? 1.0 : a.segment == "LeftHand" ? -1.0 : 0.0;
      apart += sign * kinematics.p_WL(robot.link_index(a.link));
    }
    wanted = sample.segments[HumanSegment::RightHand].p_WS - sample.segments[HumanSegment::LeftHand].p_WS;
    return std::abs(apart.norm() - wanted.norm());
  }

  // every state, and from each to the next no faster than joints may
  void expect_within_limits(const std::vector<TwoWayTracker::Frame>& frames) const {
    const std::vector<double> speed = JointLimits(robot, options.dynamical.limits).speed();
    const RowLimits rows(robot, options.dynamical.limits, speed);
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const State& state = frames[k].state;
      EXPECT_LE((robot.lower() - state.s).maxCoeff(), 1e-9);
      EXPECT_LE((state.s - robot.upper()).maxCoeff(), 1e-9);
      EXPECT_LE(rows.violation(state.s), 1e-9);
      for (int i = 0; i < robot.dof(); ++i) {
        EXPECT_LE(std::abs(state.sdot[i]), speed[at(i)] + 1e-6) << k << " " << robot.joint_names()[at(i)];
        if (k == 0 || frames[k].aligned) continue;
        const double dt = to_seconds(state.t - frames[k - 1].state.t);
        EXPECT_LE(std::abs(state.s[i] - frames[k - 1].state.s[i]), speed[at(i)] * dt + 1e-8)
            << k << " " << robot.joint_names()[at(i)];
      }
    }
  }
};

constexpr std::size_t kFront = static_cast<std::size_t>(1.3 * kRate);  // the arms are in front

TEST_F(Clap, ArmsThatLeaveTheirLockOnTheWrongSideAreLedThroughThePoseThatTheyMissed) {
  const std::vector<SegmentSample> recording = samples(3.0);
  SegmentTracker forwards = follow();
  State state = forwards.rest_state();
  for (std::size_t k = 0; k <= kFront; ++k) ASSERT_TRUE(usable(forwards.step(recording[k], state)));
  ASSERT_GT(hands_off(state, recording[kFront]), 0.1) << "the reason for all this";

  TwoWayTracker hindsight = look_back(recording);
  ASSERT_TRUE(hindsight.differs());
  ASSERT_EQ(hindsight.frames().size(), recording.size());
  EXPECT_LT(hands_off(hindsight.frames()[kFront].state, recording[kFront]), 0.02);
  expect_within_limits(hindsight.frames());
  // and it answers with just that
  for (std::size_t k = 0; k < recording.size(); ++k) {
    ASSERT_TRUE(usable(hindsight.step(recording[k], state)));
    EXPECT_EQ(state_hash(state), state_hash(hindsight.frames()[k].state));
    EXPECT_EQ(state.t, recording[k].t);
  }
  EXPECT_EQ(hindsight.step(recording.back(), state), StepStatus::NoTarget);
}

TEST_F(Clap, AMotionOnTheWrongSideInTheMiddleIsLeftAndMetWithoutAJump) {
  // arms that hang, rise to the T-pose, clap, and hang again
  std::vector<SegmentSample> recording = samples(3.0);
  robot::Skeleton skeleton(robot, map, SubjectDimensions{}, human_segment_names());
  const auto hanging = [&](double share) {
    State state = posture(0.0);
    const double angle = 75.0 * kDegree * 0.5 * (1.0 + std::cos(std::numbers::pi * share));
    state.s[person.joint_index("jRightShoulder_rotx")] = angle;
    state.s[person.joint_index("jLeftShoulder_rotx")] = -angle;
    SegmentSample measured = segment_sample(person, state), made;
    for (SegmentMotion& segment : measured.segments)
      segment.has_angular_velocity = segment.has_linear_velocity = false;
    skeleton.pose(measured, made);
    return made;
  };
  std::vector<SegmentSample> whole;
  whole.reserve(recording.size() + 180);
  const int half = 60;
  for (int k = 0; k < half; ++k) whole.push_back(hanging(k / 59.0));
  whole.insert(whole.end(), recording.begin(), recording.end());
  for (int k = 0; k < 2 * half; ++k) whole.push_back(hanging(std::max(0.0, 1.0 - k / 59.0)));
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k].t = from_seconds(static_cast<double>(k) / kRate);
  TwoWayTracker hindsight = look_back(whole);
  const std::size_t front = at(half) + kFront;
  SegmentTracker forwards = follow();
  State state = forwards.rest_state();
  std::vector<State> alone;
  for (const SegmentSample& sample : whole) {
    ASSERT_TRUE(usable(forwards.step(sample, state)));
    alone.push_back(state);
  }
  ASSERT_GT(hands_off(alone[front], whole[front]), 0.1);
  const auto same = [&](std::size_t k) {
    return state_hash(alone[k]) == state_hash(hindsight.frames()[k].state);
  };
  for (std::size_t k = 0; k < 10; ++k) EXPECT_TRUE(same(k)) << "before it is left: " << k;
  for (std::size_t k = whole.size() - 20; k < whole.size(); ++k)
    EXPECT_TRUE(same(k)) << "once it is met: " << k;
  EXPECT_LT(hands_off(hindsight.frames()[front].state, whole[front]), 0.02);
  expect_within_limits(hindsight.frames());
}

TEST_F(Clap, OwnTargetsSeeSamplesAsRecordedAlsoBackwardsAndTheirRowsHoldInTheMotionThatIsLed) {
  const std::vector<SegmentSample> recording = samples(3.0);
  const int yaw = robot.joint_index("torso_yaw");
  OwnTargetsOption asked = own;
  asked.targets.rows.push_back({"turned", {{"torso_yaw", 1.0}}, 0.05, 0.05});
  std::vector<Time> seen;
  asked.update = [&](const SegmentSample& sample, const State& state, OwnTargets& targets) {
    const auto k = static_cast<std::size_t>(std::lround(to_seconds(sample.t) * kRate));
    ASSERT_LT(k, recording.size());
    EXPECT_EQ(sample.t, recording[k].t);
    EXPECT_EQ(sample.segments[HumanSegment::RightHand].p_WS,
              recording[k].segments[HumanSegment::RightHand].p_WS);
    EXPECT_LE(state.t, recording.back().t);
    seen.push_back(sample.t);
    own.update(sample, state, targets);
  };
  Kept source(recording);
  const TwoWayTracker hindsight(robot, map.attachments, SolverKind::Dynamical, options, human_segment_names(),
                                source, {}, {}, asked);
  ASSERT_TRUE(hindsight.differs());
  for (const TwoWayTracker::Frame& frame : hindsight.frames()) EXPECT_NEAR(frame.state.s[yaw], 0.05, 1e-9);
  const auto forwards = seen.begin() + static_cast<std::ptrdiff_t>(recording.size());
  EXPECT_TRUE(std::is_sorted(seen.begin(), forwards));
  EXPECT_FALSE(std::is_sorted(forwards, seen.end())) << "backwards too";
}

TEST_F(Clap, AForbiddenWayIsNotTaken) {
  const std::vector<SegmentSample> recording = samples(3.0);
  TwoWayOptions none;
  none.most_ways = 0;
  const TwoWayTracker stuck = look_back(recording, none);
  EXPECT_FALSE(stuck.differs());
  ASSERT_FALSE(stuck.stuck().empty()) << "it is named";
  for (const TwoWayTracker::Stuck& moment : stuck.stuck())
    EXPECT_NE(robot.joint_names()[at(moment.joint)].find("shoulder"), std::string::npos);
  none = {};
  none.most_poses = 0;
  EXPECT_FALSE(look_back(recording, none).differs());
  none = {};
  none.most_samples = recording.size() - 1;
  TwoWayTracker none_at_all = look_back(recording, none);
  State state = rest_state(robot);
  EXPECT_FALSE(none_at_all.differs());
  EXPECT_EQ(none_at_all.step(recording[0], state), StepStatus::NoTarget) << "too long: nothing was made";
}

TEST_F(Clap, BothSidesOfAGapAreLookedAt) {
  std::vector<SegmentSample> recording = samples(3.0);
  const std::size_t count = recording.size();
  for (std::size_t k = 0; k < count; ++k) {
    recording.push_back(recording[k]);
    recording.back().t += from_seconds(4.0);  // after a gap of a second
  }
  options.dynamical.limited_return = false;
  const TwoWayTracker hindsight = look_back(recording);
  EXPECT_GE(hindsight.rerouted_at().size(), 2U);
  for (const std::size_t k : {kFront, count + kFront})
    EXPECT_LT(hands_off(hindsight.frames()[k].state, recording[k]), 0.02) << k;
  EXPECT_TRUE(hindsight.frames()[count].aligned && hindsight.frames()[count].clock_gap);
  expect_within_limits(hindsight.frames());
}

TEST_F(Clap, AReturnBehindAGapBeginsWhereTheBetterMotionEnded) {
  std::vector<SegmentSample> recording = samples(1.4);  // ends with the arms in front
  const std::size_t count = recording.size();
  for (std::size_t k = 0; k < count; ++k) {
    recording.push_back(recording[k]);
    recording.back().t += from_seconds(2.4);
  }
  const TwoWayTracker hindsight = look_back(recording);
  ASSERT_TRUE(hindsight.differs());
  const std::vector<TwoWayTracker::Frame>& frames = hindsight.frames();
  EXPECT_TRUE(frames[count].returning);
  const std::vector<double> speed = JointLimits(robot, options.dynamical.limits).speed();
  for (int i = 0; i < robot.dof(); ++i)
    EXPECT_LE(std::abs(frames[count].state.s[i] - frames[count - 1].state.s[i]),
              speed[at(i)] * options.dynamical.max_interval + 1e-9)
        << robot.joint_names()[at(i)];
}

TEST(TwoWayTracker, IsTheTrackersOwnMotionToTheLastBitWhereThatIsGood) {
  const Model model = io::shipped_robot("unitree_g1");
  const robot::Map map = robot::propose_robot_map(model).map;
  robot::Skeleton skeleton(model, map, SubjectDimensions{}, human_segment_names());
  std::vector<SegmentSample> recording;
  for (const SegmentSample& person : test::synthetic_motion("walk", human66(), 3.0, kRate).samples) {
    recording.emplace_back();
    skeleton.pose(person, recording.back());
  }
  recording[60].cut = true;
  recording[100].segments[0].R_WS *= std::numeric_limits<double>::quiet_NaN();  // refused
  Kept source(recording);
  TwoWayOptions options;
  options.longest_step = 0.01;
  TwoWayTracker hindsight(model, map.attachments, SolverKind::Dynamical, {robot_options()},
                          human_segment_names(), source, options);
  EXPECT_FALSE(hindsight.differs());
  SegmentTracker tracker(model, map.attachments, robot_options());
  SubsteppingTracker divided(tracker, recording[0].segments.size(), 0.01, robot_options().max_interval);
  State state = tracker.rest_state(), answered = state;
  for (const SegmentSample& sample : recording) {
    ASSERT_EQ(divided.step(sample, state), hindsight.step(sample, answered));
    EXPECT_EQ(state_hash(state), state_hash(answered));
    EXPECT_EQ(tracker.last_report().aligned, hindsight.last_report().aligned);
  }
  EXPECT_EQ(hindsight.ambiguous_starts(), tracker.ambiguous_starts());
}

TEST(TwoWayTracker, RefusesOptionsThatMakeNoSense) {
  const Model model = human66();
  const std::vector<SegmentSample> nothing;
  const auto make = [&](const TwoWayOptions& options) {
    Kept source(nothing);
    (void)TwoWayTracker(model, mvn_attachments(), SolverKind::Dynamical, {}, human_segment_names(), source,
                        options);
  };
  EXPECT_NO_THROW(make({})) << "of a recording without samples too";
  EXPECT_THROW(make({.longest_step = 0.0}), ConfigError);
  EXPECT_THROW(make({.much_better = -1.0}), ConfigError);
  EXPECT_THROW(make({.look_every = 0.0}), ConfigError);
  EXPECT_THROW(make({.longest_way = kInfinity}), ConfigError);
  EXPECT_THROW(make({.most_poses = -1}), ConfigError);
  EXPECT_THROW(make({.most_ways = -1}), ConfigError);
}

}  // namespace
}  // namespace panto
