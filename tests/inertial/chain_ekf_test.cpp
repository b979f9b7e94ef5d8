#include "panto/inertial/chain_ekf.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "apps/support/allocation_count.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/math/euler.hpp"
#include "panto/model/human.hpp"
#include "tests/support/felt_arm.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::felt;
using test::processes;
using test::same;
using Arm = test::FeltArm;

// The textbook: dense H, gain by a solve, Joseph's form; one sensor after the other, as the filter takes
// them. Behind the biases stands what is refined: places, then lengths.
class Dense {
 public:
  Dense(ImuModel model, std::vector<ChainProcess> processes, ChainEkfOptions options)
      : model_(std::move(model)), processes_(std::move(processes)), o_(options) {}

  void step(const ImuSample& sample, ChainState& state) {
    const int n = model_.layout().unknowns(), imus = static_cast<int>(sample.imus.size());
    places_ = 3 * (n + imus);
    lengths_ = places_ + static_cast<int>(state.shape.place.size());
    const int size = lengths_ + static_cast<int>(state.shape.length.size());
    const double T = to_seconds(sample.t - state.t);
    MatrixXd F = MatrixXd::Identity(size, size), Q = MatrixXd::Zero(size, size);
    x_.resize(size);
    for (int u = 0; u < n; ++u) {
      const ChainTransition over = transition(processes_[static_cast<std::size_t>(u)], T);
      F.block<3, 3>(3 * u, 3 * u) = over.F;
      Q.block<3, 3>(3 * u, 3 * u) = over.Q;
      x_.segment<3>(3 * u) << state.motion.q[u], state.motion.qdot[u], state.motion.qddot[u];
    }
    x_.tail(size - 3 * n) << state.bias, state.shape.place, state.shape.length;
    Q.diagonal().segment(3 * n, 3 * imus).setConstant(o_.bias_walk * o_.bias_walk * T);
    x_ = F * x_;
    P_ = F * state.P * F.transpose() + Q;
    const VectorXd around = x_;
    spread(state);
    model_.update(state.motion, state.shape);
    for (int k = 0; k < imus; ++k) {
      if (sample.imus[static_cast<std::size_t>(k)].has_acc)
        update(k, sample.imus[static_cast<std::size_t>(k)], around, T);
    }
    spread(state);
    carry(around);
    rebase(state);
    state.t = sample.t;
  }

 private:
  void spread(ChainState& state) const {
    for (int u = 0; u < state.motion.q.size(); ++u) {
      state.motion.q[u] = x_[3 * u];
      state.motion.qdot[u] = x_[3 * u + 1];
      state.motion.qddot[u] = x_[3 * u + 2];
    }
    state.bias = x_.segment(places_ - state.bias.size(), state.bias.size());
    state.shape.place = x_.segment(places_, state.shape.place.size());
    state.shape.length = x_.tail(state.shape.length.size());
  }

  void update(int k, const ImuReading& reading, const VectorXd& around, double T) {
    const int n = model_.layout().unknowns();
    MatrixXd H = MatrixXd::Zero(9, x_.size());
    const std::vector<int>& path = model_.imu_path(k);
    for (std::size_t i = 0; i < path.size(); ++i) {
      H.middleCols<3>(3 * path[i]) = model_.imu(k).H.middleCols<3>(3 * static_cast<int>(i));
    }
    H.block<3, 3>(0, 3 * (n + k)).setIdentity();
    if (lengths_ > places_) H.block<3, 3>(3, places_ + 3 * k) = model_.imu(k).by_place;
    for (std::size_t i = 0; x_.size() > lengths_ && i < model_.imu_lengths(k).size(); ++i)
      H.block<3, 1>(3, lengths_ + model_.imu_lengths(k)[i]) =
          model_.imu(k).by_length.col(static_cast<int>(i));
    VectorXd nu(9), R(9);
    nu << reading.gyro - around.segment<3>(3 * (n + k)), reading.acc, reading.mag;
    nu -= model_.imu(k).y;
    // the same noise, written out
    const double g = 9.80665, w = model_.w_WI(k).norm();
    const double wobble =
        o_.wobble * model_.angular_acceleration(k).norm() + o_.mounting * std::abs(reading.acc.norm() - g);
    const double lasts = 1.0 + 2.0 * o_.changing_memory / T;
    R.segment<3>(0).setConstant(std::pow(o_.gyro, 2) + lasts * std::pow(o_.mounting * w, 2));
    R.segment<3>(3).setConstant(std::pow(o_.acc, 2) +
                                lasts * (std::pow(o_.mounting * g, 2) + wobble * wobble));
    R.segment<3>(6).setConstant(std::pow(o_.mag, 2) + lasts * std::pow(o_.mounting, 2));
    nu -= H * (x_ - around);
    MatrixXd S = H * P_ * H.transpose();
    S.diagonal() += R;
    for (int i = 0; i < 9; i += 3) {
      const Vector3d part = nu.segment<3>(i);
      const double d2 = part.dot(S.block<3, 3>(i, i).inverse() * part);
      R.segment<3>(i) *= std::max(1.0, std::sqrt(d2) / o_.huber);
    }
    S = H * P_ * H.transpose();
    S.diagonal() += R;
    const MatrixXd K = S.ldlt().solve(H * P_).transpose();
    x_ += K * nu;
    const MatrixXd A = MatrixXd::Identity(x_.size(), x_.size()) - K * H;
    P_ = A * P_ * A.transpose() + K * R.asDiagonal() * K.transpose();
  }

  // the covariance from the prediction to the result: balls as they turn, shifts with the turn of everything
  void carry(const VectorXd& from) {
    const std::vector<int>& path = model_.imu_path(0);
    const std::size_t shifts = model_.layout().model().floating_base() ? 3 : 0;
    std::array<int, 3> first{-1, -1, -1};
    if (path.size() >= shifts + 3) first = {path[shifts], path[shifts + 1], path[shifts + 2]};
    for (std::size_t k = 0; k < model_.imus().size(); ++k) {
      const std::vector<int>& other = model_.imu_path(static_cast<int>(k));
      if (other.size() < shifts + 3 ||
          !std::equal(first.begin(), first.end(), other.begin() + static_cast<int>(shifts)))
        first = {-1, -1, -1};
    }
    for (const ChainLayout::Ball& ball : model_.layout().balls()) {
      MatrixXd G = MatrixXd::Identity(x_.size(), x_.size());
      const auto index = [&ball](int k) { return 3 * ball.unknown[static_cast<std::size_t>(k % 3)] + k / 3; };
      const auto motion = [&](const VectorXd& x) {
        return ball::Motion{{x[index(0)], x[index(1)], x[index(2)]},
                            {x[index(3)], x[index(4)], x[index(5)]},
                            {x[index(6)], x[index(7)], x[index(8)]}};
      };
      const auto J = ball::carried(motion(from), motion(x_), ball.unknown == first);
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) G(index(i), index(j)) = J(i, j);
      P_ = G * P_ * G.transpose();
    }
    if (shifts == 0 || first[0] < 0) return;
    MatrixXd G = MatrixXd::Identity(x_.size(), x_.size());
    for (int order = 0; order < 3; ++order) {
      Vector3d moved;
      for (int k = 0; k < 3; ++k) moved[k] = x_[3 * k + order] - from[3 * k + order];
      const Vector3d along = Vector3d::UnitZ().cross(moved);
      for (int k = 0; k < 3; ++k)
        for (int turn = 0; turn < 3; ++turn)
          G(3 * k + order, 3 * first[static_cast<std::size_t>(turn)]) =
              along[k] * model_.imu(0).heading[3 + turn];
    }
    P_ = G * P_ * G.transpose();
  }

  void rebase(ChainState& state) {
    for (const ChainLayout::Ball& ball : model_.layout().balls()) {
      MatrixXd G = MatrixXd::Identity(x_.size(), x_.size());
      Vector3d q, qdot, qddot;
      for (int k = 0; k < 3; ++k) {
        const int u = ball.unknown[static_cast<std::size_t>(k)];
        q[k] = state.motion.q[u], qdot[k] = state.motion.qdot[u], qddot[k] = state.motion.qddot[u];
      }
      const ball::Rebased moved = ball::rebase(q, qdot, qddot);
      const auto index = [&ball](int k) { return 3 * ball.unknown[static_cast<std::size_t>(k % 3)] + k / 3; };
      for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) G(index(i), index(j)) = moved.jacobian(i, j);
      }
      P_ = G * P_ * G.transpose();
      for (int k = 0; k < 3; ++k) {
        const int u = ball.unknown[static_cast<std::size_t>(k)];
        state.motion.q[u] = 0.0, state.motion.qdot[u] = moved.qdot[k], state.motion.qddot[u] = moved.qddot[k];
      }
      Eigen::Matrix3d& R =
          state.motion.reference[static_cast<std::size_t>(model_.layout().reference_of(ball))];
      R = so3::polar_step(R * euler::to_rotation(q, euler::XYZ));
    }
    state.P = P_;
  }

  ImuModel model_;
  std::vector<ChainProcess> processes_;
  ChainEkfOptions o_;
  int places_ = 0, lengths_ = 0;
  VectorXd x_;
  MatrixXd P_;
};

double difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

class AnyShape : public testing::TestWithParam<ChainRefinement> {};

TEST_P(AnyShape, EqualsTheDenseTextbookFilter) {
  ChainEkfOptions options;
  options.refine = GetParam();
  options.magnetic = MagneticUse::Vector;
  options.field_settles = 0.0;
  options.field_norm = options.field_dip = 100.0;
  options.iterations = 1;
  options.limit.reset();  // the textbook has none
  options.mounting_use = MountingUse::Inflate;
  for (int seed = 0; seed < test::scaled(6); ++seed) {
    const Model model = test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const ChainLayout layout(model);
    test::Random random(static_cast<std::uint64_t>(seed));
    const ImuModel placed = test::random_imus(layout, random);
    ImuModel truth(layout, placed.imus());
    ChainEkf ekf(truth, processes(layout), options);
    Dense dense(truth, processes(layout), options);
    State start = test::random_state(model, random);
    start.v_WB = start.w_WB = Vector3d::Zero();
    start.sdot.setZero();
    ChainState ours = ekf.start(start), theirs = ours;
    for (int i = 1; i <= 50; ++i) {
      ImuSample sample = felt(truth, start, 0.01 * i, random);
      if (i % 10 == 0 && !sample.imus.empty()) sample.imus[0] = {};  // missing
      ASSERT_EQ(ekf.step(sample, ours), StepStatus::Solved);
      dense.step(sample, theirs);
      ASSERT_LT(difference(ours.motion.qdot, theirs.motion.qdot), 1e-9) << "seed " << seed << " step " << i;
      ASSERT_LT(difference(ours.motion.q, theirs.motion.q), 1e-9) << "seed " << seed << " step " << i;
      ASSERT_LT(difference(ours.motion.qddot, theirs.motion.qddot), 1e-9) << "seed " << seed << " step " << i;
      ASSERT_LT(difference(ours.bias, theirs.bias), 1e-9) << "seed " << seed << " step " << i;
      const auto equal = [](const VectorXd& a, const VectorXd& b) {
        return a.size() == 0 || difference(a, b) < 1e-9;
      };
      ASSERT_TRUE(equal(ours.shape.place, theirs.shape.place)) << "seed " << seed << " step " << i;
      ASSERT_TRUE(equal(ours.shape.length, theirs.shape.length)) << "seed " << seed << " step " << i;
      ASSERT_LT(difference(ours.P, theirs.P), 1e-9) << "seed " << seed << " step " << i;
      for (std::size_t k = 0; k < ours.motion.reference.size(); ++k) {
        ASSERT_LT(difference(ours.motion.reference[k], theirs.motion.reference[k]), 1e-9) << "seed " << seed;
      }
    }
  }
}

// as the model has it, places alone, lengths alone, both
INSTANTIATE_TEST_SUITE_P(ChainEkf, AnyShape,
                         testing::Values(ChainRefinement{0.0, 0.0, 0.0, 0.0},
                                         ChainRefinement{0.02, 0.0, 0.0, 0.0},
                                         ChainRefinement{0.0, 0.03, 0.0, 0.0},
                                         ChainRefinement{0.02, 0.03, 0.0, 0.0}));

TEST(ChainEkf, FollowsAMotionThatItCanSee) {
  const Model model = human66();
  const ChainLayout layout(model);
  ImuModel imus(layout, {{"pelvis", "Pelvis"}, {"thigh", "RightUpperLeg"}, {"shank", "RightLowerLeg"}});
  ChainEkfOptions options;
  options.magnetic = MagneticUse::Vector;
  options.field_settles = 0.0;
  options.mounting = options.wobble = 0.0;
  ChainEkf ekf(imus, processes(layout), options);
  State start = rest_state(model);
  test::Random random(1);
  ChainState state = ekf.start(start);
  for (int i = 1; i <= 300; ++i) {
    ASSERT_EQ(ekf.step(felt(imus, start, 0.01 * i, random), state), StepStatus::Solved);
  }
  // `felt` leaves the true motion in `imus`; noise of 0.1 m/s^2 and 0.02 of the field are about 1 deg a
  // sample; a heading has a longer memory of its start since covariances are carried
  ImuModel tracked = ekf.model();
  tracked.update(state.motion);
  for (int k = 0; k < 3; ++k) EXPECT_LT(so3::distance(imus.R_WI(k), tracked.R_WI(k)), 0.025) << k;
  EXPECT_LT(ekf.health()[2].nis_gyro, 30.0);
}

TEST(ChainEkf, ATurnBeginsAsUncertainAsItsMountSaysAndAPlaceThatIsNotKnownIsNoise) {
  const Model model = human66();
  const ChainLayout layout(model);
  std::vector<ImuMount> mounts{{"pelvis", "Pelvis"}, {"thigh", "RightUpperLeg"}};
  mounts[1].turn_sigma = 0.02;
  const ChainEkfOptions options;
  const ChainEkf known(ImuModel(layout, mounts), processes(layout), options);
  const Eigen::VectorXd turns = known.start(rest_state(model)).P.diagonal().tail(6);
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(turns[i], options.mounting * options.mounting);
    EXPECT_DOUBLE_EQ(turns[3 + i], 0.02 * 0.02);
  }
  // a fast leg whose accelerometer disagrees: it surprises less where its place is uncertain by 5 cm
  const auto surprise = [&] {
    ChainEkf ekf(ImuModel(layout, mounts), processes(layout), options);
    State moving = rest_state(model);
    moving.sdot[model.joint_index("jRightHip_roty")] = 8.0;
    ChainState state = ekf.start(moving);
    ImuSample sample{10'000'000, std::vector<ImuReading>(2)};
    for (ImuReading& reading : sample.imus) reading.acc = {0.0, 0.0, 9.80665}, reading.has_acc = true;
    sample.imus[1].acc.x() = 40.0;
    EXPECT_EQ(ekf.step(sample, state), StepStatus::Solved);
    return ekf.health()[1].nis_acc;
  };
  const double sure = surprise();
  mounts[1].position_sigma = 0.05;
  EXPECT_LT(surprise(), 0.9 * sure);
  for (const bool turn : {true, false}) {
    (turn ? mounts[0].turn_sigma : mounts[0].position_sigma) = 0.0;
    EXPECT_THROW(ImuModel(layout, mounts), ConfigError);
  }
}

TEST(ChainEkf, AFailureLeavesTheStateAsItWas) {
  Arm arm;
  ImuSample sample = felt(arm.imus, arm.start, 0.01, arm.random);
  ASSERT_EQ(arm.ekf.step(sample, arm.state), StepStatus::Solved);
  const ChainState before = arm.state;
  EXPECT_EQ(arm.ekf.step(sample, arm.state), StepStatus::TimeNotAdvancing);
  EXPECT_TRUE(same(arm.state, before));
  sample.t = from_seconds(0.02);
  sample.imus[1].gyro.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(arm.ekf.step(sample, arm.state), StepStatus::TargetNotFinite);
  EXPECT_TRUE(same(arm.state, before));
  sample.imus.pop_back();
  EXPECT_EQ(arm.ekf.step(sample, arm.state), StepStatus::SizeMismatch);
  EXPECT_TRUE(same(arm.state, before));
}

// readings and times that no sensor gives, each after a usual start
TEST(ChainEkf, HugeNumbersAreAFailureOrLeaveEveryNumberOfTheStateBelow1e12) {
  int failures = 0;
  for (const double huge : {1e9, 1e15, 1e60, 1e150, 1e300}) {
    for (int which = 0; which < 4; ++which) {
      Arm arm;
      ASSERT_EQ(arm.ekf.step(felt(arm.imus, arm.start, 0.01, arm.random), arm.state), StepStatus::Solved);
      for (int k = 2; k < 6; ++k) {
        ImuSample sample = felt(arm.imus, arm.start, 0.01 * k, arm.random);
        if (which == 0) sample.imus[0].gyro.setConstant(k % 2 == 0 ? huge : -huge);
        if (which == 1) sample.imus[0].acc.setConstant(huge);
        if (which == 2) sample.imus[1].mag.setConstant(huge);
        if (which == 3) sample.t = from_seconds(std::min(huge, 9e8) * k);
        const ChainState before = arm.state;
        const StepStatus status = arm.ekf.step(sample, arm.state);
        if (status == StepStatus::Solved) {
          EXPECT_TRUE((arm.state.P.array().abs() <= 1e12).all()) << huge << ", " << which;
          EXPECT_TRUE((arm.state.motion.q.array().abs() <= 1e12).all()) << huge << ", " << which;
          EXPECT_TRUE((arm.state.motion.qdot.array().abs() <= 1e12).all()) << huge << ", " << which;
          EXPECT_TRUE((arm.state.motion.qddot.array().abs() <= 1e12).all()) << huge << ", " << which;
          EXPECT_TRUE((arm.state.bias.array().abs() <= 1e12).all()) << huge << ", " << which;
        } else {
          EXPECT_EQ(status, StepStatus::NumericalFailure);
          EXPECT_TRUE(same(arm.state, before)) << huge << ", " << which;
          ++failures;
        }
      }
    }
  }
  EXPECT_GT(failures, 0);
}

TEST(ChainEkf, ACopyOfTheStateGoesOnWithTheSameBits) {
  Arm arm;
  for (int i = 1; i <= 5; ++i)
    ASSERT_EQ(arm.ekf.step(felt(arm.imus, arm.start, 0.01 * i, arm.random), arm.state), StepStatus::Solved);
  ChainState copy = arm.state;
  ChainEkf other(arm.imus, processes(arm.layout));
  for (int i = 6; i <= 10; ++i) {
    const ImuSample sample = felt(arm.imus, arm.start, 0.01 * i, arm.random);
    ASSERT_EQ(arm.ekf.step(sample, arm.state), StepStatus::Solved);
    ASSERT_EQ(other.step(sample, copy), StepStatus::Solved);
  }
  EXPECT_TRUE(same(arm.state, copy));
}

TEST(ChainEkf, StepsAllocateNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Arm arm;
  const ImuSample first = felt(arm.imus, arm.start, 0.01, arm.random);
  const ImuSample second = felt(arm.imus, arm.start, 0.03, arm.random);
  const AllocationCount allocations;
  EXPECT_EQ(arm.ekf.step(first, arm.state), StepStatus::Solved);
  EXPECT_EQ(arm.ekf.step(second, arm.state), StepStatus::Solved);
  EXPECT_EQ(allocations.value(), 0);
}

// a leg whose three sensors tell all of its joints
struct Leg {
  Model model = human66();
  ChainLayout layout{model};
  ImuModel imus{layout, {{"pelvis", "Pelvis"}, {"thigh", "RightUpperLeg"}, {"shank", "RightLowerLeg"}}};
  State start = rest_state(model);
  test::Random random{3};
};

TEST(ChainEkf, ASampleIsLinearisedAnewOnlyWhereTheModelBends) {
  Leg leg;
  ChainEkfOptions options;
  ChainEkf ekf(leg.imus, processes(leg.layout), options);
  options.bend = 0.0;
  ChainEkf always(leg.imus, processes(leg.layout), options);
  ChainState ours = ekf.start(leg.start), theirs = ours;
  int passes = 0, all_passes = 0;
  double most = 0.0;
  for (int i = 1; i <= 100; ++i) {
    const ImuSample sample = felt(leg.imus, leg.start, 0.01 * i, leg.random);
    ASSERT_EQ(ekf.step(sample, ours), StepStatus::Solved);
    ASSERT_EQ(always.step(sample, theirs), StepStatus::Solved);
    passes += ekf.passes(), all_passes += always.passes();
    for (int u = 0; u < leg.layout.unknowns(); ++u) {
      const double sigma = std::sqrt(theirs.P(3 * u + 1, 3 * u + 1));
      most = std::max(most, std::abs(ours.motion.qdot[u] - theirs.motion.qdot[u]) / sigma);
    }
  }
  EXPECT_LT(passes, 0.9 * all_passes);
  // rates agree within a part of what the filter knows of them
  EXPECT_LT(most, 0.15);
}

TEST(ChainEkf, EverySensorsHeadingIsUsedOnceInAnIntervalOneAfterTheOther) {
  Leg leg;
  ChainEkfOptions options;
  options.field_settles = 0.0;
  options.field_norm = options.field_dip = 100.0;
  ChainEkf ekf(leg.imus, processes(leg.layout), options);
  const auto uses = [&](double interval) {
    std::array<int, 4> result{};  // by sensor; samples with more than one
    ChainState state = ekf.start(leg.start);
    for (int i = 1; i <= 100; ++i) {
      EXPECT_EQ(ekf.step(felt(leg.imus, leg.start, interval * i, leg.random), state), StepStatus::Solved);
      int used = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const int one = int{ekf.health()[k].heading_used};
        result[k] += one, used += one;
      }
      result[3] += int{used > 1};
    }
    return result;
  };
  EXPECT_EQ(uses(0.01), (std::array{20, 20, 20, 0}));
  // samples that are rarer than that: all of them
  EXPECT_EQ(uses(0.06), (std::array{100, 100, 100, 100}));
}

TEST(ChainEkf, RefusesOptionsByName) {
  Arm arm;
  const auto refusal = [&arm](const std::function<void(ChainEkfOptions&)>& change) -> std::string {
    ChainEkfOptions options;
    change(options);
    try {
      (void)ChainEkf(arm.imus, processes(arm.layout), options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  for (const double wrong : {0.0, kInfinity})
    EXPECT_NE(refusal([&](ChainEkfOptions& o) { o.gyro = wrong; }).find("`gyro`"), std::string::npos);
  EXPECT_NE(refusal([](ChainEkfOptions& o) { o.mounting = -1.0; }).find("`mounting`"), std::string::npos);
  EXPECT_NE(refusal([](ChainEkfOptions& o) { o.iterations = 0; }).find("`iterations`"), std::string::npos);
  EXPECT_NE(refusal([](ChainEkfOptions& o) { o.bend = -0.1; }).find("`bend`"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.heading_interval = -1.0; }).find("`heading_i"), std::string::npos);
  EXPECT_NE(refusal([](ChainEkfOptions& o) { o.start[2] = std::nan(""); }).find("`start`"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.resting = std::nan(""); }).find("`resting`"), std::string::npos);
  EXPECT_EQ(refusal([](ChainEkfOptions& o) { o.gyro_range = kInfinity; }), "accepted") << "it never clips";
  EXPECT_THROW(ChainEkf(arm.imus, {}), ConfigError);
}

TEST(ChainProcess, TwoShortStepsAreOneLongStep) {
  for (const ChainProcess& process : {ChainProcess{ChainProcess::Kind::WhiteJerk, 2.0, 1.0},
                                      ChainProcess{ChainProcess::Kind::Singer, 30.0, 0.2},
                                      ChainProcess{ChainProcess::Kind::Tethered, 6.0, 0.25}}) {
    const ChainTransition once = transition(process, 0.02), twice = transition(process, 0.04);
    EXPECT_LT(difference(once.F * once.F, twice.F), 1e-14);
    EXPECT_LT(difference(once.F * once.Q * once.F.transpose() + once.Q, twice.Q), 1e-13);
  }
}

TEST(ChainProcess, HasItsClosedForms) {
  const double T = 0.1, tau = 0.2, e = std::exp(-T / tau);
  Eigen::Matrix3d F, Q;
  F << 1, T, tau * tau * (e - 1 + T / tau), 0, 1, tau * (1 - e), 0, 0, e;
  EXPECT_LT(difference(transition({ChainProcess::Kind::Singer, 30.0, tau}, T).F, F),
            1e-12);  // rounding of Q beside it
  Q << std::pow(T, 5) / 20, std::pow(T, 4) / 8, std::pow(T, 3) / 6, std::pow(T, 4) / 8, std::pow(T, 3) / 3,
      T * T / 2, std::pow(T, 3) / 6, T * T / 2, T;
  EXPECT_LT(difference(transition({ChainProcess::Kind::WhiteJerk, 3.0, 1.0}, T).Q, 9.0 * Q), 1e-15);
  const Vector3d G{T * T / 2, T, 1};
  const ChainTransition paper = transition({ChainProcess::Kind::WhiteIncrements, 0.5, 1.0}, T);
  EXPECT_LT(difference(paper.Q, 0.25 * G * G.transpose()), 1e-16);
}

}  // namespace
}  // namespace panto
