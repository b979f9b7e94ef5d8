#include "apps/web/workbench.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"

namespace panto::web {
namespace {

constexpr char kWalk[] = PANTO_EXAMPLES "/data/walk.bvh";

File walk() {
  std::ifstream file(kWalk, std::ios::binary);
  return {"walk.bvh", {std::istreambuf_iterator<char>(file), {}}};
}

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

}  // namespace
}  // namespace panto::web
