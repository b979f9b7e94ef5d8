// Hostile and damaged MJCFs: an error or a model, in bounded time.

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "panto/base/error.hpp"
#include "panto/io/mjcf.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

// every part that the reader knows
constexpr const char* kRobot = R"(<?xml version="1.0"?>
<mujoco model="bot">
  <compiler angle="radian" eulerseq="xyz" meshdir="meshes"/>
  <default>
    <joint range="-1 1" armature="0.1"/>
    <default class="leg"><joint axis="0 1 0"/><geom type="capsule" size="0.05 0.2"/><motor ctrlrange="-5 5"/></default>
  </default>
  <asset><mesh name="m" file="m.stl" scale="1 1 1"/><material name="grey" rgba="0.5 0.5 0.5 1"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1" quat="1 0 0 0.1">
      <freejoint name="free"/>
      <inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/>
      <geom type="mesh" mesh="m" material="grey" contype="0" conaffinity="0"/>
      <body name="hip" pos="0 0.1 0" childclass="leg" euler="0 0.1 0">
        <joint name="h1" axis="1 0 0" pos="0 0 0.1"/><joint name="h2" ref="0.1"/>
        <geom/><frame pos="0 0 0.1" axisangle="0 0 1 0.2"><geom type="box" size="0.1 0.1 0.1"/></frame>
        <body name="foot" pos="0 0 -0.3" zaxis="0 0.1 1">
          <joint name="b" type="ball" range="0 1"/>
          <geom fromto="0 0 0 0 0 0.3" size="0.04"/><geom type="sphere" size="0.03" group="3"/>
        </body>
      </body>
    </body>
    <body name="table"><geom type="cylinder" size="0.3 0.4"/></body>
  </worldbody>
  <equality><joint joint1="h2" joint2="h1" polycoef="0 0.5 0 0 0"/></equality>
  <tendon><fixed name="t" range="-1 1"><joint joint="h1" coef="1"/><joint joint="h2" coef="-1"/></fixed></tendon>
  <actuator><motor joint="h1" class="leg"/><velocity joint="h2" ctrlrange="-3 3"/></actuator>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.05 1 0 0 0"/></keyframe>
</mujoco>
)";

std::vector<std::pair<std::string, std::string>> files() {
  std::vector<std::pair<std::string, std::string>> found{{"bot.xml", kRobot}};
  const auto g1 = test::data_root() / "models" / "unitree" / "g1_29dof_rev_1_0.xml";
  std::ifstream file(g1, std::ios::binary);
  if (file) found.emplace_back("g1.xml", std::string{std::istreambuf_iterator<char>(file), {}});
  return found;
}

// what the reader made of `text`: "" for a model, else its message. Anything but a FormatError fails the test
std::string outcome(std::string_view text, const std::string& name) {
  try {
    const MjcfRobot robot = read_mjcf_robot(text, name);
    EXPECT_LE(robot.model.links().size(), 4 * kMjcfMaxBodies);
    for (const LinkShape& shape : robot.shapes.shapes) {
      EXPECT_TRUE(shape.size.allFinite() && shape.R_LG.allFinite() && shape.p_LG.allFinite());
      EXPECT_TRUE(robot.model.find_link(shape.link));
    }
    return "";
  } catch (const FormatError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.substr(0, name.size() + 1), name + ":") << "the message begins with the place";
    EXPECT_LT(what.size(), 2000U);
    return what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << name << ": " << error.what();
    return error.what();
  }
}

const double kSlowdown = test::sanitized() ? 10.0 : 1.0;

// processor time, so that a busy machine does not fail the test
void expect_quick(const std::string& text, const std::string& part) {
  const std::clock_t start = std::clock();
  const std::string what = outcome(text, "hostile");
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0 * kSlowdown)
      << what.substr(0, 200);
  if (part.empty()) {
    EXPECT_EQ(what, "");
  } else {
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string in_world(const std::string& bodies, const std::string& before = "") {
  std::string text = "<mujoco>";
  ((text += before) += "<worldbody>") += bodies;
  return text += "</worldbody></mujoco>";
}

TEST(MjcfRobustness, EveryTruncationIsAnErrorOrAModel) {
  for (const auto& [name, text] : files()) {
    EXPECT_EQ(outcome(text, name), "");
    const std::size_t whole = text.rfind("</mujoco>") + 9;
    test::try_truncations(text, 3000, [&, &file = name](std::string_view part) {
      const std::string what = outcome(part, file);
      EXPECT_TRUE(part.size() >= whole || !what.empty()) << file << " cut at " << part.size();
    });
  }
}

TEST(MjcfRobustness, EveryCorruptionIsAnErrorOrAModel) {
  test::CorruptionCount count;
  for (const auto& [name, text] : files()) {
    count += test::try_corruptions(text, 7, [&file = name](std::string_view damaged) {
      const std::string what = outcome(damaged, file);
      if (!what.empty()) throw FormatError(what);
    });
  }
  EXPECT_GT(count.recovered, 0);
  EXPECT_GT(count.refused, 500) << "most damage breaks the XML";
  EXPECT_EQ(count.broken, 0);
}

// damage that keeps the XML whole reaches the checks after the parser
TEST(MjcfRobustness, EveryDamagedValueIsAnErrorOrAModel) {
  const std::vector<std::string> values{
      "",          "nan",     "1e308",       "-1e308", "0 0 0",
      "1 1e308 1", "-",       "0",           "1e-320", "1e9",
      "leg",       "main",    "base",        "world",  "free",
      "ball",      "mesh",    "box",         "true",   "h1",
      "&lol;",     "0 0 0 0", "1 2 3 4 5 6", "-1",     std::string(100000, '9'),
      "\xFF\xFE"};
  int models = 0;
  for (const auto& [name, text] : files()) {
    std::mt19937_64 random(11);
    models += test::try_values(
        text, values, random, test::scaled(1000),
        [&, &file = name](const std::string& damaged) { return outcome(damaged, file).empty(); });
  }
  EXPECT_GT(models, 50) << "many values (colours, meshes) do not matter";
}

TEST(MjcfRobustness, TooManyOrTooDeepBodiesAreRefusedAndTheMostAllowedAreReadWithinASecond) {
  expect_quick(in_world("<body>" + repeated("<body><joint/></body>", 20'000) + "</body>"),
               "more than 10000 bodies");
  expect_quick(in_world("<body>" + repeated("<joint/>", 20'000) + "</body>"), "more than 10000 joints");
  expect_quick(in_world("<body><freejoint/>" + repeated("<body><joint/></body>", 9'990) + "</body>"), "");
  expect_quick(in_world("<body><freejoint/>" + repeated("<body><joint pos='1 0 0'/>", 200) +
                        repeated("</body>", 200) + "</body>"),
               "");
  expect_quick(in_world(repeated("<body>", 300) + repeated("</body>", 300)), "nest deeper than 256");
  expect_quick(in_world(repeated("<body>", 300'000)), "not well-formed XML");
  expect_quick(repeated("<mujoco>", 1'000'000), "tags exceed the limit");
}

TEST(MjcfRobustness, ClassesDoNotMultiplyTheCostOfReading) {
  std::string classes = "<default><geom";
  for (int i = 0; i < 150; ++i) (((classes += " a") += std::to_string(i)) += "='1'");
  classes += "/>";
  for (int i = 0; i < 100'000; ++i) ((classes += "<default class='c") += std::to_string(i)) += "'/>";
  classes += "</default>";
  expect_quick(in_world("<body/>", classes), "too many classes");
  std::string wide = "<default><geom";
  for (int i = 0; i < 1000; ++i) ((wide += " a") += std::to_string(i)) += "='1'";
  wide += "/></default>";
  expect_quick(in_world("<body/>", wide), "more than 200 attributes");
}

TEST(MjcfRobustness, OtherEncodingsBinaryAndHostileNamesAreRefusedBriefly) {
  const std::string utf16{"\xFF\xFE<\0m\0u\0/\0>\0", 12};
  EXPECT_NE(outcome(utf16, "utf16").find("is zero; an MJCF is UTF-8 text"), std::string::npos);
  test::Random random(5);
  for (int round = 0; round < 200; ++round) {
    std::string noise(1 + random() % 4096, ' ');
    for (char& c : noise) c = static_cast<char>(random());
    EXPECT_NE(outcome(noise, "noise"), "");
  }
  const std::string name(1'000'000, 'n');
  expect_quick(in_world("<body name='" + name + "'/><body name='" + name + "'/>"),
               "a body of this name is already");
  expect_quick("<" + name + "/>", "the outermost element");
  expect_quick(in_world("<body quat='" + name + "'/>"), "is not a number");
}

TEST(MjcfRobustness, IncludesAreBoundedInDepthNumberAndBytes) {
  const auto refusal = [](const OpenInclude& open) -> std::string {
    try {
      (void)read_mjcf_robot("<mujoco><include file='0.xml'/></mujoco>", "m.xml", open);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  };
  const auto nested = [](const std::string& name) {
    std::string text = "<x><include file='";
    ((text += std::to_string(std::stoi(name) + 1)) += ".xml'/></x>");
    return std::optional(text);
  };
  EXPECT_NE(refusal(nested).find("includes nest deeper than 16"), std::string::npos);
  int opened = 0;
  const auto many = [&](const std::string&) {
    if (opened++ > 0) return std::optional(std::string("<x/>"));
    std::string text = "<x>";
    for (int i = 1; i < 200; ++i) ((text += "<include file='") += std::to_string(i)) += "'/>";
    return std::optional(text += "</x>");
  };
  EXPECT_NE(refusal(many).find("more than 100 included files"), std::string::npos);
  int large = 0;
  const auto huge = [&](const std::string&) {
    std::string text = "<x><include file='";
    ((text += std::to_string(++large)) += ".xml'/>");
    text.resize(kMjcfMaxBytes / 3, ' ');
    return std::optional(text += "</x>");
  };
  EXPECT_NE(refusal(huge).find("the model's files together exceed"), std::string::npos);
}

}  // namespace
}  // namespace panto::io
