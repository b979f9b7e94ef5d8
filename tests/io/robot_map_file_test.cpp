#include "panto/io/robot_map_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/synthetic_robot.hpp"

namespace panto::io {
namespace {

robot::MapProposal some_proposal(unsigned seed) {
  test::SyntheticRobotOptions options = test::random_robot_options(seed);
  robot::MapProposal proposal = robot::propose_robot_map(Model(test::synthetic_robot(options, seed).spec));
  proposal.map.rest = {{"a \"joint\"", 0.25}, {"other", -1.0}};
  proposal.map.attachments.attachments[1].orientation_weight = 2.5;
  proposal.map.attachments.attachments[1].position_weight = 40.0;
  proposal.map.attachments.attachments[1].touch_weight = 900.0;
  proposal.map.relative = {seed % 2 == 0, seed % 3 == 0};
  proposal.map.attachments.attachments[2].orientation = false;
  proposal.map.attachments.attachments[2].position = true;
  return proposal;
}

RobotMapFile read(std::string_view text) { return read_robot_map(text, "map.toml"); }

std::string refusal_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "not refused";
}

// a text with `from` replaced by `to`
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

constexpr const char* kSmall =
    "kind = \"robot map\"\n"
    "version = 1\n"
    "model = \"arm.urdf\"\n"
    "[segments]\n"
    "RightUpperArm = \"upper\"\n"
    "RightForeArm = { link = \"fore\", position = true }\n"
    "[offsets_wxyz]\n"
    "RightUpperArm = { link = \"upper\", wxyz = [1.0, 0.0, 0.0, 0.0] }\n"
    "RightForeArm = { link = \"fore\", wxyz = [0.0, 1.0, 0.0, 0.0] }\n"
    "[rest]\n"
    "elbow = 0.5\n";

TEST(RobotMapFile, ReadsWhatItWrote) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const robot::MapProposal proposal = some_proposal(seed);
    const RobotMapFile file = read(write_robot_map(proposal, "../robots/my robot.urdf"));
    EXPECT_EQ(file.model, "../robots/my robot.urdf");
    EXPECT_EQ(file.map.robot, proposal.map.robot);
    EXPECT_EQ(file.map.rest, proposal.map.rest);
    EXPECT_EQ(file.map.relative.hands, proposal.map.relative.hands);
    EXPECT_EQ(file.map.relative.body, proposal.map.relative.body);
    const auto &a = file.map.attachments.attachments, &b = proposal.map.attachments.attachments;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].segment, b[i].segment);  // in this order: the root first
      EXPECT_EQ(a[i].link, b[i].link);
      EXPECT_EQ(a[i].orientation, b[i].orientation);
      EXPECT_EQ(a[i].position, b[i].position);
      EXPECT_EQ(a[i].orientation_weight, b[i].orientation_weight);
      EXPECT_EQ(a[i].position_weight, b[i].position_weight);
      EXPECT_EQ(a[i].touch_weight, b[i].touch_weight);
      EXPECT_LT(so3::distance(a[i].R_SF, b[i].R_SF), 3e-9);
    }
  }
}

TEST(RobotMapFile, SaysWhyAndWhatFollowsAsComments) {
  const std::string text = write_robot_map(some_proposal(1), "r.urdf");
  EXPECT_NE(text.find("# 1.00 1.00 1.00  carries both legs"), std::string::npos);
  EXPECT_NE(text.find("before the elbow of the right arm"), std::string::npos);
  EXPECT_NE(text.find("# forward direction found from:"), std::string::npos);
}

TEST(RobotMapFile, RefusesANameThatTomlCannotHold) {
  robot::MapProposal proposal = some_proposal(2);
  proposal.map.attachments.attachments[0].link =
      "h\xfc"
      "fte";
  EXPECT_THROW((void)write_robot_map(proposal, "r.urdf"), FormatError);
}

TEST(RobotMapFile, KeepsHandsTogetherUnlessItSaysOtherwise) {
  const robot::RelativeTargets silent = read(kSmall).map.relative;
  EXPECT_TRUE(silent.hands);
  EXPECT_FALSE(silent.body);
  EXPECT_FALSE(silent.firm);
  const robot::RelativeTargets said =
      read(std::string(kSmall) + "[relative]\nhands = false\nbody = true\nfirm = true\n").map.relative;
  EXPECT_FALSE(said.hands);
  EXPECT_TRUE(said.body);
  EXPECT_TRUE(said.firm);
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[relative]\nfeet = true\n"),
            "map.toml:13: no key 'feet' in `relative` (3 keys: hands, body, firm)");
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[relative]\nbody = 1\n"),
            "map.toml:13: `body` must be true or false");
}

TEST(RobotMapFile, ReadsObstaclesAndPairsOfLinksAndWritesThemAgain) {
  robot::MapProposal proposal = some_proposal(4);
  proposal.map =
      read(std::string(kSmall) +
           "[link_pairs]\napart = [[\"fore\", \"upper\"]]\ntouch = [[\"a\", \"b\"], [\"c\", \"d\"]]\n"
           "[obstacles]\n"
           "ball = { shape = \"sphere\", position = [1, 2, 3], radius = 0.5 }\n"
           "bar = { shape = \"capsule\", position = [0, 0, 1], end = [0, 2, 1], radius = 0.1 }\n"
           "table = { shape = \"box\", position = [0.6, 0, 0.4], size = [0.8, 1.2, 0.8] }\n"
           "wall = { shape = \"plane\", position = [2, 0, 0], wxyz = [0, 1, 0, 0] }\n")
          .map;
  for (const robot::Map& map : {proposal.map, read(write_robot_map(proposal, "arm.urdf")).map}) {
    ASSERT_EQ(map.pair_rules.size(), 3U);
    EXPECT_EQ(map.pair_rules[0].first, "fore");
    EXPECT_TRUE(map.pair_rules[0].apart);
    EXPECT_EQ(map.pair_rules[2].second, "d");
    EXPECT_FALSE(map.pair_rules[2].apart);
    ASSERT_EQ(map.obstacles.size(), 4U);
    const Obstacle &ball = map.obstacles[0], &bar = map.obstacles[1], &table = map.obstacles[2],
                   &wall = map.obstacles[3];
    EXPECT_EQ(ball.shape, Obstacle::Shape::Capsule);
    EXPECT_EQ(ball.end_W, Eigen::Vector3d(1, 2, 3)) << "both ends of a sphere are its middle";
    EXPECT_EQ(ball.radius, 0.5);
    EXPECT_EQ(bar.end_W, Eigen::Vector3d(0, 2, 1));
    EXPECT_EQ(table.shape, Obstacle::Shape::Box);
    EXPECT_EQ(table.half, Eigen::Vector3d(0.4, 0.6, 0.4));
    EXPECT_EQ(wall.shape, Obstacle::Shape::Plane);
    EXPECT_NEAR(wall.R_WO(2, 2), -1.0, 1e-12) << "turned over about x: the free side is below";
    EXPECT_EQ(wall.name, "wall");
  }
}

TEST(RobotMapFile, RefusesObstaclesAndPairsThatAreNone) {
  const auto obstacle = [](const std::string& values) {
    return refusal_of(std::string(kSmall) + "[obstacles]\ntable = { " + values + " }\n");
  };
  EXPECT_EQ(obstacle("shape = \"boxx\", position = [0, 0, 0]"),
            "map.toml:13: no shape 'boxx' in obstacle 'table'; did you mean 'box'? (4 shapes: plane, "
            "sphere, capsule, box)");
  EXPECT_EQ(obstacle("shape = \"box\", position = [0, 0, 0], size = [1, 0, 1]"),
            "map.toml:13: `size` must be three lengths > 0");
  EXPECT_EQ(obstacle("shape = \"sphere\", position = [0, 0, 0], radius = -1"),
            "map.toml:13: `radius` must be a number from 0 to 10000");
  EXPECT_EQ(obstacle("shape = \"sphere\", position = [0, 0, 0], radius = 1, size = 2"),
            "map.toml:13: no key 'size' in obstacle 'table' (3 keys: shape, position, radius)");
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[link_pairs]\napart = [[\"fore\"]]\n"),
            "map.toml:13: a pair must be the names of two links in [ ]");
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[link_pairs]\nnear = []\n").substr(0, 39),
            "map.toml:13: no key 'near' in `link_pai");
}

TEST(RobotMapFile, FindsTheModelFromItsOwnFolder) {
  RobotMapFile file;
  file.model = "../robots/r.urdf";
  EXPECT_EQ(model_of_map(file, "maps/m.toml"), "maps/../robots/r.urdf");
  file.model = "/robots/r.urdf";
  EXPECT_EQ(model_of_map(file, "maps/m.toml"), "/robots/r.urdf");
  file.model = "icub";
  EXPECT_EQ(model_of_map(file, "maps/m.toml"), "icub");
}

TEST(RobotMapFile, IsToldFromOtherFiles) {
  EXPECT_TRUE(is_robot_map(kSmall));
  EXPECT_TRUE(is_robot_map("# kind = \"rig\"\n\n  kind = 'robot map'\r\n"));
  EXPECT_FALSE(is_robot_map("version = 1\nfamily = \"robot map\"\n"));
  EXPECT_FALSE(is_robot_map(""));
}

TEST(RobotMapFile, RefusesEachMistakeWithItsLine) {
  EXPECT_EQ(refusal_of("version = 1\n"), "map.toml:1: no `kind = \"robot map\"`: is this a robot map?");
  EXPECT_EQ(refusal_of(with(kSmall, "version = 1", "version = 2")), "map.toml:2: `version` must be 1");
  EXPECT_EQ(refusal_of(with(kSmall, "\"arm.urdf\"", "\"\"")),
            "map.toml:3: `model` must be a URDF, an MJCF or a shipped robot's name");
  EXPECT_EQ(refusal_of(with(kSmall, "RightUpperArm =", "RightUperArm =")).substr(0, 70),
            "map.toml:5: no segment 'RightUperArm' in the human; did you mean 'Righ");
  EXPECT_EQ(refusal_of(with(kSmall, "\"upper\"\n", "3\n")),
            "map.toml:5: `RightUpperArm` must be a text in quotes");
  EXPECT_EQ(refusal_of(with(kSmall, "position = true", "position = 1")),
            "map.toml:6: `position` must be true or false");
  EXPECT_EQ(refusal_of(with(kSmall, "position = true", "place = true")),
            "map.toml:6: no key 'place' in `RightForeArm` (6 keys: link, orientation, position, "
            "orientation_weight, position_weight, touch_weight)");
  EXPECT_EQ(refusal_of(with(kSmall, "position = true", "position_weight = 0.0")),
            "map.toml:6: `position_weight` must be larger than 0");
  EXPECT_EQ(refusal_of(with(kSmall, "[0.0, 1.0, 0.0, 0.0]", "[0.0, 0.9, 0.0, 0.0]")),
            "map.toml:9: `wxyz` must be a unit quaternion, [w, x, y, z]; its norm is 0.9");
  EXPECT_EQ(refusal_of(with(kSmall, "elbow = 0.5", "elbow = \"bent\"")),
            "map.toml:11: `elbow` must be a number from -1000 to 1000");
  EXPECT_EQ(refusal_of(with(kSmall, "[rest]\nelbow = 0.5", "RightHand = 1")),
            "map.toml:10: `RightHand` must be a table");
}

// an offset is of one link: with another it would turn a limb the wrong way unseen
TEST(RobotMapFile, RefusesAnOffsetThatIsForAnotherLink) {
  EXPECT_EQ(
      refusal_of(with(kSmall, "link = \"fore\", position", "link = \"hand\", position")),
      "map.toml:9: the offset of RightForeArm is for link 'fore', but `segments` names 'hand': give the "
      "offset of that link, or run `panto map` again");
  EXPECT_EQ(refusal_of(with(kSmall, "RightForeArm = { link = \"fore\", position = true }\n", "")),
            "map.toml:8: `RightForeArm` has an offset but no line in `segments`");
  EXPECT_EQ(
      refusal_of(with(kSmall, "RightUpperArm = { link = \"upper\", wxyz = [1.0, 0.0, 0.0, 0.0] }\n", "")),
      "map.toml:7: `offsets_wxyz` has no line for RightUpperArm");
}

TEST(RobotMapFile, NamesTheLineOfEveryDamage) {
  const std::string text = write_robot_map(some_proposal(3), "r.urdf");
  const auto parse = [](std::string_view damaged) {
    try {
      const RobotMapFile file = read_robot_map(damaged, "damaged.toml");
      for (const Attachment& a : file.map.attachments.attachments) ASSERT_TRUE(so3::is_rotation(a.R_SF));
    } catch (const FormatError& error) {
      ASSERT_EQ(std::string(error.what()).rfind("damaged.toml:", 0), 0U) << error.what();
      throw;
    }
  };
  const auto cut = test::try_truncations(text, text.size(), parse);
  EXPECT_GT(cut.refused, 100);
  const auto bitten = test::try_corruptions(text, 20261122, parse);
  EXPECT_GT(bitten.refused, 100);
}

}  // namespace
}  // namespace panto::io
