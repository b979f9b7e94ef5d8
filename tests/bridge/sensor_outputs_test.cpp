#include "panto/bridge/sensor_outputs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "panto/io/open_imu.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto::bridge {
namespace {

using test::names;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SensorOutputs, WriteStatesWithDeviationsARefinedMountingAndAPage) {
  const std::string stem = testing::TempDir() + "sensor_outputs_";
  const test::SwayingPerson person = test::swaying_legs();
  ImuClip clip = test::clip_of(person);
  SensorOutputOptions asked{"suit.csv",
                            {stem + "legs.csv"},
                            stem + "legs.html",
                            stem + "refined.toml",
                            io::AngleConvention::Model,
                            true,
                            0.5};
  EXPECT_EQ(written_files(asked).size(), 3u);
  std::vector<std::string> notes;
  SensorOutputs outputs(asked, {person.model, clip, nullptr, {{"--refine", "on"}}, "1.2.3"}, notes);
  Observer observer;
  outputs.watch(observer);
  SensorTrackOptions options;
  options.deviations = options.refine = true;
  options.keep_motion = false;
  const SensorTrackResult result = track(clip, person.model, test::setup_of(person.setup), options, observer);
  EXPECT_EQ(outputs.close(result), std::vector<std::string>{});
  EXPECT_TRUE(outputs.complete());
  EXPECT_EQ(outputs.written(), (std::vector<std::string>{asked.outputs[0], asked.refined, asked.report}));
  const std::string table = text_of(asked.outputs[0]);
  EXPECT_GE(std::count(table.begin(), table.end(), '\n'), result.card.frames);
  EXPECT_NE(table.find("sd"), std::string::npos) << "a column of deviations";
  EXPECT_EQ(io::read_sensors(asked.refined).setup.mounts.size(), person.sensors.size());
  EXPECT_TRUE(names(text_of(asked.report), "1.2.3", "--refine", "suit.csv"));
}

}  // namespace
}  // namespace panto::bridge
