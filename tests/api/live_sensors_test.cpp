#include "panto/api/live_sensors.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "panto/api/track_sensors.hpp"
#include "panto/base/error.hpp"
#include "panto/base/status.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"

namespace panto {
namespace {

const std::string kData = PANTO_EXAMPLES "/data/";

Model arm() {
  std::vector<std::string> notes;
  return io::open_model(kData + "arm.toml", scaled_subject(1.75), notes);
}

ImuSample sample_of(const ImuClip& clip, std::size_t frame) {
  ImuSample sample;
  sample.t = clip.times[frame];
  for (std::size_t i = 0; i < clip.sensors.size(); ++i) sample.imus.push_back(clip.at(frame, i));
  return sample;
}

TEST(LiveSensors, GiveTheBitsOfTheWholeRecordingSampleBySample) {
  const ImuClip clip = io::open_imu(kData + "arm_imu.csv");
  const SensorSetup setup = io::read_sensors(kData + "arm_sensors.toml");
  const Model model = arm();
  SensorTrackOptions options;
  options.deviations = true;
  const SensorTrackResult whole = track(clip, model, setup, options);
  LiveSensors live(model, setup, clip.sensors);
  for (int round = 0; round < 2; ++round) {
    State state = live.start_state();
    std::size_t frame = 0;
    for (std::size_t k = 0; k < clip.times.size(); ++k) {
      if (!advanced(live.step(sample_of(clip, k), state))) continue;
      ASSERT_LT(frame, whole.motion.states.size());
      EXPECT_EQ(state_hash(state), state_hash(whole.motion.states[frame])) << k;
      EXPECT_EQ(live.deviation(), whole.deviation[frame]) << k;
      ++frame;
    }
    EXPECT_EQ(frame, whole.motion.states.size());
    live.reset();  // and again
  }
}

TEST(LiveSensors, ASampleThatCannotBeUsedChangesNothingAndTheNextOnesHaveTheSameBits) {
  const ImuClip clip = io::open_imu(kData + "arm_imu.csv");
  LiveSensors live(arm(), io::read_sensors(kData + "arm_sensors.toml"), clip.sensors);
  LiveSensors undisturbed(arm(), io::read_sensors(kData + "arm_sensors.toml"), clip.sensors);
  State state = live.start_state(), expected = undisturbed.start_state();
  const auto refused = [&](const ImuSample& sample) {
    const std::uint64_t before = state_hash(state);
    const Eigen::VectorXd deviation = live.deviation();
    const StepStatus status = live.step(sample, state);
    EXPECT_EQ(state_hash(state), before);
    EXPECT_EQ(live.deviation(), deviation);
    return status;
  };
  for (std::size_t k = 0; k < 200; ++k) {
    const ImuSample good = sample_of(clip, k);
    ImuSample bad = good;
    for (ImuReading& reading : bad.imus) reading = {};
    EXPECT_EQ(refused(bad), StepStatus::NoTarget);
    bad = good;
    bad.imus.pop_back();
    EXPECT_EQ(refused(bad), StepStatus::SizeMismatch);
    bad = good;
    bad.imus[0].gyro.x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refused(bad), StepStatus::TargetNotFinite);
    if (k > 0) {
      EXPECT_EQ(refused(sample_of(clip, k - 1)), StepStatus::TimeNotAdvancing);
    }
    ASSERT_TRUE(advanced(live.step(good, state)));
    ASSERT_TRUE(advanced(undisturbed.step(good, expected)));
    ASSERT_EQ(state_hash(state), state_hash(expected)) << k;
  }
}

TEST(LiveSensors, NamesASensorThatTheSamplesLackAndASetupThatNeedsTheWholeRecording) {
  const SensorSetup setup = io::read_sensors(kData + "arm_sensors.toml");
  const auto refusal = [](const SensorSetup& sensors, const std::vector<std::string>& names) -> std::string {
    try {
      LiveSensors(arm(), sensors, names);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  const std::string missing = setup.setup.mounts.at(1).name;
  EXPECT_NE(refusal(setup, {setup.setup.mounts.at(0).name}).find("'" + missing + "'"), std::string::npos);
  SensorSetup steadied = setup;
  steadied.steadied = 0.1;
  EXPECT_NE(refusal(steadied, {"upper", "lower"}).find("the whole recording"), std::string::npos);
}

}  // namespace
}  // namespace panto
