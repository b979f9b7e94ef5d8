#include "panto/model/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Joint hinge(const std::string& name, const std::string& parent, const std::string& child,
            const Vector3d& axis = Vector3d::UnitZ()) {
  Joint joint;
  joint.name = name;
  joint.type = JointType::Revolute;
  joint.parent = parent;
  joint.child = child;
  joint.axis = axis;
  joint.p_PJ = {0.1, 0.0, 0.0};
  return joint;
}

// base - upper - fore - hand(fixed)
ModelSpec arm() {
  ModelSpec spec;
  spec.name = "arm";
  spec.links = {{"base", 1.0}, {"upper", 2.0}, {"fore", 1.5}, {"hand", 0.5}};
  spec.joints = {hinge("shoulder", "base", "upper"), hinge("elbow", "upper", "fore"),
                 hinge("wrist", "fore", "hand")};
  spec.joints[2].type = JointType::Fixed;
  return spec;
}

struct Refusal {
  const char* name;
  std::function<void(ModelSpec&)> spoil;
  std::vector<std::string> says;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class ModelRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(ModelRefuses, AndNamesTheItem) {
  ModelSpec spec = arm();
  GetParam().spoil(spec);
  try {
    const Model model(spec);
    FAIL() << "was accepted";
  } catch (const ModelError& error) {
    for (const std::string& part : GetParam().says)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << error.what() << "\nlacks: " << part;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Everything, ModelRefuses,
    ::testing::Values(
        Refusal{"NoLinks", [](ModelSpec& s) { s.links.clear(), s.joints.clear(); }, {"'arm'", "no links"}},
        Refusal{"LinkWithoutName", [](ModelSpec& s) { s.links[1].name.clear(); }, {"link without a name"}},
        Refusal{"TwoLinksOfOneName", [](ModelSpec& s) { s.links.push_back({"fore"}); }, {"two links", "'fore'"}},
        Refusal{"JointWithoutName", [](ModelSpec& s) { s.joints[1].name.clear(); }, {"joint without a name"}},
        Refusal{"TwoJointsOfOneName",
                [](ModelSpec& s) { s.joints[2].name = "elbow"; },
                {"two joints", "'elbow'"}},
        Refusal{"LineBreakInTheNameOfAJoint",
                [](ModelSpec& s) { s.joints[1].name = "el\nbow"; },
                {"joint 'el\\x0abow'", "control character", "rename it"}},
        Refusal{"TabInTheNameOfALink",
                [](ModelSpec& s) { s.links[0].name = "ba\tse", s.joints[0].parent = "ba\tse"; },
                {"link 'ba\\x09se'", "control character"}},
        Refusal{"NegativeMass", [](ModelSpec& s) { s.links[2].mass = -1.0; }, {"'fore'", "mass", "-1"}},
        Refusal{"MassNotANumber", [](ModelSpec& s) { s.links[2].mass = kNan; }, {"'fore'", "mass"}},
        Refusal{"InfiniteMass", [](ModelSpec& s) { s.links[0].mass = kInfinity; }, {"'base'", "mass"}},
        Refusal{"CentreOfMassNotFinite",
                [](ModelSpec& s) { s.links[1].com.y() = kNan; },
                {"'upper'", "centre of mass"}},
        Refusal{"InertiaNotFinite",
                [](ModelSpec& s) { s.links[1].inertia(0, 2) = kInfinity; },
                {"'upper'", "inertia"}},
        Refusal{"OriginNotFinite", [](ModelSpec& s) { s.joints[1].p_PJ.x() = kNan; }, {"'elbow'", "origin"}},
        Refusal{"OriginNotARotation",
                [](ModelSpec& s) { s.joints[2].R_PJ *= 1.1; },
                {"'wrist'", "not a rotation"}},
        Refusal{"OriginMirrored",
                [](ModelSpec& s) { s.joints[2].R_PJ = -s.joints[2].R_PJ; },
                {"'wrist'", "not a rotation"}},
        Refusal{"ZeroAxis", [](ModelSpec& s) { s.joints[0].axis.setZero(); }, {"'shoulder'", "unit vector"}},
        Refusal{"LongAxis",
                [](ModelSpec& s) { s.joints[0].axis = {1.0, 1.0, 0.0}; },
                {"'shoulder'", "unit vector"}},
        Refusal{"AxisNotFinite", [](ModelSpec& s) { s.joints[0].axis.x() = kNan; }, {"'shoulder'", "axis"}},
        Refusal{"LimitsSwapped",
                [](ModelSpec& s) { s.joints[1].lower = 1.0, s.joints[1].upper = -1.0; },
                {"'elbow'", "lower limit 1", "upper -1"}},
        Refusal{"LimitNotANumber", [](ModelSpec& s) { s.joints[1].upper = kNan; }, {"'elbow'", "limit"}},
        Refusal{"LowerInfinite",
                [](ModelSpec& s) { s.joints[1].lower = s.joints[1].upper = kInfinity; },
                {"'elbow'", "no admissible value"}},
        Refusal{"UpperMinusInfinite",
                [](ModelSpec& s) { s.joints[1].lower = s.joints[1].upper = -kInfinity; },
                {"'elbow'", "no admissible value"}},
        Refusal{"NoSpeed", [](ModelSpec& s) { s.joints[0].velocity = 0.0; }, {"'shoulder'", "speed limit"}},
        Refusal{"NegativeSpeed", [](ModelSpec& s) { s.joints[0].velocity = -2.0; }, {"'shoulder'", "-2"}},
        Refusal{"SpeedNotANumber", [](ModelSpec& s) { s.joints[0].velocity = kNan; }, {"'shoulder'", "speed"}},
        Refusal{"UnknownParent",
                [](ModelSpec& s) { s.joints[1].parent = "uper"; },
                {"'elbow'", "no link 'uper'", "did you mean 'upper'?", "'arm'"}},
        Refusal{"UnknownChild",
                [](ModelSpec& s) { s.joints[1].child = "foree"; },
                {"'elbow'", "no link 'foree'", "'fore'"}},
        Refusal{"TwoParents",
                [](ModelSpec& s) { s.joints.push_back(hinge("strut", "base", "fore")); },
                {"'fore'", "two parents", "'elbow'", "'strut'"}},
        Refusal{"TwoRoots",
                [](ModelSpec& s) { s.links.push_back({"tool"}); },
                {"two roots", "'base'", "'tool'"}},
        Refusal{"NoRoot",
                [](ModelSpec& s) { s.joints.push_back(hinge("back", "hand", "base")); },
                {"cycle", "'arm'"}},
        Refusal{"ALinkIsItsOwnParent",
                [](ModelSpec& s) { s.joints.push_back(hinge("self", "base", "base")); },
                {"cycle"}},
        Refusal{"ACycleApart",
                [](ModelSpec& s) {
                  s.links.push_back({"left"}), s.links.push_back({"right"});
                  s.joints.push_back(hinge("there", "left", "right"));
                  s.joints.push_back(hinge("back", "right", "left"));
                },
                {"2 links", "cycle"}},
        Refusal{"RestOfTheWrongLength",
                [](ModelSpec& s) { s.rest = Eigen::VectorXd::Zero(3); },
                {"'arm'", "rest pose", "2", "3"}},
        Refusal{"RestNotFinite",
                [](ModelSpec& s) { s.rest = Eigen::Vector2d(0.0, kNan); },
                {"'arm'", "rest pose", "finite", "'elbow'"}},
        Refusal{"RowWithoutTerms",
                [](ModelSpec& s) { s.rows.push_back({"cable", {}, 0.0, 1.0}); },
                {"'cable'", "no terms"}},
        Refusal{"RowWithBoundsSwapped",
                [](ModelSpec& s) { s.rows.push_back({"cable", {{"elbow", 1.0}}, 1.0, 0.0}); },
                {"'cable'", "lower"}},
        Refusal{"RowOverAnUnknownJoint",
                [](ModelSpec& s) { s.rows.push_back({"cable", {{"elbov", 1.0}}, 0.0, 1.0}); },
                {"no joint 'elbov'", "did you mean 'elbow'?"}},
        Refusal{"RowOverAFixedJoint",
                [](ModelSpec& s) { s.rows.push_back({"cable", {{"wrist", 1.0}}, 0.0, 1.0}); },
                {"no joint 'wrist'"}},
        Refusal{"RowWithACoefficientThatIsNone",
                [](ModelSpec& s) { s.rows.push_back({"cable", {{"elbow", kNan}}, 0.0, 1.0}); },
                {"'cable'", "'elbow'", "finite"}},
        Refusal{"MimicOfAnUnknownJoint",
                [](ModelSpec& s) { s.mimics.push_back({"elbow", "sholder", 1.0, 0.0}); },
                {"no joint 'sholder'", "did you mean 'shoulder'?"}},
        Refusal{"MimicWithoutANumber",
                [](ModelSpec& s) { s.mimics.push_back({"elbow", "shoulder", kNan, 0.0}); },
                {"'mimic elbow'", "finite"}}),
    [](const ::testing::TestParamInfo<Refusal>& refusal) { return std::string(refusal.param.name); });

TEST(Model, LooksUpByNameAndListsTheNamesOtherwise) {
  const Model model(arm());
  EXPECT_EQ(model.link_index("hand"), 3);
  EXPECT_EQ(model.joint_index("elbow"), 1);
  EXPECT_FALSE(model.find_joint("wrist").has_value()) << "fixed joints are not in State::s";
  EXPECT_FALSE(model.find_link("").has_value());
  try {
    (void)model.link_index("hant");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "no link 'hant' in model 'arm'; did you mean 'hand'? (4 links: base, upper, fore, hand)");
  }
}

TEST(Model, KeepsTheFilesOrderWhateverTheTreesIs) {
  // joints listed from the tip inwards, links shuffled: State::s and names follow the file
  ModelSpec spec = arm();
  std::swap(spec.joints[0], spec.joints[2]);
  std::swap(spec.links[0], spec.links[3]);
  const Model model(spec);
  EXPECT_EQ(model.joint_names(), (std::vector<std::string>{"elbow", "shoulder"}));
  EXPECT_EQ(model.link_names(), (std::vector<std::string>{"hand", "upper", "fore", "base"}));
  EXPECT_EQ(model.root_link(), 3);
  EXPECT_EQ(model.joint(0).name, "elbow");
  ASSERT_EQ(model.tree().size(), 3);
  EXPECT_EQ(model.tree().dof, (std::vector<int>{-1, 1, 0}));  // the shoulder comes first in the tree
}

TEST(Model, StoresBodiesLevelByLevel) {
  // a deep branch listed before a shallow one: breadth first puts both children of the base side by side
  ModelSpec spec;
  spec.links = {{"base"}, {"a1"}, {"a2"}, {"a3"}, {"b1"}, {"b2"}};
  spec.joints = {hinge("ja1", "base", "a1"), hinge("ja2", "a1", "a2"), hinge("ja3", "a2", "a3"),
                 hinge("jb1", "base", "b1"), hinge("jb2", "b1", "b2")};
  const Model model(spec);
  EXPECT_EQ(model.tree().level, (std::vector<int>{0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(model.tree().parent, (std::vector<int>{-1, 0, 0, 1, 2, 3}));
  EXPECT_EQ(model.tree().dof, (std::vector<int>{-1, 0, 3, 1, 4, 2}));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Model random = test::random_model(seed);
    const Tree& tree = random.tree();
    for (int i = 1; i < tree.size(); ++i) {
      const auto at = static_cast<std::size_t>(i), parent = static_cast<std::size_t>(tree.parent[at]);
      ASSERT_LT(tree.parent[at], i);
      ASSERT_EQ(tree.level[at], tree.level[parent] + 1);
      ASSERT_GE(tree.level[at], tree.level[at - 1]);
    }
  }
}

TEST(Model, ALinkBehindAFixedJointSitsOnTheBodyBeforeIt) {
  ModelSpec spec = arm();
  spec.joints[2].R_PJ = so3::about_axis(0, 0.5);
  const Model model(spec);
  const LinkFrame& frame = model.frame(model.link_index("hand"));
  EXPECT_EQ(frame.body, model.frame(model.link_index("fore")).body);
  EXPECT_LT((frame.R_BL - so3::about_axis(0, 0.5)).norm(), 1e-15);
  EXPECT_LT((frame.p_BL - Vector3d(0.1, 0.0, 0.0)).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(model.total_mass(), 5.0);
}

TEST(Model, MimicsBecomeEqualityRowsBehindTheGivenOnes) {
  ModelSpec spec = arm();
  spec.rows.push_back({"cable", {{"shoulder", 1.7}, {"elbow", -1.7}}, -6.0, kInfinity});
  spec.mimics.push_back({"elbow", "shoulder", -0.5, 0.2});
  const Model model(spec);
  ASSERT_EQ(model.rows().size(), 2U);
  EXPECT_EQ(model.rows()[0].name, "cable");
  const CoupledRow& row = model.rows()[1];
  EXPECT_EQ(row.name, "mimic elbow");
  ASSERT_EQ(row.terms.size(), 2U);
  // elbow = -0.5 shoulder + 0.2, as 1 elbow + 0.5 shoulder = 0.2
  EXPECT_EQ(row.terms[0].joint, "elbow");
  EXPECT_EQ(row.terms[0].coefficient, 1.0);
  EXPECT_EQ(row.terms[1].joint, "shoulder");
  EXPECT_EQ(row.terms[1].coefficient, 0.5);
  EXPECT_EQ(row.lower, 0.2);
  EXPECT_EQ(row.upper, 0.2);
}

TEST(Model, RefusesARowThatNoPoseWithinTheRangesCanMeet) {
  ModelSpec spec = arm();
  spec.joints[0].lower = -1.0, spec.joints[0].upper = 2.0;
  spec.joints[1].lower = 0.0, spec.joints[1].upper = 0.5;
  const auto refusal = [&] {
    try {
      (void)Model(spec);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  // shoulder - 2 elbow is within -2 and 2
  spec.rows = {{"cable", {{"shoulder", 1.0}, {"elbow", -2.0}}, 2.0, kInfinity}};
  EXPECT_EQ(refusal(), "");
  spec.rows[0].lower = 2.1;
  EXPECT_EQ(refusal(),
            "coupled row 'cable': must be from 2.1 to inf, but the ranges of its joints give values from -2 "
            "to 2: no "
            "pose can meet it");
  spec.rows.clear();
  spec.mimics.push_back({"elbow", "shoulder", 1.0, 10.0});  // elbow = shoulder + 10
  EXPECT_EQ(refusal(),
            "coupled row 'mimic elbow': must be 10, but the ranges of its joints give values from -2 to 1.5: "
            "no pose can "
            "meet it");
  // where a joint has no limit there is a pose
  spec.joints[0].lower = -kInfinity;
  EXPECT_EQ(refusal(), "");
}

TEST(Model, MovesTheRestPoseInsideTheLimits) {
  ModelSpec spec = arm();
  spec.joints[0].lower = 0.3;  // zero is outside
  spec.joints[1].upper = 1.0;
  EXPECT_EQ(Model(spec).rest(), Eigen::VectorXd(Eigen::Vector2d(0.3, 0.0)));
  spec.rest = Eigen::Vector2d(0.5, 7.0);
  EXPECT_EQ(Model(spec).rest(), Eigen::VectorXd(Eigen::Vector2d(0.5, 1.0)));
}

TEST(Model, AnswersForLimitsByTheOrderOfTheJoints) {
  ModelSpec spec = arm();
  spec.joints[1].lower = -0.5;
  spec.joints[1].velocity = 3.0;
  const Model model(spec);
  EXPECT_EQ(model.lower()[0], -kInfinity);
  EXPECT_EQ(model.upper()[1], kInfinity);
  EXPECT_EQ(model.lower()[1], -0.5);
  EXPECT_EQ(model.velocity_limit()[1], 3.0);
  EXPECT_EQ(model.nv(), 8);
  spec.floating_base = false;
  EXPECT_EQ(Model(spec).nv(), 2);
}

// ---- groups -----------------------------------------------------------------------------------------------

// three hinges through one point between "base" and "end"
ModelSpec triple(const std::array<Vector3d, 3>& axes) {
  ModelSpec spec;
  spec.links = {{"base"}, {"m1"}, {"m2"}, {"end"}};
  spec.joints = {hinge("j1", "base", "m1", axes[0]), hinge("j2", "m1", "m2", axes[1]),
                 hinge("j3", "m2", "end", axes[2])};
  spec.joints[1].p_PJ.setZero();
  spec.joints[2].p_PJ.setZero();
  return spec;
}

TEST(JointGroups, AreSeriesOfHingesThroughOnePoint) {
  const auto counts = [](const ModelSpec& spec) {
    std::vector<int> result;
    const Model model(spec);
    for (const JointGroup& group : model.tree().groups) result.push_back(group.count);
    return result;
  };
  const std::array<Vector3d, 3> xyz{Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
  ModelSpec spec = triple(xyz);
  EXPECT_EQ(counts(spec), (std::vector<int>{3}));

  ModelSpec apart = spec;
  apart.joints[2].p_PJ.z() = 1e-6;
  EXPECT_EQ(counts(apart), (std::vector<int>{2, 1}));

  ModelSpec slide = spec;
  slide.joints[1].type = JointType::Prismatic;
  EXPECT_EQ(counts(slide), (std::vector<int>{1, 1, 1}));

  // something branches off in between: the link it hangs on has to be a body of its own
  ModelSpec branch = spec;
  branch.links.push_back({"side"});
  branch.joints.push_back(hinge("js", "m1", "side"));
  EXPECT_EQ(counts(branch).size(), 3U);
  EXPECT_EQ(counts(branch)[0], 1);

  // four in series: three and one
  ModelSpec four = spec;
  four.links.push_back({"more"});
  four.joints.push_back(hinge("j4", "end", "more"));
  four.joints[3].p_PJ.setZero();
  EXPECT_EQ(counts(four), (std::vector<int>{3, 1}));
}

TEST(JointGroups, AreSphericalWhereNeighboursArePerpendicular) {
  const auto spherical = [](const std::array<Vector3d, 3>& axes) {
    return Model(triple(axes)).tree().groups[0].spherical;
  };
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  EXPECT_TRUE(spherical({x, y, z}));
  EXPECT_TRUE(spherical({z, x, z}));  // proper Euler angles
  EXPECT_TRUE(spherical({-y, z, -x}));
  EXPECT_FALSE(spherical({x, x, z}));
  EXPECT_FALSE(spherical({x, (y + 1e-6 * x).normalized(), z}));
}

TEST(JointGroups, DavenportFormHoldsOnRandomTriples) {
  // A R_PC B = R_x(s1) R_y(s2 + mu) R_z(s3) for any three axes whose neighbours are perpendicular
  test::Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(500); ++i) {
    ModelSpec spec = triple({Vector3d::UnitX(), Vector3d::UnitX(), Vector3d::UnitX()});
    for (Joint& joint : spec.joints) joint.R_PJ = test::random_rotation(random);
    // axes in the first joint's frame: e1, e2 perpendicular to it, e3 perpendicular to e2
    const Vector3d e1 = test::random_direction(random);
    const Vector3d e2 = e1.cross(test::random_direction(random)).normalized();
    const Vector3d e3 = e2.cross(test::random_direction(random)).normalized();
    const Matrix3d R2 = spec.joints[1].R_PJ, R3 = spec.joints[2].R_PJ;
    spec.joints[0].axis = e1;
    spec.joints[1].axis = R2.transpose() * e2;
    spec.joints[2].axis = (R2 * R3).transpose() * e3;
    const Model model(spec);
    const JointGroup& group = model.tree().groups.at(0);
    ASSERT_TRUE(group.spherical);

    State state = test::random_state(model, random);
    Kinematics kinematics(model);
    kinematics.update(state);
    const Matrix3d R_PC = kinematics.R_WL(0).transpose() * kinematics.R_WL(3);
    const Matrix3d expected = so3::about_axis(0, state.s[0]) * so3::about_axis(1, state.s[1] + group.mu) *
                              so3::about_axis(2, state.s[2]);
    worst = std::max(worst, (group.A * R_PC * group.B - expected).cwiseAbs().maxCoeff());
    // singular where the outer axes are parallel: |cos(s2 + mu)| is the volume of the three axes
    const auto& axis = kinematics.joint_axis();
    const double volume = axis[1].dot(axis[2].cross(axis[3]));
    worst = std::max(worst, std::abs(std::abs(volume) - std::abs(std::cos(state.s[1] + group.mu))));
  }
  EXPECT_LT(worst, 1e-13);
}

TEST(JointGroups, AreAllSphericalInTheFreeHuman) {
  const Model model = human66();
  ASSERT_EQ(model.tree().groups.size(), 22U);
  for (const JointGroup& group : model.tree().groups) {
    EXPECT_TRUE(group.spherical);
    EXPECT_NEAR(group.mu, 0.0, 1e-15);
  }
}

}  // namespace
}  // namespace panto
