// What happens to the filter while it runs: samples that come late, sensors that fall silent or freeze,
// joints at their limits, segments and sensors that join and leave, feet that stand.

#include <gtest/gtest.h>

#include <memory>

#include "apps/support/allocation_count.hpp"
#include "panto/model/human.hpp"
#include "tests/support/growing_arm.hpp"
#include "tests/support/right_arm.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;
using test::kDegree;

std::vector<ChainProcess> joints_only(const ChainLayout& layout) {
  return std::vector<ChainProcess>(at(layout.unknowns()), ChainProcess{});
}

// the arm at work, its samples, and a filter that starts where it starts
struct Work {
  explicit Work(
      double duration, std::uint64_t seed = 1,
      const std::function<void(ImuSignalOptions&)>& change = [](ImuSignalOptions&) {}) {
    ImuSignalOptions suit = test::suit_signals(seed, duration);
    change(suit);
    motion.emplace(test::arm_at_work(arm, seed));
    signals = imu_signals(arm, motion_law(*motion), test::right_arm_mounts(), suit);
    state = ekf.start(motion->state(0));
    state.t = -10'000'000;
  }

  double error_deg() {
    State estimate = motion->state(state.t);
    ekf.read(state, estimate);
    return (estimate.s - motion->state(state.t).s).cwiseAbs().maxCoeff() / kDegree;
  }

  Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  ChainLayout layout{arm};
  std::optional<Synthesis> motion;
  ImuSignals signals;
  ChainEkf ekf{ImuModel(layout, test::right_arm_mounts()), joints_only(layout), test::suit_options()};
  ChainState state;
};

TEST(ChainRunning, LateSamplesAreRefusedAndLeaveNoTrace) {
  Work work(4.0, 1, [](ImuSignalOptions& o) { o.packets.delay = 0.03; });
  ChainState punctual = work.state;
  ChainEkf other = work.ekf;
  Time newest = work.state.t;
  int late = 0;
  for (const ImuSample& sample : work.signals.samples) {
    const ChainState before = work.state;
    const StepStatus status = work.ekf.step(sample, work.state);
    if (sample.t > newest) {
      EXPECT_EQ(status, StepStatus::Solved);
      ASSERT_EQ(other.step(sample, punctual), StepStatus::Solved);
      newest = sample.t;
      continue;
    }
    ++late;
    EXPECT_EQ(status, StepStatus::TimeNotAdvancing);
    EXPECT_EQ(work.state.t, before.t);
    EXPECT_EQ(work.state.P, before.P);
  }
  EXPECT_GT(late, 50);
  EXPECT_EQ(work.state.motion.q, punctual.motion.q) << "the same bits as without the late ones";
  EXPECT_EQ(work.state.P, punctual.P);
}

TEST(ChainRunning, ASilentSensorIsReportedDeadWithinATenthOfASecondAndIsTakenBack) {
  Work work(8.0);
  double reported = -1.0, worst_without = 0.0, worst_after = 0.0;
  for (ImuSample& sample : work.signals.samples) {
    const double t = to_seconds(sample.t);
    const bool silent = t >= 3.0 && t < 5.0;
    if (silent) sample.imus[3] = {};
    ASSERT_EQ(work.ekf.step(sample, work.state), StepStatus::Solved);
    const ImuCondition forearm = work.ekf.health()[3].condition;
    EXPECT_EQ(work.ekf.health()[2].condition, ImuCondition::Working) << "its neighbour";
    if (!silent) {
      EXPECT_EQ(forearm, ImuCondition::Working) << t;
    } else {
      EXPECT_NE(forearm, ImuCondition::Working) << t;
      if (forearm == ImuCondition::Dead && reported < 0.0) reported = t;
      worst_without = std::max(worst_without, work.error_deg());
    }
    if (t > 6.0) worst_after = std::max(worst_after, work.error_deg());
  }
  // the last reading came at 2.99 s
  EXPECT_GT(reported, 3.0);
  EXPECT_LE(reported - 2.99, 0.1);
  // the hand's sensor alone cannot tell five joints apart, but the arm is not lost
  EXPECT_LT(worst_without, 40.0);
  EXPECT_LT(worst_after, 1.5) << "a second after it is back";
}

TEST(ChainRunning, AFrozenSensorIsFoundWithinASecondAndNotUsed) {
  Work work(8.0);
  ImuReading held;
  double reported = -1.0, worst_after = 0.0;
  for (ImuSample& sample : work.signals.samples) {
    const double t = to_seconds(sample.t);
    if (t < 3.0) held = sample.imus[2];
    if (t >= 3.0 && t < 5.0) sample.imus[2] = held;
    ASSERT_EQ(work.ekf.step(sample, work.state), StepStatus::Solved);
    const bool frozen = work.ekf.health()[2].condition == ImuCondition::Frozen;
    if (frozen && reported < 0.0) reported = t;
    EXPECT_FALSE(frozen && (t < 3.0 || t >= 5.0)) << t;
    EXPECT_FALSE(frozen && work.ekf.health()[2].nis_gyro != 0.0) << "it was used";
    if (t > 6.5) worst_after = std::max(worst_after, work.error_deg());
  }
  EXPECT_GT(reported, 3.0);
  EXPECT_LE(reported, 4.0);
  EXPECT_LT(worst_after, 2.0);
}

// standing still, with noise, with counts as coarse as the noise, and without any: nobody freezes
TEST(ChainRunning, StandingStillIsNotFreezing) {
  const Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  const double duration = 60.0 * test::scale();  // an hour at 60
  for (int kind = 0; kind < 3; ++kind) {
    ImuSignalOptions suit = test::suit_signals(3, duration);
    if (kind == 1) {
      suit.gyro.count = suit.gyro.noise_density * std::sqrt(50.0);
      suit.acc.count = suit.acc.noise_density * std::sqrt(50.0);
    }
    if (kind == 2) suit.gyro = suit.acc = suit.mag = {};
    const MotionLaw still = [&arm](Time t, State& state, StateAcceleration& acceleration) {
      state = rest_state(arm);
      state.t = t;
      acceleration.sddot.setZero();
    };
    const ImuSignals signals = imu_signals(arm, still, test::right_arm_mounts(), suit);
    std::vector<ImuMemory> memory(5);
    int frozen = 0;
    for (const ImuSample& sample : signals.samples) {
      remember(sample, 0.002, memory);
      for (std::size_t k = 0; k < 5; ++k)
        frozen += condition(sample, memory, k, {}) == ImuCondition::Frozen ? 1 : 0;
    }
    EXPECT_EQ(frozen, 0) << "kind " << kind;
  }
}

// ---- limits

// the arm held still with one joint at a limit, its sensors turned so that it seems to be beyond it by 8 deg
double beyond_limit(const std::string& joint, const ImuMount& moved, int sensor, std::optional<double> limit,
                    double* shown) {
  const Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  const ChainLayout layout(arm);
  const int j = arm.joint_index(joint);
  State pose = rest_state(arm);
  pose.s[j] = arm.lower()[j];
  std::vector<ImuMount> mounts = test::right_arm_mounts();
  mounts[at(sensor)] = moved;
  const MotionLaw still = [&pose](Time t, State& state, StateAcceleration& acceleration) {
    state = pose;
    state.t = t;
    acceleration.sddot.setZero();
  };
  const ImuSignals signals = imu_signals(arm, still, mounts, test::suit_signals(1, 3.0));
  ChainEkfOptions options = test::suit_options();
  options.limit = limit;
  options.mounting_use = MountingUse::Inflate;
  ChainEkf ekf(ImuModel(layout, test::right_arm_mounts()), joints_only(layout), options);
  ChainState state = ekf.start(pose);
  state.t = -10'000'000;
  for (const ImuSample& sample : signals.samples) EXPECT_EQ(ekf.step(sample, state), StepStatus::Solved);
  State found = pose, clamped = pose;
  layout.state(state.motion, found);
  ekf.read(state, clamped);
  *shown = clamped.s[j] - arm.lower()[j];
  return (arm.lower()[j] - found.s[j]) / kDegree;
}

TEST(ChainRunning, AHingeIsDrawnBackToItsLimit) {
  ImuMount forearm = test::right_arm_mounts()[3];
  ImuMount plain = forearm;
  double shown = 0.0;
  // the forearm's sensor turned about the elbow: try both ways, one of them is beyond the limit
  double most = -100.0, held = 0.0;
  for (const double way : {-8.0, 8.0}) {
    forearm.R_LI = so3::exp(Vector3d{0.0, 0.0, way * kDegree}) * plain.R_LI;
    const double free = beyond_limit("elbow_flexion", forearm, 3, std::nullopt, &shown);
    if (free < most) continue;
    most = free;
    held = beyond_limit("elbow_flexion", forearm, 3, 0.0175, &shown);
  }
  EXPECT_GT(most, 1.5) << "without limits the elbow is bent backwards";
  EXPECT_LT(held, 0.5 * most);
  EXPECT_GE(shown, 0.0) << "what is shown is inside";
}

// how uncertain the wrist is [rad] after its sensor was silent for 0.2 s while it moved on to a limit that it
// has by then, or none
double after_a_gap_at_a_limit(std::optional<double> limit) {
  Work work(1.2);
  DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  const int wrist = work.arm.joint_index("wrist_flexion");
  for (DhLink& link : tree.links) {  // the sensors tell of a wrist beyond it
    if (link.joint == "wrist_flexion")
      link.upper = std::max(link.lower, work.motion->state(0).s[wrist] - 0.1);
  }
  const Model narrow = dh_model(tree);
  const ChainLayout layout(narrow);
  ChainEkfOptions options = test::suit_options();
  options.limit = limit;
  ChainEkf ekf(ImuModel(layout, test::right_arm_mounts()), joints_only(layout), options);
  ChainState state = ekf.start(work.motion->state(0));
  state.t = -10'000'000;
  for (ImuSample sample : work.signals.samples) {
    if (sample.t >= from_seconds(1.0)) sample.imus[4] = {};
    EXPECT_EQ(ekf.step(sample, state), StepStatus::Solved);
  }
  return std::sqrt(state.P(3 * wrist, 3 * wrist));
}

TEST(ChainRunning, ALimitDoesNotMakeAJointCertainThatNobodySees) {
  const double free = after_a_gap_at_a_limit(std::nullopt), limited = after_a_gap_at_a_limit(0.0175);
  EXPECT_GT(free, 0.1) << "[rad] 0.2 s at 50 rad/s^2";
  EXPECT_GT(limited, 0.8 * free);
}

TEST(ChainRunning, ABallIsDrawnBackToTheLimitsOfItsJoints) {
  ImuMount upper = test::right_arm_mounts()[2];
  const ImuMount plain = upper;
  double shown = 0.0, most = -100.0, held = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double way : {-12.0, 12.0}) {
      upper.R_LI = so3::exp(way * kDegree * Vector3d::Unit(axis)) * plain.R_LI;
      const double free = beyond_limit("shoulder_flexion", upper, 2, std::nullopt, &shown);
      if (free < most) continue;
      most = free;
      held = beyond_limit("shoulder_flexion", upper, 2, 0.0175, &shown);
    }
  }
  EXPECT_GT(most, 1.5);
  EXPECT_LT(held, 0.6 * most);
  EXPECT_GE(shown, -1e-12);
}

// ---- segments and sensors join and leave  (C-1)

TEST(ChainRunning, SegmentsAndSensorsJoinAndLeaveUnderTwoG) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  const int seeds = test::scaled(3);
  double strongest = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    test::follow_growing_arm(tree, static_cast<std::uint64_t>(seed), [&](const test::GrownSample& now) {
      ASSERT_EQ(now.status, StepStatus::Solved) << "seed " << seed << ", stage " << now.stage;
      ASSERT_TRUE(now.finite) << "seed " << seed << ", stage " << now.stage;
      strongest = std::max(strongest, now.strongest_m_s2 / 9.81);
      if (std::abs(now.since - 1.0) > 0.004) return;  // a second after the change
      EXPECT_LT(now.off_deg, 5.0) << "seed " << seed << " with " << now.joints << " joints";
    });
  }
  EXPECT_GT(strongest, 2.0) << "[g]";
}

// Among others, changes where joints that join are far from rest.
TEST(ChainRunning, JointsThatJoinAreFoundHoweverFarFromRest) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  for (const std::uint64_t seed : {17U, 122U, 195U, 205U}) {
    test::follow_growing_arm(tree, seed, [&](const test::GrownSample& now) {
      if (now.since < 0.5 - 0.004) return;
      EXPECT_LT(now.off_deg, 3.0) << "seed " << seed << ", stage " << now.stage << ", after " << now.since
                                  << " s";
    });
  }
}

// Nine joints join at once, and later seven.
TEST(ChainRunning, AWholeArmThatJoinsAtOnceIsFound) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  const std::vector<std::size_t> growth{4, 13, 4, 11, 6, 13};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto settled = [&](const test::GrownSample& now) {
      if (std::abs(now.since - 1.0) > 0.004) return;
      EXPECT_LT(now.off_deg, 3.0) << "seed " << seed << ", stage " << now.stage;
    };
    test::follow_growing_arm(tree, seed, settled, growth);
  }
}

TEST(ChainRunning, FirstSamplesOfTheSameChainAreStepsAndBadOnesAreLeftOut) {
  Work work(1.0);
  for (const ImuSample& sample : work.signals.samples)
    ASSERT_EQ(work.ekf.step(sample, work.state), StepStatus::Solved);
  const std::vector<ImuSample>& samples = work.signals.samples;
  std::vector<ImuSample> first(samples.end() - 3, samples.end());
  for (ImuSample& sample : first) sample.t += 30'000'000;
  const ChainState taken = work.ekf.take_over(work.ekf, work.state, first);
  first.push_back(first.back());  // late
  first.push_back(first.back());
  first.back().t += 10'000'000;
  first.back().imus[2].acc.x() = std::nan("");
  const ChainState same = work.ekf.take_over(work.ekf, work.state, first);
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(work.ekf.step(first[static_cast<std::size_t>(k)], work.state), StepStatus::Solved);
  for (const ChainState* state : {&taken, &same}) {
    EXPECT_EQ(state->t, work.state.t);
    EXPECT_EQ(state->motion.q, work.state.motion.q);
    EXPECT_EQ(state->P, work.state.P);
  }
  first[0].imus.pop_back();
  EXPECT_THROW((void)work.ekf.take_over(work.ekf, work.state, first), ConfigError);
}

TEST(ChainRunning, JointsWhoseSensorSaysNothingUsableBeginAtRest) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  const test::ArmStage trunk(tree, 4), arm(tree, 9);
  const ChainState state = trunk.ekf->start(rest_state(*trunk.arm));
  ImuSample sample;
  sample.t = 10'000'000;
  sample.imus.resize(3);
  for (std::size_t k = 0; k < 2; ++k) {
    sample.imus[k].has_gyro = sample.imus[k].has_acc = true;
    sample.imus[k].acc = {0.0, 0.0, 9.81};
  }
  sample.imus[2].has_gyro = sample.imus[2].has_acc = true;
  sample.imus[2].acc = Vector3d::Constant(std::nan(""));
  const std::vector<ImuSample> first{sample};
  const ChainState plain = arm.ekf->take_over(*trunk.ekf, state),
                   taken = arm.ekf->take_over(*trunk.ekf, state, first);
  EXPECT_EQ(taken.t, plain.t) << "the filter refuses the sample";
  EXPECT_TRUE(taken.motion.q.tail<3>().isZero());
  EXPECT_TRUE(taken.motion.reference.back().isApprox(plain.motion.reference.back(), 1e-12));
  EXPECT_TRUE(taken.P.allFinite());
}

TEST(ChainRunning, TakingOverTheSameChainChangesNothing) {
  Work work(1.0);
  for (const ImuSample& sample : work.signals.samples)
    ASSERT_EQ(work.ekf.step(sample, work.state), StepStatus::Solved);
  ChainEkf twin(ImuModel(work.layout, test::right_arm_mounts()), joints_only(work.layout),
                test::suit_options());
  const ChainState taken = twin.take_over(work.ekf, work.state);
  EXPECT_EQ(taken.t, work.state.t);
  EXPECT_EQ(taken.P, work.state.P);
  EXPECT_EQ(taken.motion.q, work.state.motion.q);
  EXPECT_EQ(taken.motion.qddot, work.state.motion.qddot);
  EXPECT_EQ(taken.bias, work.state.bias);
  EXPECT_EQ(taken.mounting, work.state.mounting);
  EXPECT_EQ(taken.good_field, work.state.good_field);
  for (std::size_t k = 0; k < taken.motion.reference.size(); ++k)
    EXPECT_EQ(taken.motion.reference[k], work.state.motion.reference[k]) << k;
  EXPECT_EQ(taken.memory[4].changed, work.state.memory[4].changed);
  ChainState foreign = work.state;
  foreign.P.conservativeResize(3, 3);
  EXPECT_THROW((void)twin.take_over(work.ekf, foreign), ConfigError);
}

TEST(ChainRunning, SensorsAreTakenOverByNameWhereverTheyStand) {
  Work work(2.0, 1, [](ImuSignalOptions& o) { o.gyro.bias = 0.5 * kDegree; });
  for (const ImuSample& sample : work.signals.samples)
    ASSERT_EQ(work.ekf.step(sample, work.state), StepStatus::Solved);
  std::vector<ImuMount> mounts = test::right_arm_mounts();
  std::reverse(mounts.begin(), mounts.end());
  mounts[1].name = "another";
  ChainEkf turned(ImuModel(work.layout, mounts), joints_only(work.layout), test::suit_options());
  const ChainState taken = turned.take_over(work.ekf, work.state);
  EXPECT_EQ(taken.bias.head<3>(), work.state.bias.tail<3>()) << "the hand's";
  EXPECT_EQ(taken.bias.segment<3>(3).norm(), 0.0) << "a new sensor's";
  EXPECT_EQ(taken.bias.tail<3>(), work.state.bias.head<3>()) << "the sternum's";
}

// ---- feet that stand

// a person who bends and sways on the right foot, which stands exactly where it stands
Motion bending(const Model& human, double duration) {
  Motion motion;
  Kinematics kinematics(human);
  const int foot = human.link_index("RightFoot");
  for (int i = 0; i <= static_cast<int>(duration * 200.0); ++i) {
    State state = rest_state(human);
    state.t = frame_time(i, 200.0);
    const double t = to_seconds(state.t), bend = 0.4 * (1.0 - std::cos(2.5 * t));
    state.s[human.joint_index("jRightHip_roty")] = -bend;
    state.s[human.joint_index("jRightKnee_roty")] = 2.0 * bend;
    state.s[human.joint_index("jRightAnkle_roty")] = -bend + 0.1 * std::sin(1.3 * t);
    state.s[human.joint_index("jRightAnkle_rotx")] = 0.15 * std::sin(1.9 * t);
    state.s[human.joint_index("jLeftHip_roty")] = -0.5 * std::sin(3.0 * t);
    kinematics.update(state);
    const Eigen::Matrix3d R = kinematics.R_WL(foot).transpose();
    state.p_WB = R * (state.p_WB - kinematics.p_WL(foot));
    state.R_WB = R * state.R_WB;
    motion.states.push_back(state);
  }
  return motion;
}

struct Drift {
  double metres = 0.0;     // of the pelvis in the end
  double height_sd = 0.0;  // what the filter says about its height [m]
};

// followed by seven sensors on the lower body; feet in contact or not, the floor known or not
Drift drift(bool contact, std::optional<double> floor = std::nullopt) {
  const Model human = human66();
  const ChainLayout layout(human);
  std::vector<ImuMount> mounts{{"pelvis", "Pelvis"}};
  std::vector<PointMount> points;
  ChainEkfOptions options = test::suit_options();
  options.contact.floor = floor;
  for (const std::string side : {"Right", "Left"}) {
    for (const char* part : {"UpperLeg", "LowerLeg", "Foot"})
      mounts.push_back({side + part, side + part, so3::exp({0.1, 0.3, -0.2}), {0.0, 0.0, -0.05}});
  }
  points.push_back({"sole", "RightFoot", {0.05, 0.0, -0.08}});
  if (contact) options.contact.points = {{"sole", "RightFoot"}};
  const Motion motion = bending(human, 15.1);
  const ImuSignals signals =
      imu_signals(human, motion_law(motion, human), mounts, test::suit_signals(1, 15.0));
  std::vector<ChainProcess> processes = joints_only(layout);
  for (std::size_t k = 0; k < 3; ++k) processes[k] = {ChainProcess::Kind::Singer, 5.0, 0.3};
  ChainEkf ekf(ImuModel(layout, mounts, points), processes, options);
  ChainState state = ekf.start(motion.states.front());
  state.t = -10'000'000;
  for (const ImuSample& sample : signals.samples) EXPECT_EQ(ekf.step(sample, state), StepStatus::Solved);
  const State& last = motion.states[static_cast<std::size_t>(std::llround(to_seconds(state.t) * 200.0))];
  State found = last;
  ekf.read(state, found);
  return {(found.p_WB - last.p_WB).norm(), std::sqrt(state.P(6, 6))};
}

TEST(ChainRunning, AFootThatStandsKeepsAPersonInPlace) {
  const Drift with = drift(true), without = drift(false);
  // the pelvis moves by 0.4 m and back once in 2.5 s: 4 m of way in 15 s, 3 % of which are 12 cm
  EXPECT_LT(with.metres, 0.12);
  EXPECT_GT(without.metres, 5.0 * with.metres);
}

TEST(ChainRunning, AFloorOfKnownHeightKeepsTheHeightKnown) {
  EXPECT_LT(drift(true, -0.08).height_sd, 0.02);
  EXPECT_GT(drift(true).height_sd, 0.03);
}

TEST(ChainRunning, ContactsAreRefusedByName) {
  const Model human = human66();
  const ChainLayout layout(human);
  ChainEkfOptions options;
  options.contact.points = {{"sole", "foot"}};
  const auto refusal = [&]() -> std::string {
    try {
      (void)ChainEkf(ImuModel(layout, {{"foot", "LeftFoot"}}, {{"heel", "LeftFoot", Vector3d::Zero()}}),
                     joints_only(layout), options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal().find("no point 'sole'"), std::string::npos) << refusal();
  options.contact.points = {{"heel", "fot"}};
  EXPECT_NE(refusal().find("did you mean 'foot'"), std::string::npos) << refusal();
  options.contact.points.clear();
  options.contact.speed = 0.0;
  EXPECT_NE(refusal().find("`speed`"), std::string::npos) << refusal();
}

TEST(ChainRunning, StepsWithContactsLimitsAndTurnsAllocateNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model human = human48();
  const ChainLayout layout(human);
  ChainEkfOptions options;
  options.contact.points = {{"sole", "foot"}};
  options.contact.floor = 0.0;
  ChainEkf ekf(ImuModel(layout, {{"foot", "LeftFoot"}, {"hand", "LeftHand"}},
                        {{"sole", "LeftFoot", Vector3d::Zero()}}),
               joints_only(layout), options);
  State pose = rest_state(human);
  pose.s.setConstant(3.0);  // beyond every limit
  ChainState state = ekf.start(pose);
  ImuSample sample;
  sample.imus.assign(2, {Vector3d::Zero(), {0.0, 0.0, 9.81}, Vector3d::Zero(), true, true, false});
  std::vector<ImuSample> samples(20, sample);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i].t = from_seconds(0.01 * static_cast<double>(i + 1));
  State out = pose;
  const AllocationCount allocations;
  for (const ImuSample& next : samples) EXPECT_EQ(ekf.step(next, state), StepStatus::Solved);
  ekf.read(state, out);
  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace panto
