#include "panto/report/viewed_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "panto/io/write_motion.hpp"
#include "panto/report/page.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

// as the page's, which the sanitizers' tree is built without
constexpr std::string_view kPage = "<html><script id=\"panto-run\">@PANTO_RUN@</script></html>";

constexpr const char* kWalk = PANTO_EXAMPLES "/data/walk.bvh";

class AViewedFile : public ::testing::Test {
 protected:
  AViewedFile() { std::filesystem::create_directories(folder); }
  ~AViewedFile() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
    const std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // a robot's motion, which is quick to show
  [[nodiscard]] std::string motion(const std::string& name = "g1.csv") const {
    RetargetOptions options;
    options.collisions = Collisions::Off;
    static const RetargetResult walk =
        retarget(*test::bundled_walk(), test::shipped_robot("unitree_g1"), options);
    return write(name, io::motion_bytes(walk.motion, test::shipped_robot("unitree_g1").model, "g1.csv"));
  }
  [[nodiscard]] static bool has(const std::string& html, const std::string& text) {
    return html.find(text) != std::string::npos;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("panto_viewed_" + std::to_string(::getpid()));
};

TEST_F(AViewedFile, OfARecordingIsFollowedByAHumanOrTheRobotThatIsGiven) {
  const ViewedFile human = view_file(kWalk, {.version = "1.2.3", .page = kPage});
  EXPECT_TRUE(has(human.html, "\"human66\"") && has(human.html, "1.2.3"));
  ASSERT_TRUE(human.verdict);
  EXPECT_EQ(human.verdict->grade, Verdict::Grade::Good) << human.verdict->sentence;
  const ViewedFile robot = view_file(kWalk, {.robot = "g1", .page = kPage});
  EXPECT_TRUE(has(robot.html, "\"unitree_g1\""));
  EXPECT_EQ(robot.verdict->grade, Verdict::Grade::Good) << robot.verdict->sentence;
}

TEST_F(AViewedFile, OfARobotsMotionShowsThatMotion) {
  const ViewedFile viewed = view_file(motion(), {.page = kPage});
  EXPECT_TRUE(has(viewed.html, "\"unitree_g1\""));
  EXPECT_TRUE(has(viewed.html, "joint order")) << "how the file was understood";
  EXPECT_EQ(viewed.verdict->grade, Verdict::Grade::Good) << viewed.verdict->sentence;
}

TEST_F(AViewedFile, ThatIsAPageIsThatPageAndNoOther) {
  const std::string page = view_file(motion(), {.page = kPage}).html;
  const ViewedFile again = view_file(write("page.html", page), {.page = kPage});
  EXPECT_EQ(again.html, page);
  EXPECT_FALSE(again.verdict);
  const std::string other = write("other.html", "<script>alert(1)</script>");
  EXPECT_NE(test::refusal_of([&] { (void)view_file(other, {}); }).find("no report page"), std::string::npos);
}

TEST_F(AViewedFile, OfRawSensorsIsRefusedWithTheWay) {
  const std::string sensors = PANTO_EXAMPLES "/data/arm_imu.csv";
  EXPECT_NE(test::refusal_of([&] { (void)view_file(sensors, {}); }).find("--sensors MOUNTINGS.toml --report"),
            std::string::npos);
}

TEST_F(AViewedFile, AmongOthersIsListedWithItsVerdict) {
  ViewedFiles files({motion(), write("<b>&.bvh", "HIERARCHY\nROOT"),
                     write("page.html", view_file(motion(), {.page = kPage}).html)},
                    {.page = kPage});
  const std::string list = *files.page("/");
  EXPECT_TRUE(has(list, "3 files") && has(list, "<a href=\"/1\">") && has(list, "Good: within all limits"));
  EXPECT_TRUE(has(list, "&lt;b&gt;&amp;.bvh") && has(list, "Cannot be shown")) << list;
  EXPECT_FALSE(has(list, "<b>"));
  EXPECT_TRUE(has(list, "A report page written earlier."));
  EXPECT_TRUE(has(*files.page("/1"), "panto-run"));
  EXPECT_TRUE(has(*files.page("/2"), "bvh:")) << *files.page("/2");
  for (const char* path : {"/0", "/4", "/1/", "/01", "/../1", "/g1.csv", ""})
    EXPECT_FALSE(files.page(path)) << path;
}

TEST_F(AViewedFile, IsMadeOnceAndAgainWhenItChanges) {
  const std::string path = motion();
  ViewedFiles files({path}, {.page = kPage});
  const std::string first = *files.page("/");
  EXPECT_EQ(*files.page("/1"), first);
  std::ofstream(path, std::ios::binary) << "no motion";
  EXPECT_FALSE(has(*files.page("/"), "panto-run"));
  (void)motion();
  EXPECT_EQ(*files.page("/"), first);
}

}  // namespace
}  // namespace panto
