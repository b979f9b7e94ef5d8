#include "apps/web/workbench.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto::web {
namespace {

constexpr char kWalk[] = PANTO_EXAMPLES "/data/walk.bvh";

File example(const std::string& name) {
  std::ifstream file(PANTO_EXAMPLES "/data/" + name, std::ios::binary);
  return {name, {std::istreambuf_iterator<char>(file), {}}};
}

File walk() { return example("walk.bvh"); }

TEST(Workbench, SolvesAClipAsTheLibraryDoesToTheBit) {
  Workbench bench;
  const auto facts = nlohmann::json::parse(bench.open_recording(walk()));
  EXPECT_EQ(facts["name"], "walk.bvh");
  const Solved solved = bench.solve({});
  EXPECT_EQ(solved.frames, facts["frames"]);
  const auto recording = io::open_recording(kWalk);
  const Robot robot = robot_of(io::open_robot("unitree_g1"));
  const RetargetResult result = retarget(*recording, robot);
  EXPECT_EQ(bench.save("motion.csv", "", 0.0), io::motion_bytes(result.motion, robot.model, "motion.csv"));
}

TEST(Workbench, GivesTheRunOfTheReportPage) {
  Workbench bench;
  (void)bench.open_recording(walk());
  const auto run = nlohmann::json::parse(bench.solve({}).run);
  EXPECT_EQ(run["version"], 1);
  EXPECT_EQ(run["model"]["name"], "unitree_g1");
  EXPECT_EQ(run["verdict"]["grade"], "good");
}

TEST(Workbench, SolvesAWindowOfItsOwnSamples) {
  Workbench bench;
  (void)bench.open_recording(walk());
  (void)bench.solve({});
  const Window window = bench.window({}, 2.5, 3.5);
  ASSERT_GT(window.t.size(), 20U);
  EXPECT_GE(window.t.front(), 2.5 - 1e-9);
  EXPECT_LE(window.t.back(), 3.5 + 1e-9);
  EXPECT_EQ(window.rows.size(), window.t.size() * static_cast<std::size_t>(window.columns));
  for (const double value : window.rows) EXPECT_TRUE(std::isfinite(value));
}

TEST(Workbench, KeepsSpeedsAndWeightsThatASliderSets) {
  Workbench bench;
  (void)bench.open_recording(walk());
  Settings slow;
  // the fastest joint of every shown window, which is solved on its own grid of stamps
  const auto fastest = [&](const Settings& settings) {
    const Window window = bench.window(settings, 1.5, 4.5);
    double speed = 0.0;
    for (std::size_t i = 1; i < window.t.size(); ++i)
      for (int k = 7; k < window.columns; ++k) {
        const auto at = [&](std::size_t row) {
          return window.rows[row * static_cast<std::size_t>(window.columns) + static_cast<std::size_t>(k)];
        };
        speed = std::max(speed, std::abs(at(i) - at(i - 1)) / (window.t[i] - window.t[i - 1]));
      }
    return speed;
  };
  // this walk's knees turn at 313 deg/s = 5.5 rad/s
  EXPECT_GT(fastest({}), 4.0);
  slow.speed = 0.1;
  EXPECT_LE(fastest(slow), 3.8) << "a tenth of the fastest joint's 37 rad/s";
}

TEST(Workbench, ScalesAHumanToTheHeightThatIsAskedFor) {
  Workbench bench;
  (void)bench.open_recording(walk());
  (void)bench.open_body("human66");
  EXPECT_EQ(nlohmann::json::parse(bench.solve({}).run)["model"]["name"], "human66");
  Settings tall;
  tall.height = 2.0;
  EXPECT_NE(bench.solve(tall).run, bench.solve({}).run);
}

TEST(Workbench, SaysWhatIsWrongAndGoesOn) {
  Workbench bench;
  EXPECT_THROW((void)bench.solve({}), ConfigError) << "no clip yet";
  EXPECT_THROW((void)bench.save("a.csv", "", 0.0), ConfigError);
  EXPECT_THROW((void)bench.open_body("g2"), ConfigError);
  EXPECT_THROW((void)bench.open_recording({"a.bvh", "HIERARCHY\nROOT"}), FormatError);
  (void)bench.open_recording(walk());
  EXPECT_THROW((void)bench.open_recording({"a.bvh", ""}), Error);
  EXPECT_GT(bench.solve({}).frames, 0) << "the clip before is still there";
  Settings odd;
  odd.speed = 0.0;
  EXPECT_THROW((void)bench.solve(odd), ConfigError);
  EXPECT_THROW((void)bench.window({}, 3.0, 2.0), ConfigError);
  EXPECT_THROW((void)bench.window({}, 1e6, 1e6 + 3.0), ConfigError) << "no sample there";
}

TEST(Workbench, FindsTheMeshesOfARobotThatWereDroppedWithIt) {
  Workbench bench;
  (void)bench.open_recording(walk());
  const File urdf{
      "arm/arm.urdf",
      R"(<robot name="stick"><link name="a"><visual><geometry><mesh filename="package://arm/meshes/a.stl"/></geometry></visual></link></robot>)"};
  EXPECT_THROW((void)bench.open_body(urdf, {}), Error) << "no joint can follow";
  EXPECT_GT(bench.solve({}).frames, 0);
}

TEST(Workbench, DrawsTheMeshesOfAnOwnRobot) {
  Workbench bench;
  (void)bench.open_recording(walk());
  File urdf = example("homemade.urdf");
  const std::string link = "<link name=\"body\">";
  ASSERT_NE(urdf.bytes.find(link), std::string::npos);
  urdf.bytes.replace(
      urdf.bytes.find(link), link.size(),
      link +
          R"(<visual><geometry><mesh filename="package://homemade/meshes/part.obj"/></geometry></visual>)");
  const File part{"homemade/meshes/part.obj",
                  "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"};
  (void)bench.open_body(urdf, {part});
  const auto model = nlohmann::json::parse(bench.solve({}).run)["model"];
  ASSERT_EQ(model["meshes"].size(), 1U);
  EXPECT_EQ(model["links"][model["meshes"][0]["link"].get<std::size_t>()]["name"], "body");
}

// raw sensors of a person, and the table of their mountings
std::pair<File, File> suit() {
  const test::SwayingPerson person = test::swaying_legs();
  const auto path =
      std::filesystem::temp_directory_path() / ("panto_workbench_" + std::to_string(::getpid()) + ".csv");
  io::write_imu_csv(path.string(), test::clip_of(person));
  std::ifstream file(path, std::ios::binary);
  File sensors{"imu.csv", {std::istreambuf_iterator<char>(file), {}}};
  std::filesystem::remove(path);
  return {sensors, {"sensors.toml", io::sensors_text(test::setup_of(person.setup))}};
}

TEST(Workbench, OpensRawSensorsWithTheirMountingsAndSpoilsThem) {
  const auto [sensors, mountings] = suit();
  Workbench bench;
  EXPECT_THROW((void)bench.open_recording(sensors), ConfigError) << "without mountings";
  const auto facts = nlohmann::json::parse(bench.open_recording(sensors, {mountings}));
  ASSERT_EQ(facts["sensors"].size(), 5U);
  const Solved whole = bench.solve({});
  EXPECT_EQ(whole.frames, facts["frames"]);
  Settings lost;
  lost.sensors.lost = facts["sensors"][1];
  EXPECT_NE(bench.solve(lost).run, whole.run);
  Settings magnet;
  magnet.sensors.magnet = facts["sensors"][1];
  EXPECT_NE(bench.solve(magnet).run, whole.run);
  EXPECT_EQ(bench.solve({}).run, whole.run) << "as at first";
  Settings unknown;
  unknown.sensors.lost = "nose";
  EXPECT_THROW((void)bench.solve(unknown), ConfigError);
  EXPECT_EQ(bench.solve({}).run, whole.run) << "the clip before is still there";
}

}  // namespace
}  // namespace panto::web
