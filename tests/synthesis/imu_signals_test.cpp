#include "panto/synthesis/imu_signals.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "panto/inertial/imu_model.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/imu_errors.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;
const Vector3d kGravity{0.0, 0.0, -9.80665};

const Model& human() {
  static const Model model = human66();
  return model;
}

std::vector<ImuMount> mounts() {
  return {{"pelvis", "Pelvis", so3::exp({0.3, -0.2, 0.9}), {0.0, 0.02, 0.1}},
          {"hand", "RightHand", so3::exp({-1.0, 0.4, 0.1}), {0.03, -0.08, 0.02}}};
}

// pose of a sensor at a time, by nothing but the model's forward kinematics
struct Pose {
  Matrix3d R;
  Vector3d p;
};
Pose pose(const Synthesis& walk, const ImuMount& mount, double t) {
  Kinematics kinematics(walk.model());
  kinematics.update(walk.state(from_seconds(t)));
  const int link = walk.model().link_index(mount.link);
  return {kinematics.R_WL(link) * mount.R_LI, kinematics.p_WL(link) + kinematics.R_WL(link) * mount.p_LI};
}

// a sensor's readings by differences of its places
ImuReading differenced(const Synthesis& walk, const ImuMount& mount, double t) {
  constexpr double h = 1e-3;
  const Pose before = pose(walk, mount, t - h), here = pose(walk, mount, t), after = pose(walk, mount, t + h);
  ImuReading reading;
  reading.gyro = so3::log(before.R.transpose() * after.R) / (2.0 * h);
  reading.acc = here.R.transpose() * ((after.p - 2.0 * here.p + before.p) / (h * h) - kGravity);
  reading.mag = here.R.transpose() * Surroundings{}.field_W;
  return reading;
}

TEST(ImuSignals, AreTheSecondDifferencesOfWhereTheSensorIs) {
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = 2.0;
  options.rate_hz = 25.0;
  const ImuSignals signals = imu_signals(human(), motion_law(walk), mounts(), options);
  ASSERT_EQ(signals.samples.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const ImuReading& felt = signals.samples[i].imus[k];
      const ImuReading oracle = differenced(walk, mounts()[k], to_seconds(signals.samples[i].t));
      // second-order differences over 1 ms; stamps of whole nanoseconds leave 1e-9 / 1e-3 of a speed
      EXPECT_LT((felt.gyro - oracle.gyro).norm(), 1e-3) << i;
      EXPECT_LT((felt.acc - oracle.acc).norm(), 2e-2) << i;
      EXPECT_LT((felt.mag - oracle.mag).norm(), 1e-12) << i;
    }
  }
}

TEST(ImuSignals, OnRandomModelsAreThoseOfTheFilter) {
  for (int seed = 0; seed < test::scaled(30); ++seed) {
    const Model model = test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const ChainLayout layout(model);
    test::Random random(static_cast<std::uint64_t>(seed));
    ImuModel imus = test::random_imus(layout, random);
    const Synthesis motion = make_synthesis("random", model, static_cast<std::uint64_t>(seed));
    ImuSignalOptions options;
    options.surroundings = imus.surroundings();
    options.duration = 0.5;
    options.rate_hz = 10.0;
    const ImuSignals signals = imu_signals(model, motion_law(motion), imus.imus(), options);
    for (const ImuSample& sample : signals.samples) {
      imus.update(layout.motion(motion.state(sample.t), motion.acceleration(sample.t)));
      for (std::size_t k = 0; k < sample.imus.size(); ++k) {
        const auto& y = imus.imu(static_cast<int>(k)).y;
        EXPECT_LT((y.head<3>() - sample.imus[k].gyro).norm(), 1e-11) << "seed " << seed;
        EXPECT_LT((y.segment<3>(3) - sample.imus[k].acc).norm(), 1e-10) << "seed " << seed;
        EXPECT_LT((y.tail<3>() - sample.imus[k].mag).norm(), 1e-11 * 50.0) << "seed " << seed;
      }
    }
  }
}

TEST(ImuSignals, OfStatesAreNearlyThoseOfTheFormulaBehindThem) {
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = 3.0;
  const ImuSignals exact = imu_signals(human(), motion_law(walk), mounts(), options);
  const ImuSignals curves =
      imu_signals(human(), motion_law(synthesise(walk, 3.5, 240.0), human()), mounts(), options);
  for (std::size_t i = 20; i < 280; ++i) {  // a spline does not know the curvature at its ends
    for (std::size_t k = 0; k < 2; ++k) {
      const ImuReading &a = exact.samples[i].imus[k], &b = curves.samples[i].imus[k];
      // the spline's acceleration is off by h^2/12 of the fourth derivative: 3 % at the eighth harmonic
      EXPECT_LT((a.gyro - b.gyro).norm(), 0.01) << i;
      EXPECT_LT((a.acc - b.acc).norm(), 0.5) << i;
    }
  }
}

TEST(MotionLaw, OfStatesTurnsTheBaseAsItsQuaternionsDo) {
  Motion motion;
  const Vector3d axis = Vector3d{1.0, -2.0, 0.5}.normalized();
  for (int i = 0; i <= 100; ++i) {  // three whole turns: quaternions change sign on the way
    State state = rest_state(human());
    state.t = from_seconds(0.01 * i);
    state.R_WB = so3::exp(0.06 * std::numbers::pi * i * axis);
    motion.states.push_back(state);
  }
  const MotionLaw law = motion_law(motion, human());
  State state = rest_state(human());
  StateAcceleration acceleration;
  law(from_seconds(0.505), state, acceleration);
  EXPECT_LT(so3::distance(state.R_WB, so3::exp(0.06 * std::numbers::pi * 50.5 * axis)), 1e-4);
  EXPECT_LT((state.w_WB - 6.0 * std::numbers::pi * axis).norm(), 1e-3);
  EXPECT_LT(acceleration.alpha_WB.norm(), 0.2);
  law(from_seconds(2.0), state, acceleration);
  EXPECT_EQ(state.w_WB.norm(), 0.0) << "held after the last state";
  EXPECT_LT(so3::distance(state.R_WB, motion.states.back().R_WB), 1e-9);
}

TEST(MotionLaw, RefusesWhatHasNoCurve) {
  Motion motion;
  motion.states.push_back(rest_state(human()));
  EXPECT_THROW((void)motion_law(motion, human()), ConfigError);
  motion.states.push_back(rest_state(human()));
  EXPECT_THROW((void)motion_law(motion, human()), ConfigError) << "equal stamps";
  motion.states[1].t = 1000;
  motion.states[1].s.conservativeResize(3);
  EXPECT_THROW((void)motion_law(motion, human()), ConfigError);
}

// readings of a triad that feels nothing, one axis after the other
Eigen::MatrixXd still(const TriadErrors& errors, int count, double rate) {
  Eigen::MatrixXd readings(12, count);
  for (int sensor = 0; sensor < 4; ++sensor) {
    Triad triad("gyroscope", errors, rate, 5, sensor, 0);
    for (int i = 0; i < count; ++i) readings.block<3, 1>(3 * sensor, i) = triad.read(Vector3d::Zero());
  }
  return readings;
}

// Allan deviation over clusters of `size` readings, over all rows  [IEEE 952]
double allan(const Eigen::MatrixXd& readings, int size) {
  double sum = 0.0;
  const auto clusters = readings.cols() / size;
  for (Eigen::Index row = 0; row < readings.rows(); ++row) {
    double before = readings.row(row).head(size).mean();
    for (Eigen::Index c = 1; c < clusters; ++c) {
      const double mean = readings.row(row).segment(c * size, size).mean();
      sum += (mean - before) * (mean - before);
      before = mean;
    }
  }
  return std::sqrt(0.5 * sum / static_cast<double>(readings.rows() * (clusters - 1)));
}

TEST(Triad, WhiteNoiseHasItsDensityOnAnAllanPlot) {
  TriadErrors errors;
  errors.noise_density = 0.01 * kDegree;
  for (const double rate : {50.0, 100.0, 400.0}) {
    const Eigen::MatrixXd readings = still(errors, 40000, rate);
    for (const int size : {1, 10, 100}) {
      // one-sided density N: sigma(tau) = N / sqrt(2 tau) where the noise of a reading is N sqrt(rate / 2)
      const double expected = errors.noise_density / std::sqrt(2.0 * size / rate);
      // 12 rows of 40000 / size clusters: 4800 differences at the least, 1 % each way, three times
      EXPECT_NEAR(allan(readings, size) / expected, 1.0, 0.035) << size << " at " << rate;
    }
  }
}

TEST(Triad, AWalkingBiasHasItsSlopeOnAnAllanPlot) {
  TriadErrors errors;
  errors.bias_walk = 1e-3;
  const Eigen::MatrixXd readings = still(errors, 40000, 100.0);
  for (const int size : {50, 100, 200}) {
    // K sqrt(tau / 3); 12 x 200 differences that hang together by a quarter
    EXPECT_NEAR(allan(readings, size) / (errors.bias_walk * std::sqrt(size / 300.0)), 1.0, 0.06) << size;
  }
}

TEST(Triad, AnInstabilityHasItsSizeAndItsMemory) {
  TriadErrors errors;
  errors.instability = 0.5;
  errors.instability_time = 2.0;
  const Eigen::MatrixXd readings = still(errors, 200000, 100.0);
  // 12 rows of 2000 s / (2 x 2 s): 6000 independent values, so 1 % of the variance is about one sigma
  EXPECT_NEAR(readings.array().square().mean(), 0.25, 0.25 * 0.06);
  const auto n = readings.cols() - 200;
  const double later = (readings.leftCols(n).array() * readings.rightCols(n).array()).mean();
  EXPECT_NEAR(later / 0.25, std::exp(-1.0), 0.05) << "2 s later";
}

TEST(Triad, CountsEndAtTheRange) {
  TriadErrors errors;
  errors.range = 1.0;
  errors.count = 0.25;
  Triad triad("accelerometer", errors, 100.0, 1, 0, 1);
  EXPECT_EQ(triad.read({0.3, -0.13, 2.0}), Vector3d(0.25, -0.25, 1.0));
  EXPECT_EQ(triad.read({-5.0, 0.1, 0.99}), Vector3d(-1.0, 0.0, 1.0));
}

TEST(Triad, ScaleAndAxesAreOfTheirSize) {
  TriadErrors errors;
  errors.scale = 0.01;
  errors.cross_axis = 0.002;
  double diagonal = 0.0, beside = 0.0;
  constexpr int sensors = 2000;
  for (int sensor = 0; sensor < sensors; ++sensor) {
    Triad triad("gyroscope", errors, 100.0, 3, sensor, 0);
    const Vector3d y = triad.read({1.0, 0.0, 0.0});
    diagonal += (y.x() - 1.0) * (y.x() - 1.0);
    beside += y.tail<2>().squaredNorm();
  }
  EXPECT_NEAR(std::sqrt(diagonal / sensors), 0.01, 0.01 * 0.05);  // sd of 2000 draws: 1.6 %
  EXPECT_NEAR(std::sqrt(beside / (2 * sensors)), 0.002, 0.002 * 0.05);
}

TEST(Butterworth, HasHalfThePowerAtItsCutoffAndLagsAsItSays) {
  Butterworth filter(45.0, 1000.0);
  double power = 0.0;
  for (int i = 0; i < 5000; ++i) {
    const double y =
        filter.filter(Vector3d::Constant(std::sin(2.0 * std::numbers::pi * 45.0 * i / 1000.0))).x();
    if (i >= 1000) power += y * y / 4000.0;
  }
  EXPECT_NEAR(power, 0.25, 0.001);  // a sine has 1/2
  Butterworth ramp(45.0, 1000.0);
  Vector3d y = ramp.filter(Vector3d::Zero());
  for (int i = 1; i <= 1000; ++i) y = ramp.filter(Vector3d::Constant(i / 1000.0));
  EXPECT_NEAR(1.0 - y.x(), std::numbers::sqrt2 / (2.0 * std::numbers::pi * 45.0), 1e-4);
  Butterworth held(20.0, 1000.0);
  EXPECT_LT((held.filter(Vector3d::Constant(3.0)) - Vector3d::Constant(3.0)).norm(), 1e-14)
      << "no jump at the start";
  EXPECT_THROW(Butterworth(500.0, 1000.0), ConfigError);
}

// ---- each effect by itself, against exact signals

struct Compared {
  ImuSignals exact, changed;
};
Compared compared(const std::function<void(ImuSignalOptions&)>& change, double duration = 3.0) {
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = duration;
  Compared result{imu_signals(human(), motion_law(walk), mounts(), options), {}};
  change(options);
  result.changed = imu_signals(human(), motion_law(walk), mounts(), options);
  return result;
}

// largest difference of gyroscope, accelerometer and magnetometer of a sensor that is there
Vector3d largest(const Compared& signals, std::size_t sensor) {
  Vector3d most = Vector3d::Zero();
  for (std::size_t i = 0; i < signals.exact.samples.size(); ++i) {
    const ImuReading &a = signals.exact.samples[i].imus[sensor], &b = signals.changed.samples[i].imus[sensor];
    if (!b.has_gyro) continue;
    most = most.cwiseMax(Vector3d{(a.gyro - b.gyro).norm(), (a.acc - b.acc).norm(), (a.mag - b.mag).norm()});
  }
  return most;
}

TEST(ImuSignals, AWrongMountingIsTheSameMotionFeltElsewhere) {
  const Compared signals = compared([](ImuSignalOptions& o) { o.mounting = {3.0 * kDegree, 0.01}; });
  const ImuMount nominal = mounts()[1], truth = signals.changed.mounts[1];
  EXPECT_GT(so3::distance(nominal.R_LI, truth.R_LI), 0.5 * kDegree);
  EXPECT_LT(so3::distance(nominal.R_LI, truth.R_LI), 15.0 * kDegree);
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = 3.0;
  const ImuSignals there = imu_signals(human(), motion_law(walk), signals.changed.mounts, options);
  EXPECT_LT(largest({there, signals.changed}, 1).maxCoeff(), 1e-12);
}

TEST(ImuSignals, ADipoleActsWhereTheSensorIs) {
  const Compared signals = compared([](ImuSignalOptions& o) {
    o.dipoles = {{{1.5, 0.0, 0.0}, {0.0, 0.0, 0.05}}};
  });
  const Vector3d off = largest(signals, 0);
  EXPECT_EQ(off.x(), 0.0);
  EXPECT_EQ(off.y(), 0.0);
  // the pelvis, 1.0 m high, passes over the magnet; on its axis at 1.1 m the field is 2 x 0.05 / 1.1^3
  EXPECT_NEAR(off.z(), 0.1 / std::pow(1.1, 3), 0.03);
}

TEST(ImuSignals, SteelActsOnItsSensorForItsTime) {
  const Compared signals = compared([](ImuSignalOptions& o) {
    o.steel = {{"hand", 1.0, 2.0, {0.2, 0.0, 0.0}}};
  });
  EXPECT_EQ(largest(signals, 0).norm(), 0.0);
  int met = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double off = (signals.exact.samples[i].imus[1].mag - signals.changed.samples[i].imus[1].mag).norm();
    if (off > 0.0) ++met;
    EXPECT_NEAR(off, i >= 100 && i < 200 ? 0.2 : 0.0, 1e-12) << i;
  }
  EXPECT_EQ(met, 100);
}

TEST(ImuSignals, FleshSwingsAndSettlesAsADampedMassDoes) {
  // a shift that begins with constant acceleration a: the mass ends at -a / (2 pi f)^2 and the sensor then
  // feels what the bone does
  const Model& model = human();
  constexpr double a = 5.0, f = 8.0, damping = 0.3;
  const MotionLaw law = [&](Time t, State& state, StateAcceleration& acceleration) {
    state = rest_state(model);
    state.t = t;
    const double s = to_seconds(t);
    state.p_WB.x() = 0.5 * a * s * s;
    state.v_WB.x() = a * s;
    acceleration.a_WB = {a, 0.0, 0.0};
    acceleration.sddot = Eigen::VectorXd::Zero(model.dof());
  };
  ImuSignalOptions options;
  options.duration = 1.5;
  options.rate_hz = 1000.0;
  const ImuSignals bone = imu_signals(model, law, mounts(), options);
  options.soft_tissue = SoftTissue{f, damping, 1.0, 0.0};
  const ImuSignals flesh = imu_signals(model, law, mounts(), options);
  // u'' of the step response u'' + 2 z w u' + w^2 u = -a, from rest: -a e^-zwt (cos - z/sqrt(1-z^2) sin)
  const double w = 2.0 * std::numbers::pi * f, wd = w * std::sqrt(1.0 - damping * damping);
  for (std::size_t i = 0; i < 1500; ++i) {
    const double t = static_cast<double>(i) * 1e-3;
    const double swing = -a * std::exp(-damping * w * t) *
                         (std::cos(wd * t) - damping / std::sqrt(1.0 - damping * damping) * std::sin(wd * t));
    const Vector3d off = mounts()[0].R_LI * (flesh.samples[i].imus[0].acc - bone.samples[i].imus[0].acc);
    EXPECT_NEAR(off.x(), swing, 0.06 * a) << t;  // one step of 1 ms is 5 % of a radian of the swing
    EXPECT_LT(std::abs(off.y()) + std::abs(off.z()), 1e-9);
  }
}

TEST(ImuSignals, FleshTurnsWithTheJointAndTheGyroscopeFeelsIt) {
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = 2.0;
  options.soft_tissue = SoftTissue{8.0, 0.3, 0.0, 0.1};
  options.rate_hz = 1000.0;
  const std::vector<ImuMount> on_shank{{"shank", "RightLowerLeg"}};
  const ImuSignals signals = imu_signals(human(), motion_law(walk), on_shank, options);
  // rates are the differences of the orientation that the magnetic field and gravity show: turn them by hand
  double worst = 0.0, most = 0.0;
  const ImuSignals bone = imu_signals(human(), motion_law(walk), on_shank, [&] {
    ImuSignalOptions plain = options;
    plain.soft_tissue.reset();
    return plain;
  }());
  for (std::size_t i = 1; i + 1 < signals.samples.size(); ++i) {
    const auto mag = [&](std::size_t k) { return signals.samples[k].imus[0].mag; };
    // m' = -w x m in the sensor's axes
    const Vector3d slope = (mag(i + 1) - mag(i - 1)) / 2e-3;
    worst = std::max(worst, (slope + signals.samples[i].imus[0].gyro.cross(mag(i))).norm());
    most = std::max(most, (signals.samples[i].imus[0].gyro - bone.samples[i].imus[0].gyro).norm());
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_GT(most, 0.1) << "a tenth of the knee's rate";
}

TEST(ImuSignals, LosesTheRequestedReadings) {
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = 200.0;
  options.packets.loss = 0.01;
  options.packets.burst = 0.001;
  options.packets.burst_sensor = "hand";
  const ImuSignals signals = imu_signals(human(), motion_law(walk), mounts(), options);
  int lost[2] = {0, 0}, longest = 0, run = 0;
  for (const ImuSample& sample : signals.samples) {
    for (std::size_t k = 0; k < 2; ++k) lost[k] += sample.imus[k].has_gyro ? 0 : 1;
    run = sample.imus[1].has_gyro ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  EXPECT_NEAR(lost[0], 200, 45) << "of 20000; three standard deviations are 42";
  EXPECT_NEAR(lost[1], 200 + 20 * 17.5, 250) << "twenty bursts of 17.5 readings, give or take fourteen";
  EXPECT_GE(longest, 5);
}

TEST(ImuSignals, ArriveLateAndByTheSensorsClock) {
  const Compared signals = compared([](ImuSignalOptions& o) {
    o.packets.delay = 0.02;
    o.packets.clock_skew = 20e-6;
  });
  int back = 0;
  Time newest = -1;
  for (const ImuSample& sample : signals.changed.samples) {
    if (sample.t < newest) ++back;
    newest = std::max(newest, sample.t);
  }
  EXPECT_EQ(newest, 2990059800) << "2.99 s and 20 parts in a million of it";
  // neighbours 10 ms apart, each later by up to 20 ms: an eighth of them swap, and some jump two places
  EXPECT_GT(back, 20);
  EXPECT_LT(back, 100);
}

TEST(ImuSignals, AccelerationTurnsIntoRateByItsSensitivity) {
  const Compared signals = compared([](ImuSignalOptions& o) { o.g_sensitivity = 0.1 * kDegree / 9.81; });
  const Vector3d off = largest(signals, 1);
  EXPECT_GT(off.x(), 0.02 * kDegree);
  EXPECT_LT(off.x(), 3.0 * kDegree);
  EXPECT_EQ(off.y(), 0.0);
}

TEST(ImuSignals, OneEffectDoesNotChangeTheNumbersOfAnother) {
  const Synthesis walk = make_synthesis("walk", human());
  ImuSignalOptions options;
  options.duration = 1.0;
  options.gyro.noise_density = 1e-4;
  const ImuSignals one = imu_signals(human(), motion_law(walk), mounts(), options);
  options.acc.noise_density = 1e-3;
  options.packets.loss = 0.3;
  options.mag.bias = 0.1;
  const ImuSignals more = imu_signals(human(), motion_law(walk), mounts(), options);
  for (std::size_t i = 0; i < 100; ++i) {
    const ImuReading &a = one.samples[i].imus[0], &b = more.samples[i].imus[0];
    EXPECT_TRUE(!b.has_gyro || a.gyro == b.gyro) << i;
  }
  const ImuSignals again = imu_signals(human(), motion_law(walk), mounts(), options);
  EXPECT_EQ(again.samples[99].imus[1].acc, more.samples[99].imus[1].acc) << "the same seed, the same bits";
  options.seed = 2;
  EXPECT_NE(imu_signals(human(), motion_law(walk), mounts(), options).samples[99].imus[0].mag,
            more.samples[99].imus[0].mag);
}

TEST(ImuSignals, SaysTheGyroscopesBias) {
  const Compared signals = compared([](ImuSignalOptions& o) {
    o.gyro.bias = 0.01;
    o.gyro.bias_walk = 1e-3;
  });
  for (const std::size_t i : {std::size_t{0}, std::size_t{150}, std::size_t{299}}) {
    const Vector3d off = signals.changed.samples[i].imus[1].gyro - signals.exact.samples[i].imus[1].gyro;
    EXPECT_LT((off - signals.changed.gyro_bias[1].col(static_cast<Eigen::Index>(i))).norm(), 1e-12);
  }
  EXPECT_NE(signals.changed.gyro_bias[1].col(0), signals.changed.gyro_bias[1].col(299));
}

TEST(ImuSignals, RefusesOptionsByName) {
  const auto refusal = [](const std::function<void(ImuSignalOptions&)>& change) -> std::string {
    ImuSignalOptions options;
    change(options);
    try {
      (void)imu_signals(human(), motion_law(make_synthesis("walk", human())), mounts(), options);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto says = [&](const std::function<void(ImuSignalOptions&)>& change, const char* word) {
    EXPECT_NE(refusal(change).find(word), std::string::npos) << refusal(change);
  };
  says([](ImuSignalOptions& o) { o.duration = 0.0; }, "duration");
  says([](ImuSignalOptions& o) { o.gyro.noise_density = -1.0; }, "gyroscope: `noise_density`");
  says([](ImuSignalOptions& o) { o.mag.range = 0.0; }, "magnetometer: `range`");
  says([](ImuSignalOptions& o) { o.packets.loss = 1.5; }, "`loss`");
  says([](ImuSignalOptions& o) { o.steel = {{"hnd", 0.0, 1.0, Vector3d::Zero()}}; }, "did you mean 'hand'");
  says([](ImuSignalOptions& o) { o.packets.burst_sensor = "foot"; }, "'foot'");
  says([](ImuSignalOptions& o) { o.low_pass_hz = 900.0; }, "low-pass");
  says([](ImuSignalOptions& o) { o.soft_tissue = SoftTissue{0.0}; }, "soft tissue");
  says([](ImuSignalOptions& o) { o.mounting.turn = std::nan(""); }, "`mounting.turn`");
}

}  // namespace
}  // namespace panto
