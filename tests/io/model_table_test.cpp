#include "panto/io/model_table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/random_model.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// lines 1 to 18; every kind of entry once
const std::string kSmall = R"(version = 1
name = "small"
source = "nowhere"
base = "fixed"
links = [
  { name = "a" },
  { name = "b", mass = 2, com = [0.1, 0, 0], inertia = [0.01, 1e-3, 2e-3, 0.02, 3e-3, 0.025] },
  { name = "c", mass = 1.5 },
  { name = "tip" },
]
joints = [
  { name = "hinge", type = "revolute", parent = "a", child = "b", xyz = [0, 0, 1], rpy = [0.1, 0.2, 0.3], axis = [0, -2, 0], lower = -1, upper = 2, velocity = 3, effort = 4 },
  { name = "slide", type = "prismatic", parent = "b", child = "c", axis = [0, 0, 1] },
  { name = "end", type = "fixed", parent = "c", child = "tip", xyz = [0, 0, 0.5] },
]
rows = [ { name = "both", terms = [[1, "hinge"], [-2.5, "slide"]], lower = -3 } ]
mimics = [ { joint = "slide", source = "hinge", multiplier = 0.5, offset = 0.1 } ]
rest = { hinge = 0.25 }
)";

Model read(std::string_view text) { return read_model_table(text, "t.toml"); }

std::string refusal(std::string_view text) {
  try {
    (void)read(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

// kSmall with its first `from` replaced
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

#define EXPECT_REFUSAL(text, start, part)                             \
  {                                                                   \
    const std::string what = refusal(text);                           \
    EXPECT_EQ(what.substr(0, std::string_view(start).size()), start); \
    EXPECT_NE(what.find(part), std::string::npos) << what;            \
  }

TEST(ModelTable, ReadsEveryKindOfEntry) {
  const Model model = read(kSmall);
  EXPECT_EQ(model.name(), "small");
  EXPECT_FALSE(model.floating_base());
  ASSERT_EQ(model.link_count(), 4);
  const Link& b = model.links()[1];
  EXPECT_EQ(b.mass, 2.0);
  EXPECT_EQ(b.com, Vector3d(0.1, 0.0, 0.0));
  Matrix3d inertia;
  inertia << 0.01, 1e-3, 2e-3, 1e-3, 0.02, 3e-3, 2e-3, 3e-3, 0.025;
  EXPECT_EQ(b.inertia, inertia);
  EXPECT_EQ(model.links()[2].com, Vector3d::Zero().eval());

  ASSERT_EQ(model.joint_names(), (std::vector<std::string>{"hinge", "slide"})) << "in the file's order";
  const Joint& hinge = model.joint(0);
  EXPECT_EQ(hinge.p_PJ, Vector3d::UnitZ().eval());
  const Matrix3d R = so3::about_axis(2, 0.3) * so3::about_axis(1, 0.2) * so3::about_axis(0, 0.1);
  EXPECT_LT((hinge.R_PJ - R).norm(), 1e-15) << "rpy as in URDF";
  EXPECT_EQ(hinge.axis, (-Vector3d::UnitY()).eval()) << "axes are normalised";
  EXPECT_EQ(hinge.lower, -1.0);
  EXPECT_EQ(hinge.upper, 2.0);
  EXPECT_EQ(hinge.velocity, 3.0);
  EXPECT_EQ(hinge.effort, 4.0);
  const Joint& slide = model.joint(1);
  EXPECT_EQ(slide.type, JointType::Prismatic);
  EXPECT_EQ(slide.lower, -kInfinity) << "what is not there is no limit";
  EXPECT_EQ(slide.velocity, kInfinity);
  EXPECT_EQ(model.all_joints()[2].type, JointType::Fixed);

  ASSERT_EQ(model.spec().rows.size(), 1u);
  const CoupledRow& row = model.spec().rows[0];
  EXPECT_EQ(row.name, "both");
  ASSERT_EQ(row.terms.size(), 2u);
  EXPECT_EQ(row.terms[1].joint, "slide");
  EXPECT_EQ(row.terms[1].coefficient, -2.5);
  EXPECT_EQ(row.lower, -3.0);
  EXPECT_EQ(row.upper, kInfinity);
  ASSERT_EQ(model.spec().mimics.size(), 1u);
  EXPECT_EQ(model.spec().mimics[0].multiplier, 0.5);
  EXPECT_EQ(model.spec().mimics[0].offset, 0.1);
  EXPECT_EQ(model.rest()[0], 0.25);
  EXPECT_EQ(model.rest()[1], 0.0);
}

TEST(ModelTable, JointsWithoutARestAreAtZeroOrAtTheNearestLimit) {
  const Model model = read(changed("axis = [0, 0, 1] }", "axis = [0, 0, 1], lower = 0.5, upper = 2 }"));
  EXPECT_EQ(model.rest()[0], 0.25);
  EXPECT_EQ(model.rest()[1], 0.5);
}

TEST(ModelTable, RefusesWithTheLineAndWhatWouldBeRight) {
  EXPECT_REFUSAL("", "t.toml:1: ", "no `version = 1`: is this a model table?");
  EXPECT_REFUSAL(changed("version = 1", "version = 2"), "t.toml:1: ", "`version` must be 1");
  EXPECT_REFUSAL(changed("base = \"fixed\"", "base = \"fixe\""), "t.toml:4: ", "did you mean 'fixed'?");
  EXPECT_REFUSAL(changed("base = ", "bases = "), "t.toml:4: ", "no key 'bases' in a model table");
  EXPECT_REFUSAL(changed("  { name = \"tip\" },", "  { name = \"b\" },"),
                 "t.toml:9: ", "link 'b' is defined twice");
  EXPECT_REFUSAL(changed("mass = 1.5", "mass = -1.5"), "t.toml:8: ", "`mass` must be a number from 0 to");
  EXPECT_REFUSAL(changed("mass = 1.5", "mas = 1.5"), "t.toml:8: ", "did you mean 'mass'?");
  EXPECT_REFUSAL(changed("com = [0.1, 0, 0]", "com = [0.1, 0]"),
                 "t.toml:7: ", "`com` must be 3 numbers in [ ]");
  EXPECT_REFUSAL(changed("0.02, 3e-3, 0.025]", "0.02]"), "t.toml:7: ", "`inertia` must be 6 numbers in [ ]");
  EXPECT_REFUSAL(changed("com = [0.1, 0, 0]", "com = [0.1, nan, 0]"), "t.toml:7: ", "`com` must be a number");
  EXPECT_REFUSAL(changed("\"revolute\"", "\"hinge\""),
                 "t.toml:12: ", "no type 'hinge' in joints (3 types: revolute, prismatic, fixed)");
  EXPECT_REFUSAL(changed("parent = \"a\"", "parent = \"bb\""), "t.toml:12: ", "no link 'bb' in `links`");
  EXPECT_REFUSAL(changed("parent = \"a\"", "parent = \"b\""),
                 "t.toml:12: ", "parent and child are the same link");
  EXPECT_REFUSAL(changed("parent = \"b\", child = \"c\"", "parent = \"a\", child = \"b\""),
                 "t.toml:13: ", "link 'b' is already the child of joint 'hinge'");
  EXPECT_REFUSAL(changed("name = \"slide\"", "name = \"hinge\""),
                 "t.toml:13: ", "joint 'hinge' is defined twice");
  EXPECT_REFUSAL(changed("axis = [0, -2, 0], ", ""), "t.toml:12: ", "joint 'hinge' has no `axis`");
  EXPECT_REFUSAL(changed("[0, -2, 0]", "[0, 0, 0]"), "t.toml:12: ", "`axis` is zero");
  EXPECT_REFUSAL(changed("upper = 2", "upper = -2"),
                 "t.toml:12: ", "`lower` -1 and `upper` -2 leave no value");
  EXPECT_REFUSAL(changed("lower = -1", "lower = inf"), "t.toml:12: ", "leave no value");
  EXPECT_REFUSAL(changed("velocity = 3", "velocity = 0"), "t.toml:12: ", "`velocity` must be more than 0");
  EXPECT_REFUSAL(changed("xyz = [0, 0, 0.5]", "axis = [0, 0, 1]"), "t.toml:14: ", "joint 'end' is fixed");
  EXPECT_REFUSAL(changed("\"slide\"]]", "\"end\"]]"), "t.toml:16: ", "no movable joint 'end'");
  EXPECT_REFUSAL(changed("\"slide\"]]", "\"hinge\"]]"), "t.toml:16: ", "row 'both' has joint 'hinge' twice");
  EXPECT_REFUSAL(changed("[-2.5, \"slide\"]", "[\"slide\"]"),
                 "t.toml:16: ", "a term is [coefficient, \"joint\"]");
  EXPECT_REFUSAL(changed(", lower = -3", ""), "t.toml:16: ", "row 'both' has neither `lower` nor `upper`");
  EXPECT_REFUSAL(changed("lower = -3", "lower = 3, upper = 2"), "t.toml:16: ", "leave no value");
  EXPECT_REFUSAL(changed("source = \"hinge\"", "source = \"slide\""), "t.toml:17: ", "mimics itself");
  EXPECT_REFUSAL(changed("hinge = 0.25", "hing = 0.25"), "t.toml:18: ", "did you mean 'hinge'?");
  EXPECT_REFUSAL(changed("hinge = 0.25", "hinge = 2.5"), "t.toml:18: ", "outside its limits -1 to 2");
  EXPECT_REFUSAL(changed("version = 1", "version = 1 ?"), "t.toml:1: ", "not TOML: ");
}

TEST(ModelTable, RefusesLinksThatMakeNoTree) {
  EXPECT_REFUSAL(
      changed("  { name = \"end\", type = \"fixed\", parent = \"c\", child = \"tip\", xyz = [0, 0, 0.5] },\n",
              ""),
      "t.toml:9: ", "'a' and 'tip' are both roots");
  EXPECT_REFUSAL(changed("parent = \"b\", child = \"c\"", "parent = \"tip\", child = \"c\""),
                 "t.toml:11: ", "cycle");
  EXPECT_REFUSAL("version = 1\nname = \"n\"\nbase = \"fixed\"\nlinks = []\n",
                 "t.toml:4: ", "`links` is empty");
  EXPECT_REFUSAL("version = 1\nname = \"n\"\nbase = \"fixed\"\n", "t.toml:1: ", "has no `links`");
}

// --- writing ---

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.floating_base(), b.floating_base());
  ASSERT_EQ(a.link_count(), b.link_count());
  for (int i = 0; i < a.link_count(); ++i) {
    const Link &x = a.links()[at(i)], &y = b.links()[at(i)];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.mass, y.mass);
    EXPECT_EQ(x.com, y.com);
    EXPECT_EQ(x.inertia, y.inertia);
  }
  ASSERT_EQ(a.all_joints().size(), b.all_joints().size());
  for (std::size_t i = 0; i < a.all_joints().size(); ++i) {
    const Joint &x = a.all_joints()[i], &y = b.all_joints()[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.child, y.child);
    EXPECT_EQ(x.p_PJ, y.p_PJ);
    // the angles are found and taken back to a matrix: a few roundings
    EXPECT_LT((x.R_PJ - y.R_PJ).cwiseAbs().maxCoeff(), 1e-15) << x.name;
    if (x.type == JointType::Fixed) continue;
    EXPECT_LT((x.axis - y.axis).cwiseAbs().maxCoeff(), 1e-15) << x.name;
    EXPECT_EQ(x.lower, y.lower);
    EXPECT_EQ(x.upper, y.upper);
    EXPECT_EQ(x.velocity, y.velocity);
    EXPECT_EQ(x.effort, y.effort);
  }
  ASSERT_EQ(a.rows().size(), b.rows().size());
  for (std::size_t i = 0; i < a.rows().size(); ++i) {
    EXPECT_EQ(a.rows()[i].name, b.rows()[i].name);
    EXPECT_EQ(a.rows()[i].lower, b.rows()[i].lower);
    EXPECT_EQ(a.rows()[i].upper, b.rows()[i].upper);
    ASSERT_EQ(a.rows()[i].terms.size(), b.rows()[i].terms.size());
    for (std::size_t k = 0; k < a.rows()[i].terms.size(); ++k) {
      EXPECT_EQ(a.rows()[i].terms[k].joint, b.rows()[i].terms[k].joint);
      EXPECT_EQ(a.rows()[i].terms[k].coefficient, b.rows()[i].terms[k].coefficient);
    }
  }
  EXPECT_EQ(a.rest(), b.rest());
}

TEST(ModelTableWriter, ReadsBackWhatItWrote) {
  const Model model = read(kSmall);
  expect_same(model, read(write_model_table(model, "somewhere")));
  for (const Model& human : {human66(), human48()}) expect_same(human, read(write_model_table(human)));
  for (const std::string& robot : shipped_robots()) {
    const Model shipped = shipped_robot(robot);
    expect_same(shipped, read(write_model_table(shipped)));
  }
}

TEST(ModelTableWriter, KeepsCornersAndCapsulesOfLinks) {
  const std::string text = std::string(kSmall).replace(
      std::string(kSmall).find("{ name = \"tip\""), 14,
      R"({ name = "tip", corners = [[0.1, 0, 0]], capsules = [[0, 0, 0, 0.1, 0.2, 0.3, 0.05]])");
  const Model model = read(write_model_table(read(text)));
  const Link& tip = model.links().back();
  ASSERT_EQ(tip.capsules.size(), 1U);
  EXPECT_EQ(tip.capsules[0].to, Eigen::Vector3d(0.1, 0.2, 0.3));
  EXPECT_EQ(tip.capsules[0].radius, 0.05);
  ASSERT_EQ(tip.corners.size(), 1U);
  EXPECT_EQ(tip.corners[0], Eigen::Vector3d(0.1, 0.0, 0.0));
}

TEST(ModelTable, RefusesACapsuleWithoutARadius) {
  const std::string text =
      std::string(kSmall).replace(std::string(kSmall).find("{ name = \"tip\""), 14,
                                  R"({ name = "tip", capsules = [[0, 0, 0, 0.1, 0.2, 0.3, 0]])");
  EXPECT_NE(refusal(text).find("the radius, the last of the seven numbers, must be > 0"), std::string::npos)
      << refusal(text);
}

TEST(ModelTableWriter, ReadsBackRandomModels) {
  test::Random random(3);
  test::RandomModelOptions options;
  options.mimics = true;
  for (int i = 0; i < test::scaled(50); ++i) {
    const Model model = test::random_model(random(), options);
    expect_same(model, read(write_model_table(model)));
  }
}

TEST(ModelTableWriter, HoldsExtremeNumbersAndOddNames) {
  ModelSpec spec;
  spec.name = "odd \"name\" \\ \xc3\xbc";
  spec.links = {{"a b", 1e300, {-1e-308, 0.1 + 0.2, 9.5e5}, Matrix3d::Identity() * 5e-324},
                {"", 0.0, {}, {}}};
  spec.links[0].mass = 9.87654321e11;
  spec.links[1].name = "tip.1";
  Joint joint;
  joint.name = "knee [deg]";
  joint.type = JointType::Revolute;
  joint.parent = "a b";
  joint.child = "tip.1";
  joint.upper = 1e17;
  joint.lower = -9007199254740993.0;
  spec.joints = {joint};
  spec.rest = Eigen::VectorXd::Constant(1, 1.0 / 3.0);
  const Model model(spec);
  expect_same(model, read(write_model_table(model)));
}

TEST(ModelTableWriter, WritesOneLinePerLinkAndJoint) {
  const std::string text = write_model_table(read(kSmall), "a\nb", {"first remark", "second\nremark"});
  EXPECT_EQ(text.find("# first remark\n# second?remark\nversion = 1\nname = \"small\"\nsource = \"a?b\"\n"),
            0u)
      << text;
  EXPECT_NE(text.find("\n  { name = \"a\" },\n"), std::string::npos);
  EXPECT_NE(text.find("\n  { name = \"slide\", type = \"prismatic\", parent = \"b\", child = \"c\", axis = "
                      "[0, 0, 1] },\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("terms = [[1, \"hinge\"], [-2.5, \"slide\"]], lower = -3 },\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n[rest]\nhinge = 0.25\n"), std::string::npos) << text;
}

TEST(ModelTableWriter, RefusesNamesThatAreNotUtf8) {
  ModelSpec spec;
  spec.links = {{"\xff", 0.0, {}, {}}};
  EXPECT_THROW((void)write_model_table(Model(spec)), FormatError);
}

// --- damage ---

std::string outcome(std::string_view text) {
  const std::string what = refusal(text);
  if (what == "accepted") return "";
  EXPECT_EQ(what.substr(0, 7), "t.toml:") << what;
  EXPECT_LT(what.size(), 2000u);
  return what;
}

// what ends early has no joints, or all of them: never half a robot
TEST(ModelTableRobustness, EveryTruncationIsAnErrorOrHasEveryLinkAndJoint) {
  for (const std::string& text : {kSmall, std::string(shipped_robot_table("tee7"))}) {
    const Model whole = read(text);
    int accepted = 0;
    test::try_truncations(text, text.size(), [&](std::string_view part) {
      if (!outcome(part).empty()) return;
      ++accepted;
      EXPECT_EQ(read(part).link_names(), whole.link_names()) << part.size();
      EXPECT_EQ(read(part).joint_names(), whole.joint_names()) << part.size();
    });
    EXPECT_GT(accepted, 1) << "rows, mimics and the rest pose may be lost";
  }
  test::try_truncations(shipped_robot_table("icub"), 3000,
                        [](std::string_view part) { (void)outcome(part); });
}

TEST(ModelTableRobustness, EveryCorruptionIsAnErrorOrAModel) {
  test::CorruptionCount count;
  for (const std::string& robot : shipped_robots()) {
    count += test::try_corruptions(shipped_robot_table(robot), 17, [](std::string_view damaged) {
      const std::string what = outcome(damaged);
      if (!what.empty()) throw FormatError(what);
    });
  }
  EXPECT_GT(count.recovered, 10) << "comments may be damaged";
  EXPECT_GT(count.refused, 1000);
  EXPECT_EQ(count.broken, 0);
}

// damage that keeps the TOML whole reaches the checks behind the parser
TEST(ModelTableRobustness, EveryDamagedValueIsAnErrorOrAModel) {
  const std::vector<std::string> values{"nan",   "inf",      "-inf",   "1e999",     "-1",   "0",
                                        "1e308", "\"\"",     "[]",     "{}",        "true", "[0]",
                                        "\"a\"", "[[1, 2]]", "1e-320", "1979-05-27"};
  test::Random random(5);
  int models = 0, refused = 0;
  for (int round = 0; round < test::scaled(3000); ++round) {
    // the value behind one of the "= "
    std::string text = kSmall;
    std::vector<std::size_t> places;
    for (std::size_t p = text.find("= "); p != std::string::npos; p = text.find("= ", p + 1))
      places.push_back(p + 2);
    const std::size_t begin = places[random() % places.size()];
    std::size_t end = begin, depth = 0;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (depth == 0 && (c == ',' || c == '\n' || c == ' ' || c == '}')) break;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
    }
    text.replace(begin, end - begin, values[random() % values.size()]);
    ++(outcome(text).empty() ? models : refused);
  }
  EXPECT_GT(models, 20);
  EXPECT_GT(refused, 500);
}

TEST(ModelTableRobustness, SizesAreCheckedBeforeMemoryIsTaken) {
  EXPECT_NE(outcome(std::string(kModelTableMaxBytes + 1, ' ')), "");
  std::string many = "version = 1\nname = \"n\"\nbase = \"fixed\"\nlinks = [\n";
  for (std::size_t i = 0; i <= kModelTableMaxLinks; ++i)
    many += "{ name = \"l" + std::to_string(i) + "\" },\n";
  EXPECT_NE(outcome(many + "]\n").find("`links` holds 10001 items, more than 10000"), std::string::npos);
  for (const char* part : {"a.", "\"a\".", "a . "}) {
    std::string deep = "version = 1\n";
    for (int i = 0; i < 100000; ++i) deep += part;
    EXPECT_NE(outcome(deep + "a = 1\n").find("t.toml:2: a key has more than 32 parts"), std::string::npos)
        << part;
  }
  // as deep as may be: 250 tables in one another, each behind 31 dots
  std::string deepest, dotted;
  for (int i = 0; i < 31; ++i) dotted += "a.";
  for (int i = 0; i < 250; ++i) deepest += "{" + dotted + "a=";
  EXPECT_NE(outcome("x = " + deepest + "1" + std::string(250, '}')).find("no key 'x'"), std::string::npos);
  std::string nested(100000, '[');
  EXPECT_NE(outcome("links = " + nested).find("not TOML"), std::string::npos);
}

}  // namespace
}  // namespace panto::io
