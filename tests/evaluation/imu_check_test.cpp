#include "panto/evaluation/imu_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "panto/io/open_imu.hpp"
#include "panto/math/so3.hpp"
#include "panto/recording/imu_recording.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = 3.14159265358979323846 / 180.0, kGravity = 9.80665;

/// One sensor on a body that sways: angles and shifts are sums of sines, sensor noise and a bias on top.
/// Synthetic.
class Session {
 public:
  explicit Session(unsigned seed) : random_(seed) {
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    const double liveliness = unit(random_);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        turn_[i][j] = {1.2 * liveliness * unit(random_), 0.5 + 5.0 * unit(random_), 6.3 * unit(random_)};
        shift_[i][j] = {3.0 * liveliness * unit(random_), 1.0 + 8.0 * unit(random_), 6.3 * unit(random_)};
      }
      bias_[i] = 2.0 * kDegree * (2.0 * unit(random_) - 1.0);
    }
    start_ = so3::exp(Vector3d(3.0 * unit(random_), 3.0 * unit(random_), 3.0 * unit(random_)));
  }

  /// At t [s], 100 Hz.
  ImuReading at(double t) {
    const double h = 1e-4;
    const Matrix3d R = attitude(t), before = attitude(t - h), after = attitude(t + h);
    ImuReading reading;
    reading.has_gyro = reading.has_acc = true;
    reading.gyro = so3::log(before.transpose() * after) / (2.0 * h) + bias_ + noise(0.005);
    Vector3d force(0.0, 0.0, kGravity);
    for (int i = 0; i < 3; ++i) force[i] += sum(shift_[i], t);
    reading.acc = R.transpose() * force + noise(0.05);
    return reading;
  }

 private:
  struct Wave {
    double size = 0.0, rate = 0.0, phase = 0.0;
  };
  static double sum(const std::array<Wave, 3>& waves, double t) {
    double value = 0.0;
    for (const Wave& wave : waves) value += wave.size * std::sin(wave.rate * t + wave.phase);
    return value;
  }
  Matrix3d attitude(double t) const {
    return start_ * so3::exp(Vector3d(sum(turn_[0], t), sum(turn_[1], t), sum(turn_[2], t)));
  }
  Vector3d noise(double sigma) {
    std::normal_distribution<double> normal(0.0, sigma);
    return {normal(random_), normal(random_), normal(random_)};
  }

  std::mt19937_64 random_;
  std::array<std::array<Wave, 3>, 3> turn_, shift_;
  Vector3d bias_ = Vector3d::Zero();
  Matrix3d start_;
};

ImuUnits watched(unsigned seed, double gyro_factor, double acc_factor, double duration = 2.01) {
  Session session(seed);
  ImuUnits units;
  for (int k = 0; k < static_cast<int>(100.0 * duration); ++k) {
    ImuReading reading = session.at(0.01 * k);
    reading.gyro *= gyro_factor;
    reading.acc *= acc_factor;
    units.add(reading, frame_time(k, 100.0));
  }
  return units;
}

TEST(ImuUnits, TwoSecondsTellDegreesAndGravitiesInTwoHundredSyntheticSessions) {
  int degrees = 0, gravities = 0, false_degrees = 0, false_forces = 0, both = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const ImuUnits right = watched(seed, 1.0, 1.0);
    false_degrees += right.rate_unit() != RateUnit::Plausible ? 1 : 0;
    false_forces += right.force_unit() != ForceUnit::Plausible ? 1 : 0;
    degrees += watched(seed, 1.0 / kDegree, 1.0).rate_unit() == RateUnit::Degrees ? 1 : 0;
    gravities += watched(seed, 1.0, 1.0 / kGravity).force_unit() == ForceUnit::Gravities ? 1 : 0;
    both += watched(seed, 1.0 / kDegree, 1.0 / kGravity).rate_unit() == RateUnit::Degrees ? 1 : 0;
  }
  // reliability: 99 % found, less than 1 % wrongly
  EXPECT_GE(degrees, 198);
  EXPECT_GE(both, 198) << "degrees are told though the force is g";
  EXPECT_EQ(gravities, 200);
  EXPECT_LE(false_degrees, 1);
  EXPECT_EQ(false_forces, 0);
}

// faults of ten seconds of one session, whose stamps are `factor` times the right ones
std::vector<ImuFault> faults_at(double factor, const std::function<void(int, ImuReading&)>& spoil) {
  Session session(7);
  ImuCheck check({"shank"});
  for (int k = 0; k < 1000; ++k) {
    ImuSample sample;
    sample.t = from_seconds(0.01 * factor * k);
    sample.imus = {session.at(0.01 * k)};
    spoil(k, sample.imus.front());
    check.add(sample);
  }
  return check.faults();
}

TEST(ImuCheck, StampsInMillisecondsOrReadAsThemAreRefusedBeforeAnythingElseIsSaid) {
  const auto untouched = [](int, ImuReading&) {};
  EXPECT_TRUE(faults_at(1.0, untouched).empty());
  for (const ImuFault& fault : faults_at(10.0, untouched))
    EXPECT_NE(fault.kind, ImuFaultKind::Clock) << "10 Hz is slow, not wrong";
  for (const double factor : {1000.0, 0.001}) {
    const std::vector<ImuFault> faults = faults_at(factor, untouched);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, ImuFaultKind::Clock);
    EXPECT_TRUE(faults[0].unusable);
    const char* remedy = factor > 1.0 ? "divide them by 1000" : "multiply them by 1000";
    EXPECT_NE(faults[0].text.find(remedy), std::string::npos) << faults[0].text;
  }
}

TEST(ImuCheck, SingleReadingsFarOffBothNeighboursAreSpikesAndAHeelStrikeIsNone) {
  const std::vector<ImuFault> faults = faults_at(1.0, [](int k, ImuReading& reading) {
    if (k == 250 || k == 600) reading.acc.x() += k == 600 ? -900.0 : 400.0;
    if (k == 700) reading.gyro.z() += 300.0;
  });
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].kind, ImuFaultKind::Spike);
  EXPECT_NE(faults[0].text.find("gyroscope has 1 spike of a single sample, the largest 300 rad/s at 7.00 s"),
            std::string::npos)
      << faults[0].text;
  EXPECT_NE(
      faults[1].text.find("accelerometer has 2 spikes of a single sample, the largest 900 m/s^2 at 6.00 s"),
      std::string::npos)
      << faults[1].text;
  const std::vector<ImuFault> strikes = faults_at(1.0, [](int k, ImuReading& reading) {
    if (k % 100 < 2) reading.acc.z() += 120.0 - 60.0 * (k % 100);  // 12 g that ring on
  });
  EXPECT_TRUE(strikes.empty());
}

TEST(ImuUnits, FindsRadiansTakenForDegreesInLivelyMotion) {
  int found = 0;
  for (unsigned seed = 0; seed < 50; ++seed)
    found += watched(seed, kDegree, 1.0, 20.0).rate_unit() == RateUnit::TwiceConverted ? 1 : 0;
  EXPECT_GE(found, 45) << "some sessions hardly move: their rates could be anything";
}

TEST(ImuUnits, TheShankOfARunnerFeelsMetresPerSecondSquared) {
  // `panto synthesize run` with flesh that swings: 35.5 in the median
  EXPECT_EQ(watched(3, 1.0, 3.6).force_unit(), ForceUnit::Plausible);
}

TEST(ImuUnits, ASensorThatIsFrozenInMidSwingIsNotTakenForDegrees) {
  Session session(1);
  ImuReading reading = session.at(0.0);
  reading.gyro = {0.0, 3.0, 0.0};
  reading.acc = {0.0, 0.0, kGravity};
  for (const bool told : {false, true}) {
    ImuUnits units;
    for (int k = 0; k < 500; ++k) units.add(reading, frame_time(k, 100.0), told && k > 0);
    EXPECT_EQ(units.rate_unit(), RateUnit::Plausible) << told;
  }
}

TEST(ImuUnits, APendulumWhoseForceStaysAlongItsRodIsNotTakenForDegrees) {
  ImuUnits units;
  for (int k = 0; k < 2000; ++k) {
    ImuReading reading;
    const double t = 0.01 * k;
    reading.has_gyro = reading.has_acc = true;
    reading.gyro = {0.0, 1.5 * std::cos(3.0 * t), 0.0};  // swings by half a radian
    reading.acc = {kGravity, 0.0, 0.01 * std::sin(7.0 * t)};
    units.add(reading, frame_time(k, 100.0));
  }
  EXPECT_EQ(units.rate_unit(), RateUnit::Plausible);
}

TEST(ImuUnits, FindsForcesWithoutGravityAndInThousandths) {
  EXPECT_EQ(watched(3, 1.0, 1000.0 / kGravity).force_unit(), ForceUnit::Thousandths);
  EXPECT_EQ(watched(3, 1.0, 10.0).force_unit(), ForceUnit::Odd);
  ImuUnits units;
  ImuReading reading;
  reading.has_acc = true;
  for (int k = 0; k < 300; ++k) {
    reading.acc = Vector3d(0.1 * std::sin(0.1 * k), 0.05, 0.0);
    units.add(reading, frame_time(k, 100.0));
  }
  EXPECT_EQ(units.force_unit(), ForceUnit::NoGravity);
}

/// The faults of a session of two sensors that something was done to.
template <typename Damage>
std::vector<ImuFault> faults_of(Damage&& damage, std::vector<ImuStretch>* stretches = nullptr) {
  Session a(1), b(2);
  ImuCheck check({"a", "b"});
  ImuSample sample;
  for (int k = 0; k < 600; ++k) {
    sample.t = frame_time(k, 100.0);
    sample.imus = {a.at(0.01 * k), b.at(0.01 * k)};
    if (damage(k, sample)) check.add(sample);
  }
  if (stretches != nullptr) *stretches = check.stretches();
  return check.faults();
}

TEST(ImuCheck, AGoodRecordingHasNothingOdd) {
  EXPECT_TRUE(faults_of([](int, ImuSample&) { return true; }).empty());
}

TEST(ImuCheck, NamesADeadGyroscopeAndTheStretchItIsDead) {
  std::vector<ImuStretch> stretches;
  const auto faults = faults_of(
      [](int, ImuSample& sample) {
        sample.imus[1].gyro = Vector3d(0.0, 0.5, 0.0);
        return true;
      },
      &stretches);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, ImuFaultKind::Dead);
  EXPECT_EQ(faults[0].sensor, 1);
  EXPECT_NE(faults[0].text.find("sensor 'b': its gyroscope is dead: its value is always (0, 0.5, 0)"),
            std::string::npos);
  ASSERT_EQ(stretches.size(), 1u);
  EXPECT_TRUE(stretches[0].gyro && !stretches[0].acc);
  EXPECT_EQ(stretches[0].to, frame_time(599, 100.0));
}

TEST(ImuCheck, NamesAnAxisThatNeverChanges) {
  const auto faults = faults_of([](int, ImuSample& sample) {
    sample.imus[0].acc.y() = 0.0;
    return true;
  });
  ASSERT_FALSE(faults.empty());
  const bool named = std::any_of(faults.begin(), faults.end(), [](const ImuFault& fault) {
    return fault.text == "sensor 'a': its accelerometer is dead: its y axis never changes";
  });
  EXPECT_TRUE(named) << faults[0].text;
}

TEST(ImuCheck, AGyroscopeWithOneDeadAxisCountsAsMissingAndOneThatTurnsAboutOneAxisDoesNot) {
  std::vector<ImuStretch> stretches;
  (void)faults_of(
      [](int, ImuSample& sample) {
        sample.imus[0].gyro.y() = 0.0;
        return true;
      },
      &stretches);
  ASSERT_EQ(stretches.size(), 1u) << "half a rate is worse than none";
  EXPECT_TRUE(stretches[0].gyro && !stretches[0].acc);
  (void)faults_of(
      [](int, ImuSample& sample) {
        sample.imus[0].gyro.x() = sample.imus[0].gyro.y() = 0.0;
        return true;
      },
      &stretches);
  EXPECT_TRUE(stretches.empty());
}

TEST(ImuCheck, FindsASensorThatFreezesForASecondAndNotOneThatHoldsAValueBriefly) {
  std::vector<ImuStretch> stretches;
  ImuReading held;
  const auto freeze = [&](int from, int to) {
    return [&held, from, to](int k, ImuSample& sample) {
      if (k == from) held = sample.imus[0];
      if (k >= from && k < to) sample.imus[0] = held;
      return true;
    };
  };
  const auto faults = faults_of(freeze(200, 300), &stretches);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, ImuFaultKind::Frozen);
  EXPECT_NE(faults[0].text.find("unchanged values for 0.99 s from 2.00 s on"), std::string::npos)
      << faults[0].text;
  ASSERT_EQ(stretches.size(), 1u);
  EXPECT_EQ(stretches[0].from, frame_time(200, 100.0));
  EXPECT_EQ(stretches[0].to, frame_time(299, 100.0));
  EXPECT_TRUE(faults_of(freeze(200, 240)).empty()) << "a receiver that repeats lost packets for 0.4 s";
}

TEST(ImuCheck, NamesTwoSensorsThatHoldTheSameNumbers) {
  const auto copied = faults_of([](int k, ImuSample& sample) {
    if (k % 3 != 0) sample.imus[1] = sample.imus[0];
    return true;
  });
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].kind, ImuFaultKind::Copied);
  EXPECT_NE(copied[0].text.find("sensors 'a' and 'b' hold the same numbers in 400 of 600 samples"),
            std::string::npos)
      << copied[0].text;
  EXPECT_TRUE(faults_of([](int k, ImuSample& sample) {
                if (k % 3 == 0) sample.imus[1] = sample.imus[0];
                return true;
              }).empty())
      << "not in half of the samples";
}

TEST(ImuCheck, CountsMissingReadingsAndGaps) {
  const auto dropout = faults_of([](int k, ImuSample& sample) {
    if (k % 10 == 0) sample.imus[0] = ImuReading{};
    return true;
  });
  ASSERT_EQ(dropout.size(), 1u);
  EXPECT_NE(dropout[0].text.find("sensor 'a' is missing in 10 % of the samples"), std::string::npos)
      << dropout[0].text;
  const auto gaps = faults_of([](int k, ImuSample&) { return k < 100 || k >= 150; });
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].sensor, -1);
  EXPECT_NE(gaps[0].text.find("1 gap between samples, the longest 0.510 s after 0.99 s"), std::string::npos)
      << gaps[0].text;
  const auto silent = faults_of([](int, ImuSample& sample) {
    sample.imus[1] = ImuReading{};
    return true;
  });
  ASSERT_EQ(silent.size(), 1u);
  EXPECT_EQ(silent[0].kind, ImuFaultKind::Silent);
}

TEST(ImuCheck, AnHourOfStandingStillIsNotFrozen) {
  // 16 bits of +-2000 deg/s and +-16 g, and the noise of a good sensor: single values repeat all the time
  std::mt19937_64 random(5);
  std::normal_distribution<double> gyro(0.0, 0.0012), acc(0.0, 0.01);
  const auto rounded = [](double value, double step) { return step * std::round(value / step); };
  ImuCheck check({"still"});
  ImuSample sample;
  sample.imus.resize(1);
  ImuReading& reading = sample.imus[0];
  reading.has_gyro = reading.has_acc = true;
  for (int k = 0; k < test::scaled_numerical(360000); ++k) {
    sample.t = frame_time(k, 100.0);
    for (int i = 0; i < 3; ++i) {
      reading.gyro[i] = rounded(gyro(random), 2000.0 * kDegree / 32768.0);
      reading.acc[i] = rounded((i == 2 ? kGravity : 0.0) + acc(random), 16.0 * kGravity / 32768.0);
    }
    check.add(sample);
  }
  EXPECT_TRUE(check.faults().empty());
}

// real recordings, as they are and with their units spoilt
void expect_units_are_told(const std::string& file) {
  const auto recording = std::make_unique<ImuRecording>(io::open_imu(test::data_file(file)));
  const std::vector<std::string> names = recording->names();
  ImuCheck right(names), degrees(names), gravities(names);
  ImuSample sample;
  while (recording->read(sample) == ReadStatus::Sample) {
    right.add(sample);
    ImuSample spoilt = sample;
    for (ImuReading& reading : spoilt.imus) reading.gyro /= kDegree;
    degrees.add(spoilt);
    spoilt = sample;
    for (ImuReading& reading : spoilt.imus) reading.acc /= kGravity;
    gravities.add(spoilt);
  }
  const auto named = [](const ImuCheck& check, ImuFaultKind kind) {
    const auto faults = check.faults();
    return static_cast<std::size_t>(std::count_if(faults.begin(), faults.end(),
                                                  [&](const ImuFault& fault) { return fault.kind == kind; }));
  };
  EXPECT_EQ(named(right, ImuFaultKind::GyroUnit) + named(right, ImuFaultKind::AccUnit), 0u) << file;
  EXPECT_EQ(named(right, ImuFaultKind::Dead) + named(right, ImuFaultKind::Frozen), 0u) << file;
  EXPECT_EQ(named(degrees, ImuFaultKind::GyroUnit), names.size()) << file;
  EXPECT_EQ(named(gravities, ImuFaultKind::AccUnit), names.size()) << file;
}

TEST(ImuCheck, TellsUnitsOfRealRecordings) {
  PANTO_NEED_DATA("inertial/vqf/imu_data.npz");
  PANTO_NEED_DATA("inertial/opensense/xsens/MT_012005D6_031-000_00B421AF.txt");
  expect_units_are_told("inertial/vqf/imu_data.npz");
  expect_units_are_told("inertial/opensense/xsens/MT_012005D6_031-000_00B421AF.txt");
  expect_units_are_told("inertial/opensense/xsens/MT_012005D6_031-000_00B4227B.txt");
}

}  // namespace
}  // namespace panto
