#include "panto/io/rig_file.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/bvh_character.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/open_model.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/refusals.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;

Matrix3d turned(unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> part(-3.0, 3.0);
  return so3::exp({part(random), part(random), part(random)});
}

std::vector<std::string> some_joints() {
  std::vector<std::string> joints;
  for (int i = 0; i < 20; ++i) joints.push_back("j" + std::to_string(i));
  joints[3] = "a \"quoted\" \\ na\tme";
  joints[4] =
      "H\xc3\xbc"
      "fte";
  return joints;
}

// two thirds of a human on joints j0 .. j19, one spread spine segment
rig::Rig some_rig() {
  rig::Rig rig;
  rig.map.family = "mixamo";
  rig.map.unit = 0.0254;
  rig.map.R_WF << 0, 0, 1, 1, 0, 0, 0, 1, 0;  // y up
  for (int i = 0; i < 15; ++i) {
    rig::MapEntry& entry = rig.map.segments[at(i)];
    entry = {i, -1, 0.0, 0.5 + 0.03 * i, "named so;\nlong bone"};
    rig::Offset& offset = rig.offsets[at(i)];
    offset.R_JS = turned(static_cast<unsigned>(i));
    offset.valid = true;
    offset.confidence = 0.9;
    offset.reason = "bone";
  }
  rig.map.segments[L3] = {2, 3, 0.3, 0.8, "spread"};
  rig.offsets[L3].R_NS = turned(99);
  rig.offsets[L3].p_JS = {0.01, -0.2, 0.0};
  rig.offsets[T8].valid = false;
  rig.map.unmapped = {15, 16};
  rig.map.decisions.push_back({"up axis", "y", "the head is above the hips", 0.99});
  return rig;
}

RecordingHints read(std::string_view text) {
  std::vector<std::string> notes;
  return read_rig_map(text, "map.toml", notes);
}

std::string refusal(std::string_view text) {
  try {
    (void)read(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RigFile, ReadsBackWhatItWrote) {
  const rig::Rig rig = some_rig();
  const std::vector<std::string> joints = some_joints();
  std::vector<std::string> notes;
  const RecordingHints options =
      read_rig_map(write_rig_map(rig, some_joints(), "take.bvh"), "map.toml", notes);
  EXPECT_TRUE(notes.empty()) << notes.front();
  EXPECT_EQ(options.rig.unit, 0.0254);
  EXPECT_EQ(options.rig.up, "y");
  EXPECT_TRUE(options.rig.complete);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const rig::MapEntry& entry = rig.map.segments[at(i)];
    EXPECT_EQ(options.rig.joint[at(i)], entry.joint < 0 ? "" : joints[at(entry.joint)]);
    EXPECT_EQ(options.rig.next[at(i)], entry.next < 0 ? "" : joints[at(entry.next)]);
    EXPECT_EQ(options.rig.share[at(i)], entry.share);
    ASSERT_EQ(options.offsets[at(i)].valid, rig.offsets[at(i)].valid) << i;
    if (!rig.offsets[at(i)].valid) continue;
    // nine decimals of a unit quaternion
    EXPECT_LT(so3::distance(options.offsets[at(i)].R_JS, rig.offsets[at(i)].R_JS), 3e-9);
    EXPECT_LT(so3::distance(options.offsets[at(i)].R_NS, rig.offsets[at(i)].R_NS), 3e-9);
    EXPECT_TRUE(options.offsets[at(i)].p_JS.isApprox(rig.offsets[at(i)].p_JS, 1e-9));
  }
}

TEST(RigFile, WritesEveryUpAxisAsItsName) {
  for (const auto& [axis, name] : std::vector<std::pair<Eigen::Vector3d, std::string>>{{{1, 0, 0}, "x"},
                                                                                       {{0, 1, 0}, "y"},
                                                                                       {{0, 0, 1}, "z"},
                                                                                       {{-1, 0, 0}, "-x"},
                                                                                       {{0, -1, 0}, "-y"},
                                                                                       {{0, 0, -1}, "-z"}}) {
    rig::Rig rig = some_rig();
    rig.map.R_WF = Eigen::Quaterniond::FromTwoVectors(axis, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    EXPECT_EQ(read(write_rig_map(rig, some_joints(), "a.bvh")).rig.up, name);
  }
}

TEST(RigFile, WritesOneLinePerSegmentWithItsReason) {
  const std::string text = write_rig_map(some_rig(), some_joints(), "take\n.bvh");
  EXPECT_NE(text.find("\nunit_m = 0.0254\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nPelvis        = \"j0\"                  # 0.50  named so;?long bone\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("share = 0.3 }"), std::string::npos);
  EXPECT_NE(text.find("# LeftToe: not measured"), std::string::npos);
  EXPECT_NE(text.find("# joints without a segment: j15 j16\n"), std::string::npos);
  EXPECT_NE(text.find("# up axis: y (0.99), the head is above the hips\n"), std::string::npos);
}

TEST(RigFile, NamesThePersonWhoseJointsTheseAre) {
  rig::Rig rig = some_rig();
  EXPECT_EQ(read(write_rig_map(rig, some_joints(), "a.bvh")).rig.person, "") << "one person needs no name";
  rig.map.decisions.push_back({"person", "B \"Hips\"", "2 people in the file: A B", 0.4});
  EXPECT_EQ(read(write_rig_map(rig, some_joints(), "a.bvh")).rig.person, "B \"Hips\"");
  rig.map.decisions.back().answer = "H\xfc";  // Latin-1, which TOML cannot hold
  EXPECT_EQ(read(write_rig_map(rig, some_joints(), "a.bvh")).rig.person, "");
}

// the map of the bundled walk, edited by hand and given for the same skeleton as a character or a recording
class EditedMap : public testing::Test {
 protected:
  EditedMap() {
    const auto walk = open_bvh(read_bvh_file(kWalk));
    text_ = write_rig_map(walk->info().rig.value(), walk->info().rig_joints, "walk.bvh");
  }
  ~EditedMap() override { std::filesystem::remove(path_); }

  void edit(const std::string& from, const std::string& to) {
    const std::size_t place = text_.find(from);
    ASSERT_NE(place, std::string::npos) << text_;
    text_.replace(place, from.size(), to);
  }
  void save() const { std::ofstream(path_, std::ios::binary) << text_; }
  std::string refused_character() const {
    save();
    return test::refusal_of<ModelError>([&] { (void)open_character(kWalk, {}, path_); });
  }
  std::string refused_recording() const {
    save();
    std::vector<std::string> notes;
    return test::refusal_of<ModelError>(
        [&] { (void)open_mapped_recording(kWalk, read_mapped_hints(path_, 0.0), notes); });
  }

  static constexpr const char* kWalk = PANTO_EXAMPLES "/data/walk.bvh";
  const std::string path_ = testing::TempDir() + "edited_map.toml";
  std::string text_;
};

TEST_F(EditedMap, IsTakenAsItWasWritten) {
  EXPECT_EQ(refused_character(), "");
  EXPECT_EQ(refused_recording(), "");
}

TEST_F(EditedMap, IsNamedWhereAForearmHangsOnTheHead) {
  edit("\nLeftForeArm   = \"LeftElbow\"", "\nLeftForeArm   = \"Head\"");
  for (const std::string& text : {refused_character(), refused_recording()}) {
    EXPECT_EQ(text.rfind(path_, 0), 0U) << text;
    EXPECT_TRUE(test::names(text, "LeftForeArm is joint 'Head'", "'LeftShoulder' (LeftUpperArm)")) << text;
  }
}

// a person may walk on the hands; a character at rest stands on its feet
TEST_F(EditedMap, IsNamedWhereUpPutsTheHeadOfACharacterBelowItsPelvis) {
  edit("\nup = \"y\"", "\nup = \"-y\"");
  const std::string text = refused_character();
  EXPECT_EQ(text.rfind(path_, 0), 0U) << text;
  EXPECT_TRUE(test::names(text, "up is '-y' in the map, but then the head is below the pelvis")) << text;
  EXPECT_EQ(refused_recording(), "");
}

// half a map, as an interrupted copy leaves it: the character is not to blame
TEST_F(EditedMap, IsNamedWhereItNamesNoPelvis) {
  text_.resize(text_.find("\nPelvis "));
  const std::string text = refused_character();
  EXPECT_EQ(text.rfind(path_ + ": the map names no joint for Pelvis", 0), 0U) << text;
}

TEST(RigFile, LeavesOutFramesWhoseJointWasEditedAndSaysSo) {
  std::string text = write_rig_map(some_rig(), some_joints(), "take.bvh");
  const std::size_t line = text.find("Head          = \"j6\"");
  ASSERT_NE(line, std::string::npos);
  text.replace(text.find("\"j6\"", line), 4, "\"j15\"");
  std::vector<std::string> notes;
  const RecordingHints options = read_rig_map(text, "map.toml", notes);
  EXPECT_EQ(options.rig.joint[Head], "j15");
  EXPECT_FALSE(options.offsets[Head].valid);
  EXPECT_TRUE(options.offsets[Neck].valid);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("the frame of Head was found on joint 'j6', but the map now names 'j15'"),
            std::string::npos)
      << notes[0];
  EXPECT_EQ(notes[0].rfind("map.toml:", 0), 0U);
}

TEST(RigFile, LeavesOutAllFramesWhenUpWasEdited) {
  std::string text = write_rig_map(some_rig(), some_joints(), "take.bvh");
  text.replace(text.find("up = \"y\""), 8, "up = \"z\"");
  std::vector<std::string> notes;
  const RecordingHints options = read_rig_map(text, "map.toml", notes);
  EXPECT_EQ(options.rig.up, "z");
  for (const rig::Offset& offset : options.offsets) EXPECT_FALSE(offset.valid);
  EXPECT_EQ(notes.size(), 14U);
}

TEST(RigFile, TakesAFewLinesWrittenByHand) {
  const RecordingHints options = read("version = 1\n[segments]\nRightUpperLeg = \"thigh.R\"\n");
  EXPECT_EQ(options.rig.joint[RightUpperLeg], "thigh.R");
  EXPECT_FALSE(options.rig.complete);
  EXPECT_EQ(options.rig.unit, 0.0);
  EXPECT_EQ(options.rig.up, "");
}

TEST(RigFile, RefusesWithLineKeyAndWhatWouldBeRight) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"", {"map.toml:1:", "version = 1"}},
      {"version = 2", {"map.toml:1:", "must be 1"}},
      {"version = true", {"map.toml:1:", "must be 1"}},
      {"version = 6.6e33", {"map.toml:1:", "must be 1"}},  // no whole number is as large
      {"version = nan", {"map.toml:1:", "must be 1"}},
      {"version = \"1\"", {"map.toml:1:", "must be 1"}},
      {"version = 1\nunits = 0.01", {"map.toml:2:", "no key 'units'", "did you mean 'unit_m'"}},
      {"version = 1\nunit_m = 0", {"map.toml:2:", "unit_m"}},
      {"version = 1\nunit_m = nan", {"map.toml:2:", "unit_m"}},
      {"version = 1\nunit_m = \"cm\"", {"map.toml:2:", "unit_m"}},
      {"version = 1\nup = \"Y\"", {"map.toml:2:", "'Y'", "-z"}},
      {"version = 1\ncomplete = 1", {"map.toml:2:", "true or false"}},
      {"version = 1\nsegments = 3", {"map.toml:2:", "table"}},
      {"version = 1\n[segments]\nRightUperLeg = \"a\"", {"map.toml:3:", "did you mean 'RightUpperLeg'"}},
      {"version = 1\n[segments]\nHead = 3", {"map.toml:3:", "`Head`", "quotes"}},
      {"version = 1\n[segments]\nHead = \"\"", {"map.toml:3:", "must name a joint"}},
      {"version = 1\n[segments]\nL3 = { from = \"a\", share = 0.5 }", {"map.toml:3:", "`L3` has no `to`"}},
      {"version = 1\n[segments]\nL3 = { from = \"a\", to = \"b\", share = 2 }", {"map.toml:3:", "0 to 1"}},
      {"version = 1\n[segments]\nL3 = { from = \"a\", to = \"b\", shar = 1 }", {"map.toml:3:", "'shar'"}},
      {"version = 1\n[segments]\nHead = \"a\"\n[offsets_wxyz]\nHead = { joint = \"a\", wxyz = [1, 0, 0] }",
       {"map.toml:5:", "`wxyz` must be 4 numbers"}},
      {"version = 1\n[segments]\nHead = \"a\"\n[offsets_wxyz]\nHead = { joint = \"a\", wxyz = [1, 1, 0, 0] }",
       {"map.toml:5:", "norm is 1.414"}},
      {"version = 1\n\n[segments\n", {"map.toml:3:", "not TOML"}},
      {"version = 1\nversion = 1", {"map.toml:2:", "not TOML"}},
  };
  for (const auto& [text, words] : cases) {
    const std::string message = refusal(text);
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << text << "\n" << message;
  }
}

TEST(RigFile, NotesAJointThatTwoSegmentsFollow) {
  std::vector<std::string> notes;
  (void)read_rig_map(
      "version = 1\n[segments]\nRightUpperLeg = \"LeftUpLeg\"\nLeftUpperLeg = \"LeftUpLeg\"\n"
      "L5 = { from = \"a\", to = \"b\", share = 0.3 }\nL3 = { from = \"a\", to = \"b\", share = 0.6 }\n",
      "map.toml", notes);
  ASSERT_EQ(notes.size(), 1U) << "segments that share a joint by parts are meant so";
  EXPECT_NE(notes[0].find("RightUpperLeg and LeftUpperLeg both follow joint 'LeftUpLeg'"), std::string::npos)
      << notes[0];
}

TEST(RigFile, SaysNothingOfItsLibrary) {
  const std::string deep = refusal("version = 1\nx = " + std::string(1000, '['));
  EXPECT_NE(deep.find("map.toml:2:"), std::string::npos) << deep;
  EXPECT_EQ(deep.find("TOML_"), std::string::npos) << deep;
  std::string key = "version = 1\n";
  for (int i = 0; i < 200000; ++i) key += "a.";
  EXPECT_EQ(refusal(key + "a = 1"), "map.toml:2: a key has more than 32 parts");
}

TEST(RigFile, DoesNotWriteANameThatTomlCannotHold) {
  const rig::Rig rig = some_rig();
  std::vector<std::string> joints = some_joints();
  joints[4] =
      "H\xfc"
      "fte";  // Latin-1
  EXPECT_THROW((void)write_rig_map(rig, joints, "a.bvh"), FormatError);
  std::swap(joints[4], joints[15]);  // only in a comment
  EXPECT_NE(write_rig_map(rig, joints, "a.bvh").find("without a segment: H?fte"), std::string::npos);
  EXPECT_THROW((void)write_rig_map(rig, {}, "a.bvh"), ConfigError);
}

TEST(RigFile, SurvivesEveryTruncationAndManyCorruptions) {
  const std::string text = write_rig_map(some_rig(), some_joints(), "take.bvh");
  const auto parse = [](std::string_view damaged) { (void)read(damaged); };
  test::CorruptionCount count = test::try_truncations(text, text.size(), parse);
  count += test::try_corruptions(text, 7, parse);
  EXPECT_EQ(count.broken, 0);
  EXPECT_GT(count.refused, 500);
  EXPECT_GT(count.recovered, 50);
}

}  // namespace
}  // namespace panto::io
