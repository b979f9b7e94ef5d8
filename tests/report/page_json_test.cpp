#include "panto/report/page_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "panto/base/error.hpp"
#include "panto/evaluation/timeline.hpp"
#include "panto/io/base64.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

using PageJson = nlohmann::json;

// A chain of two joints, whose last link follows the one segment; `frames` frames are shown.
struct PageScene {
  explicit PageScene(int frames) {
    info.recording = "take.bvh";
    info.segments = {"hand"};
    timeline.frames = frames;
    for (int k = 0; k < frames; ++k) {
      TimelineFrame frame;
      frame.t = Time{1'000'000'000} * k;
      frame.s = {0.5F * static_cast<float>(k), 1.0F};
      frame.source = {Eigen::Vector3f(0.1F, 0.2F, 0.3F)};
      frame.source_turn = {Eigen::Quaternionf::Identity()};
      frame.angle_error = {0.25F};
      frame.on_limit = {1, 1};
      timeline.shown.push_back(frame);
    }
  }
  [[nodiscard]] PageJson page() const {
    return PageJson::parse(report_page_json(model, pairs, info, result, timeline));
  }

  Model model = test::chain_model(2);
  std::vector<TrackedPair> pairs{{0, 2}};
  ReportPageInfo info;
  ReportPageResult result;
  Timeline timeline;
};

std::string two_bytes(int code) { return {static_cast<char>(code % 256), static_cast<char>(code / 256)}; }

TEST(PageJson, NumbersComeInSixteenBitsOfTheirRangeAndUnknownOnesAsTheLastCode) {
  PageScene scene(3);
  scene.timeline.shown[1].s[1] = std::nanf("");
  const PageJson s = scene.page()["timeline"]["s"];
  EXPECT_EQ(s["columns"], 2);
  EXPECT_EQ(s["offset"], PageJson({0.0, 1.0}));
  EXPECT_DOUBLE_EQ(s["scale"][0], 1.0 / 65534.0) << "from 0 to 1 rad; 65535 is nothing";
  EXPECT_EQ(s["scale"][1], 0.0) << "it does not move";
  std::string codes;
  for (const int code : {0, 0, 32767, 65535, 65534, 0}) codes += two_bytes(code);
  EXPECT_EQ(s["data"], io::to_base64(codes)) << "little-endian, frame by frame";
  const PageJson empty = PageScene(0).page()["timeline"];
  EXPECT_EQ(empty["shown"], 0);
  EXPECT_EQ(empty["s"]["data"], "");
}

TEST(PageJson, AnUnmeasuredJointIsNeverOnALimitAndWithoutLimitsThereAreNoBits) {
  PageScene scene(1);
  EXPECT_EQ(scene.page()["timeline"]["on_limit"]["data"], io::to_base64("\x03"));
  scene.result.unmeasured = {"joint_1", "a joint of another model"};
  const PageJson page = scene.page();
  EXPECT_EQ(page["timeline"]["on_limit"]["data"], io::to_base64("\x01"));
  EXPECT_EQ(page["unmeasured_joint_names"][0], "joint_1");
  scene.model = test::chain_model(2, kInfinity);
  EXPECT_TRUE(scene.page()["timeline"]["on_limit"].is_null());
}

TEST(PageJson, MomentsNameWhatTheyAreAboutAndPairsTheirWorst) {
  PageScene scene(1);
  scene.timeline.moments = {{MomentKind::OrientationError, 2'500'000'000, 0.5, 0},
                            {MomentKind::JointSpeed, 0, 4.0, 1},
                            {MomentKind::StepTime, 0, 90.0, -1},
                            {MomentKind::NoAnswer, 0, 3.0, static_cast<int>(StepStatus::NoTarget)}};
  scene.timeline.pairs = {{0.1, 0.5, 2'500'000'000}};
  const PageJson page = scene.page();
  const char* expected[][2] = {{"orientation_error", "link_1"},
                               {"joint_speed", "joint_1"},
                               {"step_time", ""},
                               {"no_answer", to_string(StepStatus::NoTarget)}};
  ASSERT_EQ(page["moments"].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(page["moments"][i]["kind"], expected[i][0]);
    EXPECT_EQ(page["moments"][i]["item"], expected[i][1]);
  }
  EXPECT_EQ(page["moments"][0]["t"], 2.5);
  EXPECT_EQ(page["pairs"][0]["max_s"], 2.5);
  scene.timeline.pairs.clear();
  EXPECT_TRUE(scene.page()["pairs"][0]["max_s"].is_null()) << "no error is known";
}

TEST(PageJson, MeshesArePackedAndTooManyPointsAreRefusedByTheirLink) {
  PageScene scene(0);
  EXPECT_FALSE(scene.page()["model"].contains("meshes"));
  io::LinkMesh shape;
  shape.link = "link_0";
  shape.mesh.points = {{-1.0F, 0.0F, 2.0F}, {1.0F, 0.0F, 2.0F}, {0.0F, 0.0F, 2.0F}};
  shape.mesh.triangles = {{0, 1, 2}};
  scene.info.meshes = {shape};
  const PageJson mesh = scene.page()["model"]["meshes"][0];
  EXPECT_EQ(mesh["link"], 1);
  EXPECT_TRUE(mesh["rgba"].is_null());
  EXPECT_EQ(mesh["points"]["offset"], PageJson({-1.0, 0.0, 2.0}));
  std::string codes;
  for (const int code : {0, 0, 0, 65534, 0, 0, 32767, 0, 0}) codes += two_bytes(code);
  EXPECT_EQ(mesh["points"]["data"], io::to_base64(codes)) << "a flat axis has one value";
  EXPECT_EQ(mesh["triangles"]["data"], io::to_base64(two_bytes(0) + two_bytes(1) + two_bytes(2)));
  scene.info.meshes[0].mesh.points.resize(65536);
  EXPECT_NO_THROW((void)scene.page());
  scene.info.meshes[0].mesh.points.resize(65537);
  EXPECT_TRUE(test::names(test::refusal_of<ConfigError>([&] { (void)scene.page(); }), "mesh of 'link_0'"));
  scene.info.meshes[0] = {};
  scene.info.meshes[0].link = "tail";
  EXPECT_THROW((void)scene.page(), ModelError) << "a link that the model does not have";
}

TEST(PageJson, NoTextEndsTheScriptAndNoFolderIsPassedOn) {
  PageScene scene(1);
  scene.info.recording = "/home/somebody/</script>.bvh";
  scene.info.settings = {{"model", "/home/somebody/arm.urdf"}};
  scene.result.notes = {"read /home/somebody/arm.urdf"};
  const std::string text =
      report_page_json(scene.model, scene.pairs, scene.info, scene.result, scene.timeline);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find("somebody"), std::string::npos) << "a page is shown to others";
  EXPECT_EQ(PageJson::parse(text)["notes"][0], "read arm.urdf");
  const std::string headset = headset_page_json("a<b\xff.bvh", "1.0");
  EXPECT_EQ(headset.find('<'), std::string::npos);
  const PageJson page = PageJson::parse(headset);
  EXPECT_EQ(page["headset"], true);
  EXPECT_EQ(page["recording"], "a<b\xEF\xBF\xBD.bvh") << "U+FFFD for what is no UTF-8";
}

}  // namespace
}  // namespace panto
