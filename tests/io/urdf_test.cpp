// size: all tests of one header, by the rule of three places
#include "panto/io/urdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "panto/math/so3.hpp"
#include "tests/support/comma_point.hpp"
#include "tests/support/kinematics_checks.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;

// a robot of links a, b, c; `joints` is its text
std::string robot(const std::string& joints, const std::string& links = "<link name='a'/><link name='b'/>") {
  return "<robot name='r'>\n" + links + "\n" + joints + "\n</robot>\n";
}

// one joint between a and b; `inside` comes after parent and child
std::string one_joint(const std::string& type, const std::string& inside = "") {
  return robot("<joint name='j' type='" + type + "'><parent link='a'/><child link='b'/>" + inside +
               "</joint>");
}

constexpr const char* kLimit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";

ModelSpec read(const std::string& text) { return read_urdf_spec(text, "test.urdf"); }

std::string error_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> notes_of(const std::string& text) {
  std::vector<std::string> notes;
  (void)read_urdf_spec(text, "test.urdf", {}, &notes);
  return notes;
}

#define EXPECT_ERROR(text, part) EXPECT_NE(error_of(text).find(part), std::string::npos) << error_of(text)

// --- what is read ---

TEST(UrdfReader, ReadsLinksJointsAndLimitsInTheFilesOrder) {
  const ModelSpec spec =
      read(robot("<joint name='second' type='prismatic'><parent link='b'/><child link='c'/>"
                 "<origin xyz='0 0 1'/><axis xyz='0 -3 0'/><limit lower='-0.5' upper='+.25' effort='30' "
                 "velocity='1e-1'/>"
                 "</joint><joint type='revolute' name='first'><parent link='a'/><child link='b'/>"
                 "<origin rpy='0.1 0.2 0.3' xyz=' 1\t-2\n 3e0 '/>" +
                     std::string{kLimit} + "</joint>",
                 "<link name='a'/><link name='c'/><link name='b'/>"));
  EXPECT_EQ(spec.name, "r");
  ASSERT_EQ(spec.links.size(), 3u);
  EXPECT_EQ(spec.links[1].name, "c");
  ASSERT_EQ(spec.joints.size(), 2u);

  const Joint& slide = spec.joints[0];
  EXPECT_EQ(slide.type, JointType::Prismatic);
  EXPECT_EQ(slide.axis, -Vector3d::UnitY()) << "axes are normalised";
  EXPECT_EQ(slide.lower, -0.5);
  EXPECT_EQ(slide.upper, 0.25);
  EXPECT_EQ(slide.velocity, 0.1);

  const Joint& hinge = spec.joints[1];
  EXPECT_EQ(hinge.name, "first");
  EXPECT_EQ(hinge.parent, "a");
  EXPECT_EQ(hinge.axis, Vector3d::UnitX()) << "URDF's default axis";
  EXPECT_EQ(hinge.p_PJ, Vector3d(1, -2, 3));
  EXPECT_EQ(hinge.effort, 3.0);
  const Matrix3d R = so3::about_axis(2, 0.3) * so3::about_axis(1, 0.2) * so3::about_axis(0, 0.1);
  EXPECT_LT((hinge.R_PJ - R).norm(), 1e-15) << "rpy turns about fixed axes x, y, z";
  EXPECT_NO_THROW(Model{spec});
}

TEST(UrdfReader, ContinuousJointsHaveNoLimitsButMayHaveASpeedLimit) {
  const Joint joint = read(one_joint("continuous", "<limit lower='-1' upper='1' velocity='7'/>")).joints[0];
  EXPECT_EQ(joint.type, JointType::Revolute);
  EXPECT_EQ(joint.lower, -kInfinity);
  EXPECT_EQ(joint.upper, kInfinity);
  EXPECT_EQ(joint.velocity, 7.0);
  EXPECT_EQ(read(one_joint("continuous")).joints[0].velocity, kInfinity);
}

TEST(UrdfReader, InertiasAreTurnedIntoLinkAxes) {
  const ModelSpec spec = read(
      "<robot name='r'><link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
      "<mass value='2'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='3' iyz='0.3' "
      "izz='5'/></inertial></link></robot>");
  const Link& link = spec.links[0];
  EXPECT_EQ(link.mass, 2.0);
  EXPECT_EQ(link.com, Vector3d(1, 2, 3));
  Matrix3d expected;  // x of the inertial frame is y of the link, y is -x
  expected << 3, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 5;
  EXPECT_LT((link.inertia - expected).norm(), 1e-15);
  EXPECT_EQ(link.inertia, link.inertia.transpose());
}

TEST(UrdfReader, MimicsBecomeEqualityRows) {
  const Model model{
      read(robot("<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
                 "<joint name='k' type='continuous'><parent link='b'/><child link='c'/>"
                 "<mimic joint='j' multiplier='-2' offset='0.5'/></joint>",
                 "<link name='a'/><link name='b'/><link name='c'/>"))};
  ASSERT_EQ(model.rows().size(), 1u);
  EXPECT_EQ(model.rows()[0].lower, 0.5);
  EXPECT_EQ(model.rows()[0].terms[1].coefficient, 2.0) << "k - (-2) j = 0.5";
}

TEST(UrdfReader, WhatIsNotKinematicsIsPassedOver) {
  EXPECT_EQ(
      read(robot("<joint name='j' type='fixed'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/></joint>"
                 "<gazebo reference='a'><link name='a'/></gazebo>"
                 "<transmission name='t'><joint name='j'/></transmission>"
                 "<material name='m'><color rgba='nonsense'/></material>"
                 "<sensor name='s'><parent link='nowhere'/></sensor><mujoco/>"))
          .joints.size(),
      1u);
}

TEST(UrdfReader, AFloatingJointUnderADummyRootIsTheFloatingBase) {
  const std::string text = robot(
      "<joint name='free' type='floating'><parent link='world'/><child link='a'/></joint>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>",
      "<link name='world'/><link name='a'/><link name='b'/>");
  const Model model{read(text)};
  EXPECT_EQ(model.links()[static_cast<std::size_t>(model.root_link())].name, "a");
  EXPECT_EQ(model.nv(), 7);
  ASSERT_EQ(notes_of(text).size(), 2u) << "the base, and the missing speed limit";

  const std::string twice = "<joint name='more' type='fixed'><parent link='world'/><child link='b'/></joint>";
  EXPECT_ERROR(
      robot("<joint name='free' type='floating'><parent link='world'/><child link='a'/></joint>" + twice,
            "<link name='world'/><link name='a'/><link name='b'/>"),
      "joint 'more' is also attached to 'world'; a floating joint can only join");
}

TEST(UrdfReader, ABaseThatHangsOnTheWorldIsFixed) {
  for (const char* world : {"world", "map", "odom", "World"}) {
    std::vector<std::string> notes;
    const std::string root = world;
    const std::string joint =
        "<joint name='bolt' type='fixed'><parent link='" + root + "'/><child link='a'/></joint>";
    const std::string text = robot(joint, "<link name='" + root + "'/><link name='a'/>");
    const Model model = read_urdf(text, "r.urdf", {}, &notes);
    EXPECT_EQ(model.base(), BaseKind::Fixed) << root;
    EXPECT_TRUE(model.spec().base_known) << root;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes.front().find("the base is fixed (`base` changes it): the root link is the world"),
              std::string::npos)
        << notes.front();
    EXPECT_EQ(with_base(model, BaseKind::Floating).base(), BaseKind::Floating);
  }
}

// a pendulum's pivot is the world's, whatever the joint
TEST(UrdfReader, AHingeOnTheWorldHasAFixedPivot) {
  const std::string joint =
      "<joint name='swing' type='continuous'><parent link='world'/><child link='a'/><axis xyz='0 1 "
      "0'/></joint>";
  const Model model = read_urdf(robot(joint, "<link name='world'/><link name='a'/>"), "r.urdf", {});
  EXPECT_EQ(model.base(), BaseKind::Fixed);
  EXPECT_EQ(model.nv(), 1);
}

TEST(UrdfReader, ARootThatWeighsOrIsCalledOtherwiseFloats) {
  const std::string mass = "<inertial><mass value='3'/></inertial>";
  for (const std::string& root :
       {"<link name='world'>" + mass + "</link>", std::string("<link name='torso'/>")}) {
    const std::string name = root.find("torso") == std::string::npos ? "world" : "torso";
    const std::string joint =
        "<joint name='bolt' type='fixed'><parent link='" + name + "'/><child link='a'/></joint>";
    const Model model = read_urdf(robot(joint, root + "<link name='a'/>"), "r.urdf", {});
    EXPECT_EQ(model.base(), BaseKind::Floating) << root;
    EXPECT_FALSE(model.spec().base_known) << "legs and wheels will tell";
  }
}

TEST(UrdfReader, TheBaseIsFixedOnRequest) {
  EXPECT_FALSE(read_urdf_spec(one_joint("fixed"), "x", {.floating_base = false}).floating_base);
}

TEST(UrdfReader, ASpeedLimitOfZeroIsAPlaceholderAndSaidSo) {
  const std::string text = one_joint("revolute", "<limit lower='-1' upper='1' effort='0' velocity='0'/>");
  EXPECT_EQ(read(text).joints[0].velocity, kInfinity);
  EXPECT_EQ(notes_of(text),
            std::vector<std::string>{"test.urdf: a missing or zero speed limit is read as none: 'j'"});
}

TEST(UrdfReader, ASpeedLimitOfASimulatorIsAPlaceholderAndSaidSo) {
  const auto with = [](const std::string& speed) {
    return one_joint("revolute", "<limit lower='-1' upper='1' effort='0' velocity='" + speed + "'/>");
  };
  EXPECT_EQ(read(with("50000")).joints[0].velocity, kInfinity) << "the iCub's for Gazebo";
  EXPECT_EQ(notes_of(with("50000")),
            std::vector<std::string>{"test.urdf: a speed limit of 1000 or more is read as none: 'j'"});
  EXPECT_EQ(read(with("999")).joints[0].velocity, 999.0);
  EXPECT_TRUE(notes_of(with("1e308")).empty()) << "what write_urdf writes for none needs no word";
}

TEST(UrdfReader, LimitsWithoutLowerAndUpperAreZeroAndSaidSo) {
  const std::string text = one_joint("revolute", "<limit effort='1' velocity='1'/>");
  EXPECT_EQ(read(text).joints[0].lower, 0.0);
  EXPECT_EQ(read(text).joints[0].upper, 0.0);
  ASSERT_EQ(notes_of(text).size(), 1u);
}

TEST(UrdfReader, ByteOrderMarkAndCarriageReturnsChangeNothing) {
  std::string text = robot(
      "<joint name='j' type='revolute'>\n<parent link='a'/>\n<child link='b'/>\n<origin\n xyz='1 2\n3'/>" +
      std::string{kLimit} + "</joint>");
  const ModelSpec plain = read(text);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\r\n");
  const ModelSpec windows = read("\xEF\xBB\xBF" + text);
  EXPECT_EQ(windows.joints[0].p_PJ, plain.joints[0].p_PJ);
  EXPECT_EQ(windows.joints[0].upper, plain.joints[0].upper);
}

TEST(UrdfReader, NumbersDoNotDependOnTheLocale) {
  ModelSpec spec;
  std::string written;
  {
    const test::CommaPoint comma;
    spec = read(one_joint("revolute", "<origin xyz='1234.5 0 0'/>" + std::string{kLimit}));
    written = write_urdf(Model{spec});
  }
  EXPECT_EQ(spec.joints[0].p_PJ.x(), 1234.5);
  EXPECT_NE(written.find("xyz=\"1234.5 0 0\""), std::string::npos) << written;
}

TEST(UrdfReader, LimitsOfAlmostTheLargestDoubleAreNone) {
  const Joint joint =
      read(one_joint("prismatic", "<limit lower='-1e308' upper='1e308' velocity='1e308'/>")).joints[0];
  EXPECT_EQ(joint.lower, -kInfinity);
  EXPECT_EQ(joint.upper, kInfinity);
  EXPECT_EQ(joint.velocity, kInfinity);
}

// --- what is refused, and how ---

TEST(UrdfErrors, NameThePathTheLineAndTheElement) {
  EXPECT_EQ(
      error_of("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n"
               "<joint name='knee' type='continuous'>\n<parent link='a'/>\n<child link='b'/>\n"
               "<origin xyz='1 2,5 3'/></joint></robot>"),
      "test.urdf:7: <joint name='knee'>: <origin>: xyz='2,5' is not a number (write decimals with a point)");
}

TEST(UrdfErrors, NumbersMustBeFiniteAndWhole) {
  const auto origin = [](const std::string& xyz) {
    return one_joint("fixed", "<origin xyz='" + xyz + "'/>");
  };
  EXPECT_ERROR(origin("nan 0 0"), "xyz='nan' is not a finite number");
  EXPECT_ERROR(origin("0 -inf 0"), "xyz='-inf' is not a finite number");
  EXPECT_ERROR(origin("0 0 1e999"), "xyz='1e999' is not a finite number");
  EXPECT_ERROR(origin("0 0"), "needs three numbers");
  EXPECT_ERROR(origin("0 0 0 0"), "needs three numbers");
  EXPECT_ERROR(origin(""), "needs three numbers");
  EXPECT_ERROR(origin("0 0 1m"), "'1m' is not a number");
  EXPECT_ERROR(origin("0 0 0x10"), "'0x10' is not a number");
  EXPECT_ERROR(origin("0 0 +-1"), "'+-1' is not a number");
  EXPECT_ERROR(origin("0 0 1e7"), "is beyond 1e+06; URDF has metres");
  EXPECT_EQ(read(origin("0 0 1e-999")).joints[0].p_PJ.z(), 0.0) << "too small for a double is zero";
  EXPECT_ERROR(one_joint("revolute", "<limit lower='-1 2' upper='2'/>"), "lower='-1 2' is not a number");
  EXPECT_ERROR(one_joint("revolute", "<limit lower='' upper='2'/>"), "lower='' is not a number");
}

TEST(UrdfErrors, JointsMustBeWhole) {
  EXPECT_ERROR(robot("<joint type='fixed'/>"), "<joint>: attribute 'name' is missing");
  EXPECT_ERROR(robot("<joint name='j'/>"), "<joint name='j'>: attribute 'type' is missing");
  EXPECT_ERROR(robot("<joint name='j' type='fixed'><child link='b'/></joint>"),
               "<parent link='...'> is missing");
  EXPECT_ERROR(robot("<joint name='j' type='fixed'><parent link='a'/></joint>"),
               "<child link='...'> is missing");
  EXPECT_ERROR(robot("<joint name='j' type='fixed'><parent link='a'/><child/></joint>"),
               "<child>: attribute 'link'");
  EXPECT_ERROR(robot("<joint name='j' type='fixed'><parent link='a'/><child link='z'/></joint>"),
               "<child>: unknown link 'z'");
  EXPECT_ERROR(one_joint("hinge"), "type='hinge' is unknown; expected revolute");
  EXPECT_ERROR(one_joint("planar"), "planar joints are not supported");
  EXPECT_ERROR(one_joint("revolute"), "is missing; a revolute joint without limits has type='continuous'");
  EXPECT_ERROR(one_joint("prismatic"), "<limit lower='..' upper='..' effort='..' velocity='..'/> is missing");
  EXPECT_ERROR(one_joint("revolute", "<limit lower='1' upper='-1'/>"), "<limit>: lower=1 is above upper=-1");
  EXPECT_ERROR(one_joint("revolute", "<limit lower='1' upper='2' velocity='-3'/>"),
               "velocity=-3 is negative");
  EXPECT_ERROR(one_joint("continuous", "<axis xyz='0 0 0'/>"), "<axis>: the axis is zero");
  EXPECT_ERROR(one_joint("continuous", "<axis/>"), "<axis>: attribute 'xyz' is missing");
  EXPECT_ERROR(one_joint("continuous", "<mimic joint='x'/>"), "<mimic>: unknown movable joint 'x'");
  EXPECT_ERROR(one_joint("continuous", "<mimic joint='j'/>"), "<mimic>: the joint mimics itself");
}

TEST(UrdfErrors, ExtremeAxesAreNormalisedWithoutOverflow) {
  EXPECT_EQ(read(one_joint("continuous", "<axis xyz='0 1e300 0'/>")).joints[0].axis, Vector3d::UnitY());
  EXPECT_EQ(read(one_joint("continuous", "<axis xyz='0 0 -1e-300'/>")).joints[0].axis, -Vector3d::UnitZ());
}

TEST(UrdfErrors, InertialsMustBeWhole) {
  const auto link = [](const std::string& inertial) {
    return robot("", "<link name='a'><inertial>" + inertial + "</inertial></link>");
  };
  EXPECT_ERROR(link(""), "<inertial>: <mass value='...'> is missing");
  EXPECT_ERROR(link("<mass value='-1'/>"), "<link name='a'>: <inertial>: <mass>: value=-1 is negative");
  EXPECT_ERROR(link("<mass value='1'/><inertia ixx='1'/>"), "<inertia>: attribute 'iyy' is missing");
  EXPECT_EQ(read(link("<mass value='1'/>")).links[0].inertia, Matrix3d::Zero());
}

TEST(UrdfErrors, TheTreeMustBeOneTree) {
  const auto joint = [](const char* name, const char* parent, const char* child) {
    return std::string{"<joint name='"} + name + "' type='fixed'><parent link='" + parent +
           "'/><child link='" + child + "'/></joint>\n";
  };
  const std::string links = "<link name='a'/>\n<link name='b'/>\n<link name='c'/>";
  EXPECT_ERROR(robot(joint("j", "a", "b") + joint("k", "b", "a")), "the joints form a cycle: 'a' <- 'b'");
  EXPECT_ERROR(robot(joint("j", "b", "c") + joint("k", "c", "b"), links),
               "the joints form a cycle: 'b' <- 'c'");
  EXPECT_ERROR(robot(joint("j", "a", "a")), "parent and child are the same link");
  EXPECT_EQ(error_of(robot(joint("j", "a", "b"), links)),
            "test.urdf:4: <link name='c'>: a second root besides 'a' on line 2: every link but one is the "
            "child of a "
            "joint");
  EXPECT_ERROR(robot(joint("j", "a", "c") + joint("k", "b", "c"), links),
               "<joint name='k'>: link 'c' is already the child of joint 'j' on line 5");
  EXPECT_ERROR(robot("", "<link name='a'/>\n<link name='a'/>"),
               "test.urdf:3: <link name='a'>: a link of this name is already on line 2");
  EXPECT_ERROR(robot(joint("j", "a", "b") + joint("j", "b", "c"), links),
               "a joint of this name is already on line 5");
  EXPECT_ERROR("<robot name='r'/>", "the robot has no <link>");
}

TEST(UrdfErrors, OtherFormatsAreRecognised) {
  EXPECT_ERROR("<sdf version='1.6'/>", "<sdf>: this is another format; export the model as URDF");
  EXPECT_ERROR("<html/>", "the outermost element of a URDF must be <robot>");
  EXPECT_ERROR("", "expected <robot name='...'>");
  EXPECT_ERROR("HIERARCHY\nROOT Hips", "expected <robot name='...'>");
  EXPECT_ERROR("<robot name='r'><link name='a'/></robot><robot/>", "a second outermost element");
  EXPECT_ERROR(robot("<xacro:include filename='x'/>"), "this is a xacro source");
  EXPECT_ERROR(robot("", "<link name='${prefix}a'/>"),
               "expand it first: xacro robot.urdf.xacro > robot.urdf");
  EXPECT_ERROR(one_joint("fixed", "<origin xyz='${2 * pi} 0 0'/>"), "this is a xacro source");
  EXPECT_ERROR(one_joint("revolute", "<limit lower='$(arg low)' upper='1'/>"), "this is a xacro source");
}

TEST(UrdfErrors, NamesMustBeText) {
  EXPECT_ERROR(robot("", "<link name=''/>"), "attribute 'name' is empty");
  EXPECT_ERROR(robot("", "<link name='caf\xE9'/>"), "attribute 'name' is not UTF-8 text");
  EXPECT_EQ(read(robot("", "<link name='caf\xC3\xA9 &amp; \"co\"'/>")).links[0].name, "caf\xC3\xA9 & \"co\"");
}

TEST(UrdfErrors, MissingFilesAndFoldersAreNamed) {
  EXPECT_THROW((void)read_urdf("/nowhere/robot.urdf"), FormatError);
  EXPECT_THROW((void)read_urdf(std::filesystem::temp_directory_path().string()), FormatError);
}

// --- writing ---

void expect_same(const ModelSpec& expected, const ModelSpec& found, const std::string& of) {
  EXPECT_EQ(found.name, expected.name);
  ASSERT_EQ(found.links.size(), expected.links.size()) << of;
  for (std::size_t i = 0; i < found.links.size(); ++i) {
    const Link &a = expected.links[i], &b = found.links[i];
    EXPECT_EQ(b.name, a.name) << of;
    EXPECT_EQ(b.mass, a.mass) << of << a.name;
    EXPECT_EQ(b.com, a.com) << of << a.name;
    EXPECT_EQ(b.inertia, a.inertia) << of << a.name;
  }
  ASSERT_EQ(found.joints.size(), expected.joints.size()) << of;
  for (std::size_t i = 0; i < found.joints.size(); ++i) {
    const Joint &a = expected.joints[i], &b = found.joints[i];
    EXPECT_EQ(b.name, a.name) << of;
    EXPECT_EQ(b.type, a.type) << of << a.name;
    EXPECT_EQ(b.parent, a.parent) << of << a.name;
    EXPECT_EQ(b.child, a.child) << of << a.name;
    EXPECT_LE((b.R_PJ - a.R_PJ).cwiseAbs().maxCoeff(), 1e-15) << of << a.name;
    EXPECT_EQ(b.p_PJ, a.p_PJ) << of << a.name;
    if (a.type == JointType::Fixed) continue;
    EXPECT_LE((b.axis - a.axis).cwiseAbs().maxCoeff(), 2.3e-16) << of << a.name;
    EXPECT_EQ(b.lower, a.lower) << of << a.name;
    EXPECT_EQ(b.upper, a.upper) << of << a.name;
    EXPECT_EQ(b.velocity, a.velocity) << of << a.name;
    EXPECT_EQ(b.effort, a.effort) << of << a.name;
  }
  ASSERT_EQ(found.mimics.size(), expected.mimics.size()) << of;
  for (std::size_t i = 0; i < found.mimics.size(); ++i) {
    EXPECT_EQ(found.mimics[i].joint, expected.mimics[i].joint) << of;
    EXPECT_EQ(found.mimics[i].source, expected.mimics[i].source) << of;
    EXPECT_EQ(found.mimics[i].multiplier, expected.mimics[i].multiplier) << of;
    EXPECT_EQ(found.mimics[i].offset, expected.mimics[i].offset) << of;
  }
}

void expect_round_trip(const Model& model, const std::string& of) {
  expect_same(model.spec(), Model{read_urdf_spec(write_urdf(model), of)}.spec(), of + ": ");
}

TEST(UrdfWriter, RandomModelsReadBackAsTheyWere) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(300)); ++seed) {
    const test::RandomModelOptions options{.min_scale = 1e-4, .max_scale = 1e4, .mimics = true};
    expect_round_trip(test::random_model(seed, options), "seed " + std::to_string(seed));
  }
}

TEST(UrdfWriter, OrientationsNearTheGimbalLockReadBackAsTheyWere) {
  test::Random random(1);
  for (int i = 0; i < test::scaled(2000); ++i) {
    const double distance = std::pow(10.0, test::uniform(random, -18.0, -1.0));
    ModelSpec spec = read(one_joint("fixed"));
    spec.joints[0].R_PJ = so3::about_axis(2, test::uniform(random, -kPi, kPi)) *
                          so3::about_axis(1, (i % 2 == 0 ? 1.0 : -1.0) * (0.5 * kPi - distance)) *
                          so3::about_axis(0, test::uniform(random, -kPi, kPi));
    expect_round_trip(Model{spec}, "pitch within " + std::to_string(distance) + " of 90 degrees");
  }
}

TEST(UrdfWriter, NamesWithAnyCharacterReadBackAsTheyWere) {
  ModelSpec spec = read(one_joint("continuous"));
  spec.name = "a<b>&\"c'd\" \t\n--> \xE2\x82\xAC";
  spec.links[1].name = spec.joints[0].child =
      "]]> <!-- &amp; '";  // no line break: tables head columns with it
  expect_round_trip(Model{spec}, "odd names");
}

TEST(UrdfWriter, AJointWithoutLimitsIsWrittenWithoutLimits) {
  ModelSpec spec = read(one_joint("continuous"));
  spec.joints[0].velocity = spec.joints[0].effort = kInfinity;
  const std::string none = write_urdf(Model{spec});
  EXPECT_EQ(none.find("<limit"), std::string::npos) << none;
  EXPECT_EQ(read(none).joints[0].velocity, kInfinity);
  spec.joints[0].velocity = 2.0;  // then the format demands an effort, too
  const std::string one = write_urdf(Model{spec});
  EXPECT_NE(one.find("<limit effort=\"1e+308\" velocity=\"2\"/>"), std::string::npos) << one;
  EXPECT_EQ(read(one).joints[0].velocity, 2.0);
}

TEST(UrdfWriter, CoupledRowsAreLeftOutAndSaidSo) {
  ModelSpec spec = read(one_joint("continuous"));
  spec.rows.push_back({"row --> 1", {{"j", 2.0}}, -1.0, 1.0});
  spec.floating_base = false;
  spec.rest = Eigen::VectorXd::Constant(1, 0.25);
  std::vector<std::string> notes;
  const std::string text = write_urdf(Model{spec}, &notes);
  EXPECT_EQ(notes.size(), 3u);
  EXPECT_NE(text.find("<!-- coupled row, not part of URDF: row -_> 1: -1 .. 1 = 2 j -->"), std::string::npos)
      << text;
  EXPECT_TRUE(read(text).rows.empty());
}

TEST(UrdfWriter, FilesAppearCompleteOrNotAtAll) {
  const auto path = std::filesystem::temp_directory_path() / "panto_urdf_writer_test.urdf";
  const Model model = test::random_model(3);
  write_urdf_file(model, path.string());
  expect_same(model.spec(), read_urdf(path.string()).spec(), "file ");
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  std::filesystem::remove(path);
  EXPECT_THROW(write_urdf_file(model, "/nowhere/robot.urdf"), Error);
}

// --- real files ---

std::vector<std::string> data_models() {
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::data_root() / "models", none)) {
    if (entry.path().extension() == ".urdf") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(UrdfFiles, EveryModelReadsAndReadsBackAsItWas) {
  PANTO_NEED_DATA("models");
  ASSERT_GE(data_models().size(), 10u);
  for (const std::string& path : data_models()) expect_round_trip(read_urdf(path), path);
}

TEST(UrdfFiles, EveryModelsKinematicsAgreeWithDifferences) {
  PANTO_NEED_DATA("models");
  for (const std::string& path : data_models()) {
    const Model model = read_urdf(path);
    test::Random random(1);
    const State state = test::random_state(model, random);
    EXPECT_LT(test::jacobian_error(model, state), 1e-8) << path;
    EXPECT_LT(test::velocity_error(model, state), 1e-6) << path;
    EXPECT_LT(test::jacobian_times_nu_error(model, state), 1e-12) << path;
  }
}

struct Known {
  const char* file;
  int dof, links, mimics;
  double mass;
  const char* root;
};

// counted in the files themselves; masses are the sums of their <mass> elements
TEST(UrdfFiles, KnownModelsHaveTheirJointsMassesAndRoots) {
  PANTO_NEED_DATA("models");
  for (const Known& known :
       {Known{"human-gazebo/humanSubject01_66dof.urdf", 66, 69, 0, 62.20002, "Pelvis"},
        Known{"human-gazebo/humanSubject03_48dof.urdf", 48, 51, 0, 75.40002, "Pelvis"},
        Known{"icub/teleoperation_iCub_model_V_2_5.urdf", 32, 204, 0, 33.0781367, "base_link"},
        Known{"talos/talos_reduced.urdf", 32, 60, 0, 90.272192, "base_link"},
        Known{"unitree/g1_29dof_rev_1_0.urdf", 29, 39, 0, 33.34114202, "pelvis"},
        Known{"unitree/h1.urdf", 19, 25, 0, 59.338, "pelvis"}}) {
    const Model model = read_urdf(test::data_file(std::string{"models/"} + known.file));
    EXPECT_EQ(model.dof(), known.dof) << known.file;
    EXPECT_EQ(model.link_count(), known.links) << known.file;
    EXPECT_EQ(static_cast<int>(model.spec().mimics.size()), known.mimics) << known.file;
    EXPECT_NEAR(model.total_mass(), known.mass, 1e-6 * known.mass) << known.file;
    EXPECT_EQ(model.links()[static_cast<std::size_t>(model.root_link())].name, known.root) << known.file;
  }
}

// the reduced Talos fixes its gripper joints but keeps their <mimic>
TEST(UrdfFiles, MimicsOfFixedJointsArePassedOverAndSaidSo) {
  PANTO_NEED_DATA("models/talos/talos_reduced.urdf");
  std::vector<std::string> notes;
  (void)read_urdf(test::data_file("models/talos/talos_reduced.urdf"), {}, &notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("<mimic> on a fixed joint is ignored: 'gripper_left_inner_double_joint'"),
            std::string::npos)
      << notes[0];
  EXPECT_NE(notes[0].find("and 7 more"), std::string::npos) << notes[0];
}

TEST(UrdfFiles, HumanJointsAreFoundAsSphericalTriples) {
  PANTO_NEED_DATA("models");
  const Model human = read_urdf(test::data_file("models/human-gazebo/humanSubject01_66dof.urdf"));
  const auto& groups = human.tree().groups;
  EXPECT_EQ(std::count_if(groups.begin(), groups.end(), [](const JointGroup& g) { return g.spherical; }), 22);
}

}  // namespace
}  // namespace panto::io
