// Trackers that fuse: orientations, with or without what was felt, instead of rates.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "apps/support/allocation_count.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/right_arm.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// What is wrong with the orientations of a tracker.
struct Fusing {
  double constant = 0.0;  // of inclination, standard deviation per axis [rad]
  double heading = 0.0;   // amplitude of each sensor's wandering heading, 0.05 Hz [rad]
  double noise = 0.0;     // from sample to sample [rad]
  bool acc = false;       // says what it felt too
};

// The arm at a whiteboard, its five sensors as trackers, and the filter that follows them.
class Arm {
 public:
  explicit Arm(const ChainEkfOptions& options = {}, std::uint64_t seed = 1)
      : model_(dh_model(test::right_arm_tree(PANTO_CHAINS))),
        truth_(test::arm_at_work(model_, seed)),
        layout_(model_),
        ekf_(ImuModel(layout_, test::right_arm_mounts(), {}, world()),
             std::vector<ChainProcess>(at(layout_.unknowns()), ChainProcess{}), options),
        kinematics_(model_),
        random_(seed),
        state_(ekf_.start(start())) {
    state_.t = -10'000'000;
    ImuSignalOptions exact;
    exact.duration = 10.0;
    felt_ = imu_signals(model_, motion_law(truth_), test::right_arm_mounts(), exact).samples;
    for (std::size_t k = 0; k < test::right_arm_mounts().size(); ++k) errors_.push_back(vector(1.0));
  }

  // sample k, at 100 Hz
  ImuSample sample(std::size_t k, const Fusing& fusing) {
    ImuSample sample = felt_[k];
    kinematics_.update(truth_.state(sample.t));
    const std::vector<ImuMount> mounts = test::right_arm_mounts();
    for (std::size_t i = 0; i < mounts.size(); ++i) {
      ImuReading& reading = sample.imus[i];
      reading.has_gyro = reading.has_mag = false;
      reading.has_acc = fusing.acc;
      const double turned = fusing.heading * std::sin(0.3 * to_seconds(sample.t) + static_cast<double>(i));
      const Matrix3d R = so3::about_axis(2, turned) *
                         so3::exp(fusing.constant * errors_[i] + vector(fusing.noise)) *
                         kinematics_.R_WL(model_.link_index(mounts[i].link)) * mounts[i].R_LI;
      reading.wxyz_GI = so3::to_quaternion_wxyz(world().R_WG.transpose() * R);
      reading.has_orientation = true;
    }
    return sample;
  }

  // root mean square of all joints from one second on [deg]
  double rmse(const Fusing& fusing) {
    double squares = 0.0;
    int count = 0;
    State estimate = start();
    for (std::size_t k = 0; k < felt_.size(); ++k) {
      const ImuSample now = sample(k, fusing);
      EXPECT_EQ(ekf_.step(now, state_), StepStatus::Solved);
      ekf_.read(state_, estimate);
      if (k < 100) continue;
      squares += (estimate.s - truth_.state(now.t).s).squaredNorm() / static_cast<double>(model_.dof());
      ++count;
    }
    return std::sqrt(squares / count) / test::kDegree;
  }

  State start() const {
    State state = truth_.state(0);
    state.sdot.setZero();
    return state;
  }
  // the trackers' north is not the model's x
  static Surroundings world() {
    Surroundings world;
    world.R_WG = so3::about_axis(2, -2.1);
    return world;
  }
  ChainEkf& ekf() { return ekf_; }
  ChainState& state() { return state_; }
  std::size_t samples() const { return felt_.size(); }
  const Model& model() const { return model_; }

 private:
  Vector3d vector(double sigma) {
    return sigma * Vector3d(normal(random_), normal(random_), normal(random_));
  }

  Model model_;
  Synthesis truth_;
  ChainLayout layout_;
  ChainEkf ekf_;
  Kinematics kinematics_;
  test::Random random_;
  ChainState state_;
  std::vector<ImuSample> felt_;
  std::vector<Vector3d> errors_;
};

ChainEkfOptions in_motion() {
  ChainEkfOptions options;
  options.start = {0.087, 1.0, 10.0};
  return options;
}

TEST(FusedOrientations, AloneAreFollowedWithinAQuarterDegreeWhereTheyAreRight) {
  // no rates and no forces: what is left is that the rates of two samples are those of their middle
  EXPECT_LT(Arm(in_motion()).rmse({}), 0.25);
  EXPECT_LT(Arm(in_motion()).rmse({0.0, 0.0, 2e-4, true}), 0.5) << "noise as of 16 bits, and forces";
}

TEST(FusedOrientations, OfAnOrdinaryTrackerKeepTheArmWithinFiveDegrees) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    // 1 deg of inclination, 5 deg of heading that wander in 20 s, either way
    const Fusing ordinary{1.0 * test::kDegree, 5.0 * test::kDegree, 2e-4, false};
    EXPECT_LT(Arm(in_motion(), seed).rmse(ordinary), 5.0) << "seed " << seed;
    Fusing felt = ordinary;
    felt.acc = true;
    EXPECT_LT(Arm(in_motion(), seed).rmse(felt), 5.0) << "seed " << seed;
  }
}

TEST(FusedOrientations, PutTheArmWhereTheySayFromThirtyDegreesAway) {
  ChainEkfOptions options = in_motion();
  options.start[0] = 0.6;
  Arm arm(options);
  State away = arm.start();
  for (Eigen::Index i = 0; i < away.s.size(); ++i) away.s[i] += i % 2 == 0 ? 0.5 : -0.5;
  arm.state() = arm.ekf().start(away);
  arm.state().t = -10'000'000;
  EXPECT_LT(arm.rmse({}), 1.0) << "joints' errors after the first second";
}

TEST(FusedOrientations, WithWrongHeadingsNeverTouchInclination) {
  // each sensor's north is another one, up to 170 deg off: only what they say of up is taken
  ChainEkfOptions options = in_motion();
  options.orientation_use = OrientationUse::Inclination;
  Arm arm(options);
  Kinematics kinematics(arm.model());
  const int hand = arm.model().link_index("hand");
  State estimate = arm.start();
  double worst = 0.0;
  for (std::size_t k = 0; k < arm.samples(); ++k) {
    ImuSample sample = arm.sample(k, {});
    kinematics.update(arm.start());
    std::vector<Matrix3d> true_R;
    for (std::size_t i = 0; i < sample.imus.size(); ++i) {
      ImuReading& reading = sample.imus[i];
      const Matrix3d R = so3::from_quaternion_wxyz(reading.wxyz_GI);
      true_R.push_back(Arm::world().R_WG * R);
      reading.wxyz_GI = so3::to_quaternion_wxyz(so3::about_axis(2, 3.0 - 1.3 * static_cast<double>(i)) * R);
    }
    ASSERT_EQ(arm.ekf().step(sample, arm.state()), StepStatus::Solved);
    arm.ekf().read(arm.state(), estimate);
    kinematics.update(estimate);
    const Matrix3d R_WI = kinematics.R_WL(hand) * test::right_arm_mounts()[4].R_LI;
    if (k >= 100)
      worst = std::max(
          worst, std::acos(std::clamp(
                     (R_WI.transpose() * Vector3d::UnitZ()).dot(true_R[4].transpose() * Vector3d::UnitZ()),
                     -1.0, 1.0)));
  }
  EXPECT_LT(worst, 2.0 * test::kDegree);
}

TEST(FusedOrientations, OfASensorThatSaysRatesAreNotAsked) {
  // they were made of the rates: what is felt would count twice
  Arm with(in_motion()), without(in_motion());
  for (std::size_t k = 0; k < 200; ++k) {
    ImuSample sample = with.sample(k, {0.0, 0.0, 0.0, true});
    for (ImuReading& reading : sample.imus) reading.has_gyro = true;
    ASSERT_EQ(with.ekf().step(sample, with.state()), StepStatus::Solved);
    for (ImuReading& reading : sample.imus) reading.has_orientation = false;
    ASSERT_EQ(without.ekf().step(sample, without.state()), StepStatus::Solved);
  }
  EXPECT_EQ(with.state().motion.q, without.state().motion.q);
  EXPECT_EQ(with.state().P, without.state().P);
}

TEST(FusedOrientations, HalfATurnAwayIsSurvived) {
  Arm arm(in_motion());
  for (std::size_t k = 0; k < 300; ++k) {
    ImuSample sample = arm.sample(k, {});
    if (k >= 100 && k < 150) {  // one sensor lies, by exactly half a turn about each axis in turn
      const Matrix3d R = so3::from_quaternion_wxyz(sample.imus[3].wxyz_GI);
      sample.imus[3].wxyz_GI = so3::to_quaternion_wxyz(
          R * so3::exp(std::numbers::pi * Vector3d::Unit(static_cast<Eigen::Index>(k % 3))));
    }
    ASSERT_EQ(arm.ekf().step(sample, arm.state()), StepStatus::Solved) << k;
    ASSERT_TRUE(arm.state().motion.q.allFinite() && arm.state().P.allFinite()) << k;
  }
}

TEST(FusedOrientations, ThatAreNoneAreRefusedAndChangeNothing) {
  Arm arm(in_motion());
  for (std::size_t k = 0; k < 50; ++k)
    ASSERT_EQ(arm.ekf().step(arm.sample(k, {}), arm.state()), StepStatus::Solved);
  const ChainState before = arm.state();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity}) {
    ImuSample sample = arm.sample(50, {});
    sample.imus[2].wxyz_GI[1] = bad;
    EXPECT_EQ(arm.ekf().step(sample, arm.state()), StepStatus::TargetNotFinite);
  }
  ImuSample sample = arm.sample(50, {});
  sample.imus[2].wxyz_GI.setZero();
  EXPECT_EQ(arm.ekf().step(sample, arm.state()), StepStatus::TargetNotFinite) << "no direction in it";
  EXPECT_EQ(arm.state().motion.q, before.motion.q);
  EXPECT_EQ(arm.state().P, before.P);
  EXPECT_EQ(arm.state().t, before.t);
}

TEST(FusedOrientations, OfATrackerThatRepeatsItselfOrIsSilentAreNotUsed) {
  Arm arm(in_motion());
  Eigen::Vector4d last = Eigen::Vector4d::Zero();
  for (std::size_t k = 0; k < 200; ++k) {
    ImuSample sample = arm.sample(k, {0.0, 0.0, 1e-5, false});
    if (k == 100) last = sample.imus[4].wxyz_GI;
    if (k > 100) sample.imus[4].wxyz_GI = last;
    if (k > 100) sample.imus[0].has_orientation = false;
    ASSERT_EQ(arm.ekf().step(sample, arm.state()), StepStatus::Solved);
    if (k == 101) {
      EXPECT_EQ(arm.ekf().health()[4].condition, ImuCondition::Held);
      EXPECT_EQ(arm.ekf().health()[0].condition, ImuCondition::Missing);
    }
  }
  EXPECT_EQ(arm.ekf().health()[4].condition, ImuCondition::Frozen) << "0.5 s";
  EXPECT_EQ(arm.ekf().health()[0].condition, ImuCondition::Dead) << "0.08 s";
  EXPECT_EQ(arm.ekf().health()[2].condition, ImuCondition::Working);
  EXPECT_GT(arm.ekf().health()[2].nis_orientation, 0.0);
}

TEST(FusedOrientations, AllocateNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Arm arm(in_motion());
  const ImuSample first = arm.sample(0, {0.0, 0.0, 0.0, true}), second = arm.sample(1, {0.0, 0.0, 0.0, true});
  ASSERT_EQ(arm.ekf().step(first, arm.state()), StepStatus::Solved);
  const AllocationCount count;
  ASSERT_EQ(arm.ekf().step(second, arm.state()), StepStatus::Solved);
  EXPECT_EQ(count.value(), 0);
}

// The rows themselves: sensors that are believed to the last bit put any chain where they say it is,
// whichever way its joints turn, in one sample.
TEST(FusedOrientations, ThatAreBelievedMoveEveryJointThatTheyTell) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(test::scaled(10)); ++seed) {
    const Model model = test::random_chain(seed, false);
    const ChainLayout layout(model);
    std::vector<ImuMount> mounts;
    test::Random random(seed);
    for (const int link : test::seats(layout)) {
      const std::string& name = model.link_names()[static_cast<std::size_t>(link)];
      mounts.push_back({name, name, test::random_rotation(random), Vector3d::Zero()});
    }
    ChainEkfOptions options;
    options.mounting = 0.0;
    options.limit.reset();
    options.orientation = 1e-6;
    options.heading = 0.0;
    options.orientation_memory = options.heading_memory = 0.0;
    options.start = {0.3, 0.1, 1.0};
    options.iterations = 10;
    options.surprise = 1e-9;
    options.bend = 0.0;
    options.huber = 1e12;
    ChainEkf ekf(ImuModel(layout, mounts), std::vector<ChainProcess>(at(layout.unknowns()), ChainProcess{}),
                 options);
    const State truth = test::random_state(model, random);
    State away = truth;
    for (int i = 0; i < model.dof(); ++i)
      if (model.joint(i).type == JointType::Revolute) away.s[i] += test::uniform(random, -0.1, 0.1);
    away.sdot.setZero();
    ChainState state = ekf.start(away);
    state.t = -10'000'000;
    Kinematics kinematics(model);
    kinematics.update(truth);
    ImuSample sample;
    for (const ImuMount& mount : mounts) {
      ImuReading& reading = sample.imus.emplace_back();
      reading.wxyz_GI = so3::to_quaternion_wxyz(kinematics.R_WL(model.link_index(mount.link)) * mount.R_LI);
      reading.has_orientation = true;
    }
    ASSERT_EQ(ekf.step(sample, state), StepStatus::Solved);
    State found = away;
    ekf.read(state, found);
    kinematics.update(found);
    for (std::size_t i = 0; i < mounts.size(); ++i) {
      const Matrix3d R = kinematics.R_WL(model.link_index(mounts[i].link)) * mounts[i].R_LI;
      EXPECT_LT(so3::distance(R, so3::from_quaternion_wxyz(sample.imus[i].wxyz_GI)), 1e-4)
          << "seed " << seed << ", link " << mounts[i].link;
    }
  }
}

}  // namespace
}  // namespace panto
