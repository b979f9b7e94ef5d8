// size: all tests of one reader, by the rule of three places
// Poses, inertias and equalities to compare with are MuJoCo's (4.0.0, mj_kinematics of the same text).
#include "panto/io/mjcf.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/comma_point.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;

std::string in_world(const std::string& bodies, const std::string& before = "") {
  std::string text = "<mujoco model='r'>\n";
  text += before;
  text += "\n<worldbody>\n";
  text += bodies;
  return text += "\n</worldbody></mujoco>\n";
}

// a floating body with one that turns on it; `inside` is in the second
std::string two_bodies(const std::string& inside, const std::string& before = "") {
  std::string bodies = "<body name='a'><freejoint/>\n<body name='b'>";
  bodies += inside;
  bodies += "</body></body>";
  return in_world(bodies, before);
}

using Files = std::map<std::string, std::string>;

OpenInclude from(const Files& files) {
  return [files](const std::string& name) {
    const auto found = files.find(name);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
}

Model read(const std::string& text, const Files& files = {}) {
  return read_mjcf_robot(text, "test.xml", files.empty() ? OpenInclude() : from(files)).model;
}

std::string error_of(const std::string& text, const Files& files = {}) {
  try {
    (void)read(text, files);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

std::string notes_of(const std::string& text) {
  std::vector<std::string> notes;
  (void)read_mjcf_robot(text, "test.xml", {}, &notes);
  std::string all;
  for (const std::string& note : notes) (all += note) += '\n';
  return all;
}

#define EXPECT_ERROR(text, part) EXPECT_NE(error_of(text).find(part), std::string::npos) << error_of(text)
#define EXPECT_NOTE(text, part) EXPECT_NE(notes_of(text).find(part), std::string::npos) << notes_of(text)

const Joint& joint(const Model& model, const std::string& name) {
  return model.joint(model.joint_index(name));
}

void expect_pose(const Kinematics& kinematics, const std::string& link, const Vector3d& p,
                 const Vector4d& q) {
  const int index = kinematics.model().link_index(link);
  EXPECT_LT((kinematics.p_WL(index) - p).norm(), 1e-12) << link;
  EXPECT_LT((kinematics.R_WL(index) - so3::from_quaternion_wxyz(q)).norm(), 1e-12) << link;
}

// --- kinematics ---

constexpr const char* kArm = R"(<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" quat="1 0.2 0 0.1">
      <freejoint/>
      <inertial pos="0.01 0.02 0.03" mass="2" quat="1 1 0 0" diaginertia="0.1 0.2 0.25"/>
      <body name="upper" pos="0 0.1 0.2" axisangle="1 2 3 0.4">
        <joint name="pan" axis="0 0 2" pos="0.03 0 0.01" range="-1 1.5" ref="0.25"/>
        <joint name="tilt" axis="1 1 0" pos="0.03 0 0.01"/>
        <joint name="slide" type="slide" axis="1 0 1" ref="0.1"/>
        <joint name="twist" axis="1 0 0" pos="0 0.05 0"/>
        <inertial pos="0 0 0" mass="1" fullinertia="0.3 0.4 0.5 0.01 0.02 0.03"/>
        <frame pos="0 0 -0.3" euler="0 0.5 0">
          <body name="lower" pos="0.1 0 0">
            <joint name="ball" type="ball" pos="0 0 0.02"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
            <frame euler="0 0 0.7"><body name="tip" pos="0 0 -0.2"><joint name="knee" axis="0 1 0"/>
              <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></frame>
          </body>
        </frame>
      </body>
    </body>
  </worldbody>
</mujoco>)";

TEST(MjcfReader, BodiesMoveAsInMuJoCoWithAnchorsReferencesFramesAndSeveralJointsABody) {
  const Model model = read(kArm);
  ASSERT_EQ(model.joint_names(), (std::vector<std::string>{"pan", "tilt", "slide", "twist", "ball_x",
                                                           "ball_y", "ball_z", "knee"}));
  EXPECT_TRUE(model.floating_base());
  State state = rest_state(model);
  state.p_WB = {1, 2, 3};
  state.R_WB = so3::from_quaternion_wxyz({0.5, 0.5, 0.5, 0.5});
  state.s << 0.4, -0.6, 0.35, 0.8, 0.3, -0.2, 0.5, -0.5;
  Kinematics kinematics(model);
  kinematics.update(state);
  expect_pose(kinematics, "base", {1, 2, 3}, {0.5, 0.5, 0.5, 0.5});
  expect_pose(kinematics, "upper", {1.3590761617413443, 2.1041128906168387, 3.205806220876254},
              {0.20608195239699723, 0.7627921040667116, 0.43988652388551674, 0.4268234775333212});
  expect_pose(kinematics, "lower", {1.0944804175616378, 2.1575449377385576, 3.445007715987884},
              {-0.0635545938489997, 0.8060838994734352, 0.3716425648627971, 0.4561484019401922});
  expect_pose(kinematics, "tip", {0.9568507014385697, 2.0692431389808092, 3.560163495591123},
              {-0.19140741372247555, 0.9577664025401911, 0.12391360860435573, 0.1751917170985546});
}

TEST(MjcfReader, LinksBetweenTheJointsOfABodyAreCalledAfterThemAndHaveNoMass) {
  const Model model = read(kArm);
  EXPECT_EQ(model.link_names(),
            (std::vector<std::string>{"base", "pan_link", "tilt_link", "slide_link", "twist_link", "upper",
                                      "ball_x_link", "ball_y_link", "ball_z_link", "lower", "tip"}));
  EXPECT_EQ(model.links()[1].mass, 0.0);
  EXPECT_EQ(joint(model, "pan").lower, -1.0);
  EXPECT_EQ(joint(model, "pan").upper, 1.5);
  EXPECT_EQ(joint(model, "tilt").upper, kInfinity);
  EXPECT_NOTE(kArm, "a ball joint is read as three hinges _x, _y, _z: 'ball'");
}

TEST(MjcfReader, ReadsEveryFormOfOrientation) {
  struct Case {
    const char *compiler, *orientation;
    Vector4d q;
  };
  const std::vector<Case> cases{
      {"",
       "quat='1 2 3 4'",
       {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}},
      {"",
       "axisangle='1 2 2 40'",
       {0.9396926207859084, 0.11400671444188956, 0.22801342888377912, 0.22801342888377912}},
      {"",
       "euler='10 20 30'",
       {0.943714364147489, 0.12767944069578063, 0.14487812541736914, 0.2685358227515692}},
      {"",
       "xyaxes='2 1 0 1 3 1'",
       {0.9518133615765907, 0.20313768784799205, 0.047954303124259086, 0.2246926552246618}},
      {"", "zaxis='1 2 3'", {0.9491532346616307, -0.28157860306687144, 0.14078930153343572, 0}},
      {"", "zaxis='0 0 -1'", {0, 1, 0, 0}},
      {"<compiler eulerseq='ZYX'/>",
       "euler='10 20 30'",
       {0.943714364147489, 0.2685358227515692, 0.14487812541736914, 0.12767944069578063}},
      {"<compiler eulerseq='zxz'/>",
       "euler='10 20 30'",
       {0.9254165783983234, 0.17101007166283433, -0.0301536896070458, 0.33682408883346515}},
      {"<compiler eulerseq='XyZ'/>",
       "euler='10 20 30'",
       {0.943714364147489, 0.03813457647485015, 0.18930785741199999, 0.2685358227515692}},
      {"<compiler angle='radian'/>",
       "euler='0.1 0.2 0.3'",
       {0.9818561728660808, 0.06407134770607116, 0.09115754934299071, 0.15343930202422257}}};
  for (const Case& one : cases) {
    std::string body = "<body name='a'><freejoint/><body name='b' ";
    body += one.orientation;
    body += "><joint name='j'/></body></body>";
    const Matrix3d R = joint(read(in_world(body, one.compiler)), "j").R_PJ;
    EXPECT_LT((R - so3::from_quaternion_wxyz(one.q)).norm(), 1e-14) << one.compiler << one.orientation;
  }
}

TEST(MjcfReader, WithoutAFreeJointTheRootIsTheWorldAndTheBaseIsFixed) {
  const Model model = read(in_world(
      "<body name='cart' pos='0 0 1'><joint name='rail' type='slide' axis='1 0 0'/><body name='pole'>"
      "<joint name='hinge' axis='0 1 0'/></body></body>"));
  EXPECT_FALSE(model.floating_base());
  EXPECT_EQ(model.link_names(), (std::vector<std::string>{"world", "cart", "pole"}));
  EXPECT_EQ(joint(model, "rail").parent, "world");
  EXPECT_EQ(joint(model, "rail").p_PJ, Vector3d(0, 0, 1));
  const Model bolted =
      read(in_world("<body name='foot' pos='1 0 0'><body name='arm'><joint name='j'/></body></body>"));
  EXPECT_EQ(bolted.all_joints()[0].name, "foot_fixed");
  EXPECT_EQ(bolted.all_joints()[0].parent, "world");
}

TEST(MjcfReader, TheRobotIsTheBodyWithTheMostJointsAndEqualOnesOnAFixedBase) {
  const std::string arm = "<body name='%'><joint name='%1'/><body><joint/></body></body>";
  const auto named = [&](const std::string& name) {
    std::string text = arm;
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%'))
      text.replace(at, 1, name);
    return text;
  };
  std::string scene = "<body name='table'/><body name='cube'><freejoint/></body>";
  scene += named("left");
  scene += named("right");
  const Model model = read(in_world(scene));
  EXPECT_EQ(model.dof(), 4) << "both arms";
  EXPECT_FALSE(model.find_link("cube"));
  EXPECT_NOTE(in_world(scene), "bodies beside the robot are left out: 'table', 'cube'");
  std::string walker =
      "<body name='w'><freejoint/><body><joint/></body><body><joint/></body><body><joint/></body></body>";
  walker += named("door");
  EXPECT_TRUE(read(in_world(walker)).floating_base());
  EXPECT_EQ(read(in_world(walker)).dof(), 3);
}

TEST(MjcfReader, UnnamedBodiesAndJointsGetNames) {
  const std::string text =
      in_world("<body><freejoint/><body><joint/><joint/></body><body name='x'><joint/></body></body>");
  const Model model = read(text);
  EXPECT_EQ(model.joint_names(), (std::vector<std::string>{"body2_joint1", "body2_joint2", "x_joint"}));
  EXPECT_EQ(model.link_names()[0], "body1");
  EXPECT_NOTE(text, "bodies without a name are called: 'body1', 'body2'");
  EXPECT_NOTE(text, "joints without a name are called: 'body2_joint1', 'body2_joint2', 'x_joint'");
}

// --- ranges ---

TEST(MjcfReader, RangesHoldByThemselvesUnlessTheCompilerSaysOtherwise) {
  constexpr double kDegree = 0.017453292519943295;
  const Joint turned = joint(read(two_bodies("<joint name='j' range='-10 20'/>")), "j");
  EXPECT_EQ(turned.lower, -10 * kDegree) << "degrees are the default";
  EXPECT_EQ(turned.upper, 20 * kDegree);
  EXPECT_EQ(joint(read(two_bodies("<joint name='j' type='slide' range='-10 20'/>")), "j").lower, -10.0);
  EXPECT_EQ(joint(read(two_bodies("<joint name='j' limited='false' range='-1 1'/>")), "j").upper, kInfinity);
  EXPECT_EQ(joint(read(two_bodies("<joint name='j' limited='true' range='-1 1'/>",
                                  "<compiler autolimits='false' angle='radian'/>")),
                  "j")
                .upper,
            1.0);
  EXPECT_ERROR(two_bodies("<joint name='j' range='-1 1'/>", "<compiler autolimits='false'/>"),
               "range needs limited='true'");
  EXPECT_EQ(joint(read(two_bodies("<joint name='j' range='0 0'/>")), "j").upper, kInfinity);
  EXPECT_NOTE(two_bodies("<joint name='j' range='20 -10'/>"),
              "lower end is above its upper end is read as no limit: 'j'");
  EXPECT_ERROR(two_bodies("<joint name='j' limited='true'/>"), "a limited joint needs range");
  const Model ball = read(two_bodies("<joint name='j' type='ball' range='0 30'/>"));
  EXPECT_EQ(joint(ball, "j_y").lower, -30 * kDegree);
  EXPECT_ERROR(two_bodies("<joint type='ball' range='-3 30'/>"), "must begin with 0");
}

TEST(MjcfReader, EffortsAndSpeedsComeFromJointsAndActuators) {
  const std::string joints =
      "<joint name='own' actuatorfrcrange='-7 5'/><joint name='driven'/><joint name='fast'/><joint "
      "name='servo'/>";
  std::string text = two_bodies(joints);
  text.insert(
      text.find("</mujoco>"),
      "<actuator><motor joint='own' ctrlrange='-1 1'/><motor joint='driven' gear='50' ctrlrange='-1 1'/>"
      "<velocity joint='fast' gear='2' ctrlrange='-6 8' forcerange='-3 3'/><position joint='servo' "
      "ctrlrange='-1 1'/></actuator>");
  const Model model = read(text);
  EXPECT_EQ(joint(model, "own").effort, 7.0);
  EXPECT_EQ(joint(model, "driven").effort, 50.0);
  EXPECT_EQ(joint(model, "fast").velocity, 4.0);
  EXPECT_EQ(joint(model, "fast").effort, 6.0);
  EXPECT_EQ(joint(model, "servo").effort, kInfinity);
  EXPECT_EQ(joint(model, "servo").velocity, kInfinity);
}

// `joints` in one body, with actuators
std::string driven(const std::string& joints, const std::string& actuators, const std::string& before = "") {
  std::string text = two_bodies(joints, before);
  std::string section = "<actuator>";
  (section += actuators) += "</actuator>";
  return text.insert(text.find("</mujoco>"), section);
}

void expect_range(const std::string& text, const std::string& name, double lower, double upper) {
  const Model model = read(text);
  EXPECT_EQ(joint(model, name).lower, lower) << name;
  EXPECT_EQ(joint(model, name).upper, upper) << name;
}

// the control ranges that MuJoCo compiles for these actuators
TEST(MjcfReader, AJointWithoutARangeTakesThatOfItsPositionServoByTheServosOwnClass) {
  const std::string classes =
      "<default><position ctrlrange='-3 3'/><default class='c'><position ctrlrange='-2 2.5'/></default>"
      "</default>";
  const std::string text = driven(
      "<joint name='own'/><joint name='classed'/><joint name='main' class='c'/><joint name='ranged' "
      "range='-90 45'/><joint name='rail' type='slide'/><joint name='idle'/>",
      "<position joint='own' ctrlrange='-1 2'/><position class='c' joint='classed'/><position joint='main'/>"
      "<position joint='ranged'/><position jointinparent='rail' ctrlrange='0 0.4'/>",
      classes);
  expect_range(text, "own", -1.0, 2.0);  // radians, though the compiler's angles are degrees
  expect_range(text, "classed", -2.0, 2.5);
  expect_range(text, "main", -3.0, 3.0);  // the joint's class is not the servo's
  expect_range(text, "ranged", -1.5707963267948966, 0.78539816339744828);
  expect_range(text, "rail", 0.0, 0.4);
  expect_range(text, "idle", -kInfinity, kInfinity);
  EXPECT_NOTE(
      text,
      "joints without a range take that of their position actuators: 'own', 'classed', 'main', 'rail'\n");
}

TEST(MjcfReader, OnlyAServoThatHoldsPositionsWithinARangeGivesItToItsJoint) {
  const auto unlimited = [](const std::string& actuators, const std::string& before = "") {
    const std::string text = driven("<joint name='j'/>", actuators, before);
    expect_range(text, "j", -kInfinity, kInfinity);
    EXPECT_EQ(notes_of(text).find("joints without a range"), std::string::npos) << actuators;
  };
  unlimited("<position joint='j' ctrllimited='false' ctrlrange='-1 1'/>");
  unlimited("<motor joint='j' ctrlrange='-1 1'/><velocity joint='j' ctrlrange='-1 1'/>");
  unlimited("<position joint='gone' ctrlrange='-1 1'/><position tendon='j' ctrlrange='-1 1'/><position/>");
  unlimited("<position joint='j' ctrlrange='-1e10 1e10'/>");
  unlimited("<position joint='j' ctrlrange='1 2' gear='0'/>");
  unlimited("<position joint='j' ctrlrange='-1 1'/><position joint='j'/>");  // the second turns it further
  const std::string manual = "<compiler autolimits='false'/>";
  unlimited("<position joint='j' ctrlrange='-1 1'/>", manual);
  expect_range(
      driven("<joint name='j'/>", "<position joint='j' ctrllimited='true' ctrlrange='-1 1'/>", manual), "j",
      -1.0, 1.0);
  for (const char* range : {"1 -1", "nan 1", "-1 nan"}) {
    std::string servo = "<position joint='j' ctrlrange='";
    (servo += range) += "'/>";
    unlimited(servo);
    EXPECT_NOTE(driven("<joint name='j'/>", servo),
                "a ctrlrange that is reversed or not a number is ignored, of joint: 'j'");
  }
}

TEST(MjcfReader, AServosRangeIsReadOverItsGearAndAlsoFromAGeneralActuatorThatHoldsPositions) {
  const auto expect = [](const std::string& servos, double lower, double upper) {
    expect_range(driven("<joint name='j' ref='20'/>", servos), "j", lower, upper);
  };
  expect("<position joint='j' gear='-2' ctrlrange='-1 2'/>", -1.0, 0.5);  // MuJoCo's length is gear times q
  expect("<position joint='j' ctrlrange='-1 1'/><position joint='j' ctrlrange='0 2'/>", -1.0, 2.0);
  expect("<position joint='j' ctrlrange='-1e10 2'/>", -kInfinity, 2.0);
  const std::string general = "<general joint='j' ctrlrange='-1 2' gainprm='40' biastype='affine' ";
  expect(general + "biasprm='0 -40 -2'/>", -1.0, 2.0);
  expect(general + "biasprm='0 -20'/>", -kInfinity, kInfinity);  // holds twice its control
  // its control is a speed
  expect(general + "biasprm='0 -40' dyntype='integrator'/>", -kInfinity, kInfinity);
}

// --- classes and files ---

TEST(MjcfReader, ClassesInheritAndChildclassReachesEverythingWithin) {
  const std::string classes =
      "<compiler angle='radian'/><default><joint axis='0 1 0' range='-1 1'/><default class='leg'><joint "
      "range='-2 2'/>"
      "<default class='knee'><joint axis='1 0 0'/></default></default></default>";
  const Model model = read(two_bodies(
      "<joint name='main'/><body childclass='leg'><joint name='leg'/><body><joint name='knee' class='knee'/>"
      "<frame childclass='main'><body><joint name='back'/></body></frame></body></body>",
      classes));
  EXPECT_EQ(joint(model, "main").axis, Vector3d::UnitY());
  EXPECT_EQ(joint(model, "main").upper, 1.0);
  EXPECT_EQ(joint(model, "leg").upper, 2.0) << "childclass";
  EXPECT_EQ(joint(model, "leg").axis, Vector3d::UnitY()) << "inherited from main";
  EXPECT_EQ(joint(model, "knee").axis, Vector3d::UnitX());
  EXPECT_EQ(joint(model, "knee").upper, 2.0) << "inherited from leg";
  EXPECT_EQ(joint(model, "back").upper, 1.0);
  EXPECT_ERROR(two_bodies("<joint class='x'/>"),
               "test.xml:5: <joint>: class='x' is not a class of <default>");
  EXPECT_ERROR(two_bodies("", "<default><default class='x'/><default class='x'/></default>"),
               "a second class of the name 'x'");
  EXPECT_ERROR(two_bodies("", "<default><default/></default>"), "attribute 'class' is missing");
  EXPECT_ERROR(two_bodies("", "<default class='x'/>"), "must be called 'main'");
}

TEST(MjcfReader, ALaterPartOfMainDoesNotChangeClassesThatBeganBefore) {
  const std::string classes =
      "<default><default class='x'/></default><default><joint axis='0 1 0'/></default>";
  const Model model = read(two_bodies("<joint name='x' class='x'/><joint name='y'/>", classes));
  EXPECT_EQ(joint(model, "x").axis, Vector3d::UnitZ());
  EXPECT_EQ(joint(model, "y").axis, Vector3d::UnitY());
}

TEST(MjcfReader, IncludedFilesTakeThePlaceOfTheirInclude) {
  const Files files{
      {"parts/leg.xml", "<mujocoinclude><joint name='j'/><include file='foot.xml'/></mujocoinclude>"},
      {"parts/foot.xml", "<x><body name='foot'><joint name='ankle'/></body></x>"},
      {"settings.xml", "<mujoco><compiler angle='radian'/></mujoco>"}};
  const Model model =
      read(two_bodies("<include file='parts/leg.xml'/>", "<include file='settings.xml'/>"), files);
  EXPECT_EQ(model.joint_names(), (std::vector<std::string>{"j", "ankle"}))
      << "the second lies beside the first";
}

TEST(MjcfReader, IncludesThatCannotBeOpenedAreRefusedWithTheRemedy) {
  const std::string text = two_bodies("<include file='leg.xml'/>");
  EXPECT_NE(error_of(text).find("test.xml:5: <include>: includes 'leg.xml', which cannot be opened from "
                                "bytes; open the model from a path"),
            std::string::npos)
      << error_of(text);
  EXPECT_NE(error_of(text, {{"x", ""}}).find("file 'leg.xml' not found"), std::string::npos);
  const Files loop{{"leg.xml", "<a><include file='leg.xml'/></a>"}};
  EXPECT_NE(error_of(text, loop).find("leg.xml:1: <include>: file 'leg.xml' is already included"),
            std::string::npos);
  const Files broken{{"leg.xml", "<a>\n<joint range='1'/></a>"}};
  EXPECT_NE(error_of(text, broken).find("leg.xml:2: <joint>: range='1' needs 2 numbers"), std::string::npos)
      << error_of(text, broken);
}

TEST(MjcfReader, OnlyFilesWithinTheModelsFolderAreIncluded) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("panto_mjcf_test_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "robot");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("outside.xml", "<x><joint name='j'/></x>");
  write("robot/inside.xml", "<x><joint name='j'/></x>");
  write("robot/good.xml", two_bodies("<include file='inside.xml'/>"));
  std::filesystem::create_directories(folder / "robot/parts/arm");
  std::filesystem::create_directories(folder / "robot/parts/hand");
  write("robot/parts/hand/hand.xml", "<x><joint name='h' axis='1 0 0'/></x>");
  write("robot/parts/arm/arm.xml", "<x><include file='../hand/hand.xml'/></x>");
  write("robot/nested.xml", two_bodies("<include file='parts/arm/arm.xml'/>"));
  EXPECT_EQ(read_mjcf((folder / "robot/nested.xml").string()).model.dof(), 1)
      << "beside the file that includes it";
  write("robot/bad.xml", two_bodies("<include file='../outside.xml'/>"));
  EXPECT_EQ(read_mjcf((folder / "robot/good.xml").string()).model.dof(), 1);
  try {
    (void)read_mjcf((folder / "robot/bad.xml").string());
    ADD_FAILURE() << "read a file outside the folder";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("'../outside.xml' is outside the model's folder"),
              std::string::npos)
        << error.what();
  }
  std::filesystem::remove_all(folder);
}

// --- masses, equalities, keyframes ---

TEST(MjcfReader, InertiasAreTurnedIntoLinkAxes) {
  const Model model = read(kArm);
  const Link& base = model.links()[0];
  EXPECT_EQ(base.mass, 2.0);
  EXPECT_EQ(base.com, Vector3d(0.01, 0.02, 0.03));
  EXPECT_LT((base.inertia - Matrix3d(Vector3d(0.1, 0.25, 0.2).asDiagonal())).norm(), 1e-15);
  Matrix3d full;
  full << 0.3, 0.01, 0.02, 0.01, 0.4, 0.03, 0.02, 0.03, 0.5;
  EXPECT_EQ(model.links()[5].inertia, full);
}

TEST(MjcfReader, WithoutInertialsMassesComeFromGeoms) {
  const Model model =
      read(in_world("<body name='b'><freejoint/><geom type='sphere' size='0.1' pos='0.1 0 0'/>"
                    "<geom type='capsule' fromto='0 0 0 0.1 0.2 -0.3' size='0.05' density='500'/>"
                    "<geom type='cylinder' size='0.04 0.2' euler='30 0 0' mass='2'/><geom type='box' "
                    "size='0.1 0.2 0.3' pos='0 0.3 0'/>"
                    "<geom type='ellipsoid' size='0.1 0.05 0.2' pos='0 0 0.4'/></body>"));
  const Link& link = model.links()[0];
  EXPECT_NEAR(link.mass, 60.10872521718932, 1e-12);
  EXPECT_LT((link.com - Vector3d(0.008408700384730926, 0.2424459082787897, 0.023554722806984243)).norm(),
            1e-14);
  Matrix3d I;
  I << 3.667131000135449, 0.1099961317756604, 0.030722643369315603, 0.10999613177566042, 2.4189601031335464,
      0.3921007319474125, 0.03072264336931561, 0.39210073194741246, 1.6932002013016476;
  EXPECT_LT((link.inertia - I).norm(), 1e-12);
  const std::string mesh = in_world("<body name='b'><freejoint/><geom type='mesh' mesh='m'/></body>",
                                    "<asset><mesh name='m' file='m.stl'/></asset>");
  EXPECT_NOTE(mesh, "masses of meshes are unknown and left out: 'b'");
}

TEST(MjcfReader, LinearEqualitiesOfJointsAreMimicsThatKnowReferences) {
  std::string text = two_bodies("<joint name='x' ref='0.3'/><body><joint name='y' ref='-0.2'/></body>",
                                "<compiler angle='radian'/>");
  text.insert(
      text.find("</mujoco>"),
      "<equality><joint joint1='y' joint2='x' polycoef='0.1 -2 0 0 0'/><joint joint1='x' polycoef='0.2'/>"
      "<joint joint1='y' joint2='x' polycoef='0 1 1'/><weld body1='a' body2='b'/>"
      "<joint active='false' joint1='y'/></equality>");
  const Model model = read(text);
  ASSERT_EQ(model.spec().mimics.size(), 1U);
  const Mimic& mimic = model.spec().mimics[0];
  EXPECT_NEAR(mimic.multiplier * 0.5 + mimic.offset, -0.5, 1e-15) << "MuJoCo's y at x = 0.5";
  ASSERT_EQ(model.spec().rows.size(), 1U);
  EXPECT_NEAR(model.spec().rows[0].upper, 0.5, 1e-15) << "one joint is held 0.2 from its reference";
  EXPECT_NOTE(text, "equalities that are not linear are ignored: 'y'");
  EXPECT_NOTE(text, "equalities other than of joints (closed loops) are ignored: 'weld'");
  EXPECT_NOTE(text, "inactive equalities are ignored: 'y'");
}

TEST(MjcfReader, FixedTendonsWithARangeAreCoupledRows) {
  std::string text = two_bodies("<joint name='x'/><joint name='y'/>", "<compiler angle='radian'/>");
  text.insert(
      text.find("</mujoco>"),
      "<tendon><fixed name='sum' range='-1 2'><joint joint='x' coef='1'/><joint joint='y' coef='-3'/></fixed>"
      "<spatial name='cable'/></tendon>");
  const Model model = read(text);
  ASSERT_EQ(model.rows().size(), 1U);
  EXPECT_EQ(model.rows()[0].name, "sum");
  EXPECT_EQ(model.rows()[0].terms[1].coefficient, -3.0);
  EXPECT_EQ(model.rows()[0].lower, -1.0);
  EXPECT_EQ(model.rows()[0].upper, 2.0);
  EXPECT_NOTE(text, "tendons that do not bound a sum of the robot's joints are ignored: 'cable'");
}

TEST(MjcfReader, WhatNoPoseCanMeetIsIgnoredWithANoteSinceMuJoCosEqualitiesAreSoft) {
  std::string text =
      two_bodies("<joint name='x' range='-1 1'/><joint name='y' range='5 6'/>", "<compiler angle='radian'/>");
  text.insert(text.find("</mujoco>"), "<equality><joint joint1='y' joint2='x'/></equality>");
  EXPECT_TRUE(read(text).rows().empty());
  EXPECT_NOTE(text, "that no pose within the ranges can meet are ignored: 'y'");
}

TEST(MjcfReader, AKeyframeIsTheRestPose) {
  std::string text =
      two_bodies("<joint name='j'/><body><joint name='k' type='ball'/></body>", "<compiler angle='radian'/>");
  const std::string other = "0 0 1 1 0 0 0 0.1 1 0 0 0",
                    home = "0 0 1 1 0 0 0 0.4 0.9800665778412416 0.19866933079506122 0 0";
  std::string keys = "<keyframe><key qpos='";
  keys += other;
  keys += "'/><key name='home' qpos='";
  keys += home;
  keys += "'/></keyframe>";
  text.insert(text.find("</mujoco>"), keys);
  const Model model = read(text);
  EXPECT_EQ(model.rest()[0], 0.4) << "a key called home before the first";
  EXPECT_NEAR(model.rest()[1], 0.4, 1e-15) << "the ball's quaternion is 0.4 rad about x";
  EXPECT_EQ(model.rest()[3], 0.0);
  EXPECT_NOTE(text, "the rest pose is the keyframe: 'home'");
  text.replace(text.find(home), home.size(), "1 2 3");
  EXPECT_NOTE(text, "a keyframe of 3 values is ignored, the model needs 12: 'home'");
}

// --- refusals ---

TEST(MjcfReader, RefusesWithLineAndElement) {
  EXPECT_ERROR("", "test.xml:1: no XML element; expected <mujoco model='...'>");
  EXPECT_ERROR("<robot name='r'/>", "the outermost element of an MJCF must be <mujoco>");
  EXPECT_ERROR("<mujocoinclude/>", "this is a part of a model; give the file that includes it");
  EXPECT_ERROR("<mujoco>", "not well-formed XML");
  EXPECT_ERROR("<mujoco/>", "the model has no <body>");
  EXPECT_ERROR(two_bodies("<joint name='j' axis='0 0 0'/>"),
               "test.xml:5: <joint name='j'>: the axis is zero");
  EXPECT_ERROR(two_bodies("<joint axis='0 1'/>"), "axis='0 1' needs 3 numbers");
  EXPECT_ERROR(two_bodies("<joint axis='0 1,5 1'/>"), "is not a number (write decimals with a point)");
  EXPECT_ERROR(two_bodies("<joint axis='0 nan 1'/>"), "is not a finite number");
  EXPECT_ERROR(two_bodies("<joint type='screw'/>"), "type='screw' must be one of: free, ball, slide, hinge");
  EXPECT_ERROR(two_bodies("<freejoint/>"), "a free joint is only allowed on a body of the world");
  EXPECT_ERROR(in_world("<body><freejoint/><joint/></body>"),
               "a body with a free joint cannot have another joint");
  EXPECT_ERROR(in_world("<joint/>"), "the world cannot have joints");
  EXPECT_ERROR(in_world("<body name='world'/>"), "a body cannot be called 'world'");
  EXPECT_ERROR(two_bodies("<body name='a'/>"), "a body of this name is already at test.xml:4");
  EXPECT_ERROR(two_bodies("<joint name='j'/><joint name='j'/>"),
               "a joint of this name is already at test.xml:5");
  EXPECT_ERROR(two_bodies("<body quat='0 0 0 0'/>"), "quat is zero");
  EXPECT_ERROR(two_bodies("<body zaxis='0 0 0'/>"), "zaxis has an axis without a direction");
  EXPECT_ERROR(two_bodies("<body xyaxes='1 0 0 2 0 0'/>"), "xyaxes has an axis without a direction");
  EXPECT_ERROR(two_bodies("<body quat='1 0 0 0' euler='0 0 0'/>"), "several orientations; give one");
  EXPECT_ERROR(two_bodies("<inertial mass='-1'/>"), "mass=-1 is negative");
  EXPECT_ERROR(two_bodies("<inertial mass='1'/><inertial mass='1'/>"), "a second <inertial> of the body");
  EXPECT_ERROR(two_bodies("", "<compiler coordinate='global'/>"),
               "coordinate='global' is not supported; load and save");
  EXPECT_ERROR(two_bodies("", "<compiler eulerseq='ab'/>"),
               "eulerseq='ab' must be three of x, y, z, X, Y, Z");
  EXPECT_ERROR(two_bodies("<attach model='x'/>"),
               "<attach> is not supported; open the model in MuJoCo, save it");
  EXPECT_ERROR(two_bodies("<replicate count='3'><body/></replicate>"), "<replicate> is not supported");
  EXPECT_NOTE(two_bodies("<replicate count='3'><geom size='1'/></replicate>"),
              "<replicate> is ignored, in: 'b'");
}

TEST(MjcfReader, NumbersAreReadInEveryLocale) {
  double upper = 0.0;
  {
    const test::CommaPoint comma;
    upper = joint(read(two_bodies("<joint name='j' type='slide' range='-0.5 1.25'/>")), "j").upper;
  }
  EXPECT_EQ(upper, 1.25);
}

TEST(MjcfReader, IsRecognisedByItsFirstElement) {
  EXPECT_TRUE(is_mjcf("<mujoco model='g1'>"));
  EXPECT_TRUE(is_mjcf("\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- G1 --><mujoco>"));
  EXPECT_FALSE(is_mjcf("<mujocoinclude>"));
  EXPECT_FALSE(is_mjcf("<robot name='g1'><mujoco><compiler/></mujoco>"));
  EXPECT_FALSE(is_mjcf("<!-- <mujoco>"));
  EXPECT_FALSE(is_mjcf(""));
}

}  // namespace
}  // namespace panto::io
