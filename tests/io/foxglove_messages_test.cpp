#include "panto/io/foxglove_messages.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "panto/model/human.hpp"

namespace panto::io {
namespace {

using Json = nlohmann::json;

constexpr Time kDate = 1'700'000'000'123'456'789;

Eigen::Vector3d vector_of(const Json& json) {
  return Eigen::Vector3d(json["x"].get<double>(), json["y"].get<double>(), json["z"].get<double>());
}
Eigen::Quaterniond turn_of(const Json& json) {
  return Eigen::Quaterniond(json["w"].get<double>(), json["x"].get<double>(), json["y"].get<double>(),
                            json["z"].get<double>());
}

TEST(FoxgloveMessages, HaveSchemasThatAreJson) {
  for (const FoxgloveSchema* schema :
       {&kJointStatesSchema, &kFrameTransformsSchema, &kSceneUpdateSchema, &kLogSchema}) {
    const Json json = Json::parse(schema->json);
    EXPECT_EQ(json["title"], schema->name);
    EXPECT_EQ(json["type"], "object");
  }
}

TEST(FoxgloveMessages, SayWhereEveryLinkIs) {
  const Model model = human48(scaled_subject(1.8));
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.p_WB = {1.0, -2.0, 0.9};
  state.s.setConstant(0.3);
  const Json json = Json::parse(link_transforms_text(model, kinematics, state, kDate));
  ASSERT_EQ(json["transforms"].size(), static_cast<std::size_t>(model.link_count()));
  for (int link = 0; link < model.link_count(); ++link) {
    const Json& told = json["transforms"][static_cast<std::size_t>(link)];
    EXPECT_EQ(told["parent_frame_id"], "world");
    EXPECT_EQ(told["child_frame_id"], model.links()[static_cast<std::size_t>(link)].name);
    EXPECT_EQ(told["timestamp"], (Json{{"sec", 1'700'000'000}, {"nsec", 123'456'789}}));
    EXPECT_LT((vector_of(told["translation"]) - kinematics.p_WL(link)).norm(), 1e-5) << "five decimals";
    EXPECT_LT((turn_of(told["rotation"]).toRotationMatrix() - kinematics.R_WL(link)).norm(), 1e-6);
  }
}

TEST(FoxgloveMessages, SayEveryJointsPositionAndSpeed) {
  const Model model = human48(scaled_subject(1.8));
  State state = rest_state(model);
  state.s[3] = 0.5;
  state.sdot[3] = -2.0;
  const Json json = Json::parse(joint_states_text(model, state, kDate));
  ASSERT_EQ(json["joints"].size(), static_cast<std::size_t>(model.dof()));
  EXPECT_EQ(json["joints"][3], (Json{{"name", model.joint_names()[3]}, {"position", 0.5}, {"velocity", -2}}));
}

TEST(FoxgloveMessages, LeaveOutSegmentsWithoutAPlaceAndKeepOddNamesWhole) {
  SegmentSample person;
  person.segments.resize(3);
  person.segments[0].has_position = true;
  person.segments[0].p_WS = {1.0, 2.0, 3.0};
  person.segments[2].has_position = person.segments[2].has_orientation = true;
  person.segments[2].R_WS = Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const Json json = Json::parse(person_transforms_text({"a\"\n", "b", "\xff"}, person, kDate));
  ASSERT_EQ(json["transforms"].size(), 2u);
  EXPECT_EQ(json["transforms"][0]["child_frame_id"], "person/a\"\n");
  EXPECT_EQ(json["transforms"][0]["rotation"]["w"], 1);
  EXPECT_EQ(json["transforms"][1]["child_frame_id"], "person/\xef\xbf\xbd") << "a byte that is no UTF-8";
  EXPECT_NEAR(json["transforms"][1]["rotation"]["x"].get<double>(), 0.479425538, 1e-6) << "sin(1/2)";
}

TEST(FoxgloveMessages, DrawCapsulesWhereTheyAreAndRodsWhereThereAreNone) {
  ModelSpec spec;
  spec.name = "arm";
  for (const char* name : {"base", "arm", "tip"}) spec.links.emplace_back().name = name;
  spec.links[0].capsules = {{{0.0, 0.0, 0.0}, {0.0, 0.4, 0.0}, 0.1}};
  Joint shoulder, wrist;
  shoulder.name = "shoulder";
  wrist.name = "wrist";
  shoulder.type = wrist.type = JointType::Revolute;
  shoulder.parent = "base";
  shoulder.child = wrist.parent = "arm";
  wrist.child = "tip";
  wrist.p_PJ = {0.0, 0.0, -0.3};
  spec.joints = {shoulder, wrist};
  const Model model(spec);
  const Json json = Json::parse(model_scene_text(model, kDate));
  ASSERT_EQ(json["entities"].size(), 2u) << "of the tip nothing is known";
  const Json& base = json["entities"][0];
  EXPECT_EQ(base["frame_id"], "base");
  EXPECT_EQ(base["frame_locked"], true);
  ASSERT_EQ(base["spheres"].size(), 2u);
  EXPECT_EQ(vector_of(base["spheres"][0]["size"]), Eigen::Vector3d::Constant(0.2)) << "diameters";
  const Json& cylinder = base["cylinders"][0];
  EXPECT_EQ(vector_of(cylinder["size"]), Eigen::Vector3d(0.2, 0.2, 0.4));
  EXPECT_EQ(vector_of(cylinder["pose"]["position"]), Eigen::Vector3d(0.0, 0.2, 0.0));
  EXPECT_LT(
      (turn_of(cylinder["pose"]["orientation"]) * Eigen::Vector3d::UnitZ() - Eigen::Vector3d::UnitY()).norm(),
      1e-6)
      << "a cylinder stands along its z";
  EXPECT_EQ(vector_of(json["entities"][1]["cylinders"][0]["pose"]["position"]),
            Eigen::Vector3d(0.0, 0.0, -0.15));
}

TEST(FoxgloveMessages, CarryLinesOfALog) {
  const Json json = Json::parse(log_text(LogLevel::Warning, "the stream is \"lost\"", kDate));
  EXPECT_EQ(json["level"], 3);
  EXPECT_EQ(json["message"], "the stream is \"lost\"");
  EXPECT_EQ(json["name"], "panto");
}

}  // namespace
}  // namespace panto::io
