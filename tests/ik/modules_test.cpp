// How a model is taken apart, and what cannot be.

#include "panto/ik/modules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "panto/base/index.hpp"
#include "panto/ik/module_laws.hpp"
#include "tests/support/solver_scenes.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

// "pan-tilt: waist torso" and so on, by the joints' child links
std::vector<std::string> names(const Model& model, const std::vector<Module>& modules) {
  std::vector<std::string> result;
  for (const Module& module : modules) {
    std::string text = std::string(to_string(module.kind)) + ":";
    for (const int dof : module.dof) {
      if (dof >= 0) text += " " + model.joint(dof).child;
    }
    result.push_back(text);
  }
  return result;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// a chain of hinges: axes and where each sits on the one before; targets on the links named by `rows`
Model chain(const std::vector<std::pair<Vector3d, Vector3d>>& joints) {
  ModelSpec spec;
  spec.name = "chain";
  spec.links = {{"0"}};
  for (const auto& [axis, place] : joints) {
    Joint joint;
    joint.type = JointType::Revolute;
    joint.parent = spec.links.back().name;
    joint.child = std::to_string(spec.links.size());
    joint.name = "j" + joint.child;
    joint.axis = axis.normalized();
    joint.p_PJ = place;
    spec.links.push_back({joint.child, 1.0});
    spec.joints.push_back(joint);
  }
  return Model(spec);
}

std::vector<Target> rows_on(const Model& model, const std::vector<std::string>& links) {
  std::vector<Target> rows;
  for (const std::string& link : links) {
    Target row;
    row.link = model.link_index(link);
    rows.push_back(row);
  }
  return rows;
}

std::string refusal(const Model& model, const std::vector<Target>& rows) {
  try {
    (void)find_modules(model, rows);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ(), none = Vector3d::Zero();

TEST(FindModules, TakesAnUpperBodyApartAsThePaperDoes) {
  const Model model = test::upper_body();
  const auto found = names(model, find_modules(model, test::all_rows(model)));
  EXPECT_EQ(found.size(), 8U);
  EXPECT_TRUE(has(found, "pan-tilt: waist torso"));
  EXPECT_TRUE(has(found, "spherical: neck_1 neck_2 head"));
  for (const std::string side : {"left_", "right_"}) {
    // twist and roll turn about the line to the next module, so they belong to it
    EXPECT_TRUE(has(found, "pan-tilt: " + side + "pan " + side + "tilt"));
    EXPECT_TRUE(has(found, "pan-tilt: " + side + "upper_arm " + side + "elbow"));
    EXPECT_TRUE(has(found, "pan-tilt: " + side + "forearm " + side + "hand"));
  }
}

TEST(FindModules, SaysWhatTellsEachModule) {
  const Model model = test::upper_body();
  const std::vector<Target> rows = test::all_rows(model);
  const auto link_of = [&](int row) { return model.link_names()[at(rows[at(row)].link)]; };
  for (const Module& module : find_modules(model, rows)) {
    const std::string last = model.joint(module.dof[module.kind == ModuleKind::Spherical ? 2 : 1]).child;
    ASSERT_TRUE(module.told()) << last;
    if (last == "left_tilt") {
      // the direction of the upper arm, along the axis of its twist; nothing tells the tilt's axis
      EXPECT_EQ(link_of(module.direction.row), "left_upper_arm");
      EXPECT_EQ(module.axis_row, -1);
    } else if (last == "left_elbow") {
      // of the forearm; where that is straight, the upper arm's own turn
      EXPECT_EQ(link_of(module.direction.row), "left_forearm");
      EXPECT_EQ(link_of(module.axis_row), "left_upper_arm");
      EXPECT_TRUE(module.direction_first);
    } else if (last == "left_hand") {
      EXPECT_EQ(link_of(module.direction.row), "left_hand");
      EXPECT_FALSE(module.direction_first);
    }
  }
}

TEST(FindModules, GivesTheOrientationOfEveryModuleForAnyAngles) {
  // A Rz(q1) Ry(q2 + mu) Rx(q3) Q is what forward kinematics says: P, mu and Q of every kind
  test::Random random(1);
  for (const Model& model : {test::upper_body(), human48(), human66(), test::small_robot()}) {
    const auto modules = find_modules(model, test::all_rows(model));
    const State state = test::random_pose(model, random, 1.0);
    Kinematics kinematics(model);
    kinematics.update(state);
    const auto& R = kinematics.body_rotation();
    const auto& p = kinematics.body_position();
    int joints = 0;
    for (const Module& module : modules) {
      Vector3d q{0.0, module.mu, 0.0};
      for (int k = 0; k < 3; ++k) {
        if (module.dof[at(k)] < 0) continue;
        q[k] += state.s[module.dof[at(k)]];
        ++joints;
      }
      const Eigen::Matrix3d found = R[at(module.parent)] * module.P * spherical_rotation(q) * module.Q;
      EXPECT_LT((found - R[at(module.last)]).cwiseAbs().maxCoeff(), 1e-12) << model.name();
      if (!module.one_point) continue;
      const Vector3d centre = p[at(module.parent)] + R[at(module.parent)] * module.centre_P;
      EXPECT_LT((p[at(module.last)] + R[at(module.last)] * module.centre_B - centre).norm(), 1e-12);
    }
    EXPECT_EQ(joints, model.dof()) << "every joint is in one module";
  }
}

TEST(FindModules, SeesAHumanAsTheModulesThatItIs) {
  const Model human = human66();
  const auto balls = find_modules(human, test::all_rows(human));
  EXPECT_EQ(balls.size(), 22U);
  EXPECT_TRUE(std::all_of(balls.begin(), balls.end(),
                          [](const Module& m) { return m.kind == ModuleKind::Spherical; }));
  // a thigh's turn about itself stays in the hip: with the knee's two joints it would lock in a straight leg
  const Model limited = human48();
  const auto found = names(limited, find_modules(limited, test::all_rows(limited)));
  EXPECT_TRUE(has(found, "hinge: RightToe"));
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const std::string& n) { return n.ends_with("RightUpperLeg") && n[0] == 's'; }),
            1);
}

TEST(FindModules, RestsWhatNoTargetTells) {
  const Model model = chain({{z, none}, {y, none}, {x, none}, {z, x}, {y, none}, {x, none}});
  const auto modules = find_modules(model, rows_on(model, {"6"}));
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_FALSE(modules[0].told());
  EXPECT_TRUE(modules[1].told());
}

TEST(FindModules, TakesModulesByHandWhereTheyAreGiven) {
  const Model model = test::upper_body();
  const std::vector<Target> rows = test::all_rows(model);
  const std::vector<ModuleDescription> given{{{"j_left_pan", "j_left_tilt", "j_left_upper_arm"}}};
  const auto found = names(model, find_modules(model, rows, given));
  EXPECT_TRUE(has(found, "spherical: left_pan left_tilt left_upper_arm"));
  EXPECT_TRUE(has(found, "hinge: left_elbow"));
  EXPECT_TRUE(has(found, "pan-tilt: right_pan right_tilt")) << "the other arm is found as ever";
}

TEST(FindModules, TakesTheLinksDirectionApartFromTheTurnBeforeTheJoints) {
  const Model model = test::upper_body();
  const std::vector<Target> rows = test::all_rows(model);
  const std::vector<ModuleDescription> given{{{"j_waist", "j_torso"}, Vector3d(0.6, 0.0, 0.8)}};
  const auto modules = find_modules(model, rows, given);
  const auto& waist = modules.front();
  EXPECT_LT((waist.d - Vector3d(0.6, 0.0, 0.8)).norm(), 1e-12);
  EXPECT_TRUE(waist.P.isIdentity(1e-12));
}

TEST(FindModules, RefusesADescriptionThatDoesNotFitWithTheReason) {
  const Model model = test::upper_body();
  const std::vector<Target> rows = test::all_rows(model);
  const auto reason = [&](const std::vector<ModuleDescription>& given) -> std::string {
    try {
      (void)find_modules(model, rows, given);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(reason({{{"j_waist", "j_head"}}}).find("'j_head' is not the only joint after 'j_waist'"),
            std::string::npos);
  EXPECT_NE(reason({{{"j_wiast"}}}).find("did you mean 'j_waist'"), std::string::npos);
  EXPECT_NE(reason({{{}}}).find("one to three joints"), std::string::npos);
  EXPECT_NE(reason({{{"j_waist"}}, {{"j_waist"}}}).find("already in another module"), std::string::npos);
  EXPECT_NE(reason({{{"j_waist", "j_torso"}, y}}).find("perpendicular to the joint's axis"),
            std::string::npos);
}

TEST(FindModules, RefusesSlidersCoupledJointsAndBentAxesByName) {
  ModelSpec spec = test::upper_body().spec();
  spec.joints[3].type = JointType::Prismatic;
  const Model sliding(spec);
  EXPECT_NE(refusal(sliding, test::all_rows(sliding)).find("joint 'j_neck_2' is a slider"),
            std::string::npos);
  spec = test::upper_body().spec();
  spec.rows.push_back({"cable", {{"j_left_pan", 1.0}, {"j_left_tilt", 1.0}}, -1.0, 1.0});
  const Model coupled(spec);
  EXPECT_NE(
      refusal(coupled, test::all_rows(coupled)).find("row 'cable' couples joints (j_left_pan and others)"),
      std::string::npos);
  // two joints between targets whose axes are 60 degrees apart, and two that are parallel
  const Model bent = chain({{z, none}, {Vector3d(0.0, std::sqrt(0.75), 0.5), none}, {x, none}});
  EXPECT_EQ(refusal(bent, rows_on(bent, {"3"})),
            "solver 'modular' cannot follow model 'chain': axes of 'j1' and 'j2' are 60.0 deg apart; "
            "modules need perpendicular axes, or a target on the link between them ('1')");
  const Model parallel = chain({{y, none}, {y, x}});
  EXPECT_NE(refusal(parallel, rows_on(parallel, {"2"})).find("are 0.0 deg apart"), std::string::npos);
  // with a target in between each is a module of its own
  EXPECT_EQ(refusal(parallel, rows_on(parallel, {"1", "2"})), "accepted");
}

TEST(FindModules, ReadsAHingeOffTheNextAxisWhereNoTargetIsItsOwn) {
  // not perpendicular, but the second link's target tells the second axis, and that the first angle
  const Model bent = chain({{z, none}, {Vector3d(0.0, std::sqrt(0.75), 0.5), none}});
  const auto modules = find_modules(bent, rows_on(bent, {"2"}));
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].kind, ModuleKind::Hinge);
  EXPECT_TRUE(modules[0].told());
}

}  // namespace
}  // namespace panto
