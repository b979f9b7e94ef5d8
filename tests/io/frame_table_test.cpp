#include "panto/io/frame_table.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

namespace fs = std::filesystem;

class FrameTableFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("panto_frames_" + std::to_string(std::random_device{}()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "frames.csv").string(); }
  [[nodiscard]] std::string text() const {
    std::stringstream all;
    all << std::ifstream(path()).rdbuf();
    return all.str();
  }

  fs::path folder_;
  Model model_ = human66();
  std::vector<TrackedPair> pairs_{{.segment = Pelvis, .link = model_.link_index("Pelvis")}};
};

constexpr const char* kHeader =
    "time_s,mnte,angle_mean_deg,angle_max_deg,omega_rmse_rad_s,status,active_bounds,clamped,solves,"
    "fallback_level,step_us\n";

TEST_F(FrameTableFile, HoldsOneRowForEveryFrame) {
  FrameTable table(path(), model_, pairs_);
  State state = rest_state(model_);
  SegmentSample sample = segment_sample(model_, state);
  table.add(sample, state, {.duration_ns = 1250});
  sample.t = state.t = 20'000'000;
  // half a turn about z: no rounding
  sample.segments[Pelvis].R_WS.col(0) = -Eigen::Vector3d::UnitX();
  sample.segments[Pelvis].R_WS.col(1) = -Eigen::Vector3d::UnitY();
  sample.segments[Pelvis].has_angular_velocity = false;
  table.add(
      sample, state,
      {.status = StepStatus::Saturated, .fallback_level = 1, .active_bounds = 3, .solves = 5, .clamped = 2});
  table.close();
  EXPECT_EQ(text(), std::string(kHeader) +
                        "0,0,0,0,0,solved,0,0,0,0,1.25\n"
                        "0.02,2,180,180,,saturated,3,2,5,1,\n");
}

TEST_F(FrameTableFile, AFrameWithoutAnAnswerHasItsStatusAndNoErrors) {
  FrameTable table(path(), model_, pairs_);
  const State state = rest_state(model_);
  table.add(segment_sample(model_, state), state, {.status = StepStatus::NoTarget, .duration_ns = 500});
  table.close();
  EXPECT_EQ(text(), std::string(kHeader) + "0,,,,,no_target,0,0,0,0,0.5\n");
}

TEST_F(FrameTableFile, AppearsUnderItsNameWhenItIsWhole) {
  {
    FrameTable table(path(), model_, pairs_);
    EXPECT_TRUE(fs::exists(path() + ".part"));
  }
  EXPECT_TRUE(fs::is_empty(folder_)) << "no more than a header is not kept";
}

TEST_F(FrameTableFile, SaysWhatCannotBeWritten) {
  EXPECT_THROW(FrameTable(path() + "/there.csv", model_, pairs_), Error);
  EXPECT_THROW(FrameTable(path(), model_, {{.segment = -1, .link = 0}}), ConfigError);
  EXPECT_TRUE(fs::is_empty(folder_)) << "a pair that is wrong leaves no file behind";
}

}  // namespace
}  // namespace panto::io
