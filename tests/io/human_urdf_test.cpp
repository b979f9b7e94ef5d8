// Our human models against the files that the authors of human-gazebo publish.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>

#include "panto/io/urdf.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr const char* kFree66 = "models/human-gazebo/humanSubject01_66dof.urdf";
constexpr const char* kSubject1 = "models/human-gazebo/humanSubject01_48dof.urdf";
constexpr const char* kSubject3 = "models/human-gazebo/humanSubject03_48dof.urdf";

/// The dimensions of the person that a URDF models; ends from our proportions.
SubjectDimensions subject_of(const Model& urdf, double height) {
  SubjectDimensions subject = scaled_subject(height, urdf.total_mass());
  for (int segment = 1; segment < kHumanSegmentCount; ++segment) {
    const auto i = static_cast<std::size_t>(segment);
    const std::string child(kHumanSegmentNames[i]),
        parent(kHumanSegmentNames[static_cast<std::size_t>(kHumanSegmentParent[i])]);
    for (const Joint& joint : urdf.all_joints()) {
      if (joint.parent == parent && (joint.child == child || joint.child == child + "_f1")) {
        subject.origin[i] = joint.p_PJ;
      }
    }
  }
  return subject;
}

void expect_same_tree(const Model& ours, const Model& theirs) {
  ASSERT_EQ(ours.dof(), theirs.dof());
  std::set<std::string> our_joints(ours.joint_names().begin(), ours.joint_names().end());
  std::set<std::string> their_joints(theirs.joint_names().begin(), theirs.joint_names().end());
  EXPECT_EQ(our_joints, their_joints);
  for (const std::string& name : ours.joint_names()) {
    const Joint &a = ours.joint(ours.joint_index(name)), &b = theirs.joint(theirs.joint_index(name));
    EXPECT_EQ(a.parent, b.parent) << name;
    EXPECT_EQ(a.child, b.child) << name;
    EXPECT_EQ(a.axis, b.axis) << name;
    EXPECT_EQ(a.p_PJ, b.p_PJ) << name;
    EXPECT_TRUE(a.R_PJ.isApprox(b.R_PJ, 1e-15)) << name;
  }
  for (const Link& link : ours.links()) EXPECT_TRUE(theirs.find_link(link.name)) << link.name;
}

TEST(HumanModelsAgainstHumanGazebo, Human66IsTheSameTree) {
  PANTO_NEED_DATA(kFree66);
  const Model theirs = io::read_urdf(test::data_file(kFree66));
  const Model ours = human66(subject_of(theirs, 1.68));
  expect_same_tree(ours, theirs);
  EXPECT_EQ(ours.joint_names(), theirs.joint_names()) << "the order of State::s too";
}

TEST(HumanModelsAgainstHumanGazebo, Human48IsTheSameTree) {
  PANTO_NEED_DATA(kSubject1);
  PANTO_NEED_DATA(kSubject3);
  for (const auto& [file, height] : {std::pair{kSubject1, 1.68}, std::pair{kSubject3, 1.80}}) {
    const Model theirs = io::read_urdf(test::data_file(file));
    const Model ours = human48(subject_of(theirs, height));
    expect_same_tree(ours, theirs);
    EXPECT_EQ(ours.joint_names(), theirs.joint_names());
  }
}

TEST(HumanModelsAgainstHumanGazebo, LimitsOfHuman48DifferAtTheToesOnly) {
  PANTO_NEED_DATA(kSubject1);
  const Model theirs = io::read_urdf(test::data_file(kSubject1));
  const Model ours = human48();
  std::set<std::string> different;
  for (const std::string& name : ours.joint_names()) {
    const int i = ours.joint_index(name), j = theirs.joint_index(name);
    // the files round to six digits
    if (std::abs(ours.lower()[i] - theirs.lower()[j]) > 1e-5 ||
        std::abs(ours.upper()[i] - theirs.upper()[j]) > 1e-5) {
      different.insert(name);
    }
  }
  EXPECT_EQ(different, (std::set<std::string>{"jLeftBallFoot_roty", "jRightBallFoot_roty"}));
  // theirs bends the toes 90 deg down and 10 deg up
  const int toe = theirs.joint_index("jRightBallFoot_roty");
  EXPECT_NEAR(theirs.lower()[toe] / kDegree, -10.0, 1e-3);
  EXPECT_NEAR(theirs.upper()[toe] / kDegree, 90.0, 1e-3);
}

TEST(HumanModelsAgainstHumanGazebo, MassesAreTheSame) {
  PANTO_NEED_DATA(kSubject1);
  const Model theirs = io::read_urdf(test::data_file(kSubject1));
  EXPECT_NEAR(theirs.total_mass(), 62.2, 0.01);
  const Model ours = human48(scaled_subject(1.68, 62.2));
  for (const std::string& segment : human_segment_names()) {
    const Link& a = ours.links()[static_cast<std::size_t>(ours.link_index(segment))];
    const Link& b = theirs.links()[static_cast<std::size_t>(theirs.link_index(segment))];
    EXPECT_NEAR(a.mass, b.mass, 1e-4) << segment;
    // theirs sit in the middle of each segment, ours by de Leva: a thigh's at 0.385 of its length, 5 cm
    // higher
    EXPECT_LT((a.com - b.com).norm(), 0.06) << segment;
  }
}

TEST(HumanModelsAgainstHumanGazebo, ScaledSubjectIsNearThePersonMeasured) {
  PANTO_NEED_DATA(kSubject1);
  PANTO_NEED_DATA(kSubject3);
  for (const auto& [file, height, tolerance] :
       {std::tuple{kSubject1, 1.68, 0.02}, std::tuple{kSubject3, 1.80, 0.05}}) {
    const SubjectDimensions measured = subject_of(io::read_urdf(test::data_file(file)), height);
    const SubjectDimensions scaled = scaled_subject(height);
    for (int segment = 1; segment < kHumanSegmentCount; ++segment) {
      const auto i = static_cast<std::size_t>(segment);
      EXPECT_LT((measured.origin[i] - scaled.origin[i]).norm(), tolerance) << kHumanSegmentNames[i];
    }
  }
}

TEST(HumanModelsAgainstHumanGazebo, TheirModelWalksToo) {
  PANTO_NEED_DATA(kSubject3);
  const Model theirs = io::read_urdf(test::data_file(kSubject3));
  const Motion motion = synthesise(make_synthesis("walk", theirs), 2.0, 60.0);
  for (const State& state : motion.states) {
    ASSERT_TRUE((state.s.array() >= theirs.lower().array()).all());
    ASSERT_TRUE((state.s.array() <= theirs.upper().array()).all());
  }
}

TEST(RandomMotionOnRobots, KeepsInsideTheLimitsOfEveryFile) {
  for (const char* file :
       {"models/icub/iCubGazeboV2_5.urdf", "models/icub/teleoperation_iCub_model_V_2_5.urdf",
        "models/unitree/g1_29dof_rev_1_0.urdf", "models/unitree/h1.urdf", "models/talos/talos_reduced.urdf",
        kFree66, kSubject3}) {
    PANTO_NEED_DATA(file);
    const Model model = io::read_urdf(test::data_file(file));
    for (const State& state : synthesise(make_synthesis("random", model, 11), 5.0, 50.0).states) {
      ASSERT_TRUE(is_valid(state, model)) << file;
      ASSERT_TRUE((state.s.array() >= model.lower().array() - 1e-12).all()) << file;
      ASSERT_TRUE((state.s.array() <= model.upper().array() + 1e-12).all()) << file;
      ASSERT_TRUE((state.sdot.array().abs() <= model.velocity_limit().array()).all()) << file;
    }
  }
}

}  // namespace
}  // namespace panto
