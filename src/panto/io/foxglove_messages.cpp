#include "panto/io/foxglove_messages.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/io/append.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

#define PANTO_STAMP R"({"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}})"
#define PANTO_XYZ \
  R"({"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}})"
#define PANTO_XYZW                                                                                       \
  R"({"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},)" \
  R"("w":{"type":"number"}}})"
#define PANTO_POSE \
  R"({"type":"object","properties":{"position":)" PANTO_XYZ R"(,"orientation":)" PANTO_XYZW R"(}})"
#define PANTO_COLOUR                                                                                     \
  R"({"type":"object","properties":{"r":{"type":"number"},"g":{"type":"number"},"b":{"type":"number"},)" \
  R"("a":{"type":"number"}}})"

constexpr std::string_view kWorldFrame = "world", kPersonPrefix = "person/";

std::string stamp_text(Time t) {
  return fmt::format(R"({{"sec":{},"nsec":{}}})", t / 1'000'000'000, t % 1'000'000'000);
}

std::string xyz_text(const Eigen::Vector3d& p) {
  return fmt::format(R"({{"x":{:.5f},"y":{:.5f},"z":{:.5f}}})", p.x(), p.y(), p.z());
}

std::string turn_text(const Eigen::Vector4d& wxyz) {
  return fmt::format(R"({{"x":{:.7g},"y":{:.7g},"z":{:.7g},"w":{:.7g}}})", wxyz[1], wxyz[2], wxyz[3],
                     wxyz[0]);
}

std::string transform_text(std::string_view child, const Eigen::Matrix3d& R, const Eigen::Vector3d& p,
                           const std::string& stamp) {
  return fmt::format(
      R"({{"timestamp":{},"parent_frame_id":"{}","child_frame_id":{},"translation":{},"rotation":{}}})",
      stamp, kWorldFrame, json_text(std::string(child)), xyz_text(p), turn_text(so3::to_quaternion_wxyz(R)));
}

constexpr const char* kColour = R"({"r":0.72,"g":0.79,"b":0.86,"a":1})";
constexpr double kRod = 0.02, kShortestRod = 1e-3;  // [m]

// The spheres and cylinders of one link, as JSON's arrays without their brackets.
struct Shapes {
  void add(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius) {
    ball(from, radius);
    const Eigen::Vector3d along = to - from;
    if (along.norm() < kShortestRod) return;
    ball(to, radius);
    const Eigen::Vector4d wxyz =
        so3::to_quaternion_wxyz(least_turn(Eigen::Vector3d::UnitZ(), along.normalized()));
    append(
        cylinders,
        R"({}{{"pose":{{"position":{},"orientation":{}}},"size":{},"bottom_scale":1,"top_scale":1,"color":{}}})",
        cylinders.empty() ? "" : ",", xyz_text(0.5 * (from + to)), turn_text(wxyz),
        xyz_text({2.0 * radius, 2.0 * radius, along.norm()}), kColour);
  }
  void ball(const Eigen::Vector3d& at, double radius) {
    append(spheres, R"({}{{"pose":{{"position":{},"orientation":{}}},"size":{},"color":{}}})",
           spheres.empty() ? "" : ",", xyz_text(at), turn_text({1.0, 0.0, 0.0, 0.0}),
           xyz_text(Eigen::Vector3d::Constant(2.0 * radius)), kColour);
  }
  std::string spheres, cylinders;
};

Shapes shapes_of(const Model& model, const Link& link) {
  Shapes shapes;
  for (const LinkCapsule& capsule : link.capsules) shapes.add(capsule.from, capsule.to, capsule.radius);
  if (!link.capsules.empty()) return shapes;
  for (const Joint& joint : model.all_joints())
    if (joint.parent == link.name && joint.p_PJ.norm() >= kShortestRod)
      shapes.add(Eigen::Vector3d::Zero(), joint.p_PJ, kRod);
  return shapes;
}

}  // namespace

const FoxgloveSchema kJointStatesSchema{
    "foxglove.JointStates",
    R"({"title":"foxglove.JointStates","type":"object","properties":{"timestamp":)" PANTO_STAMP
    R"(,"joints":{"type":"array","items":{"type":"object",)"
    R"("properties":{"name":{"type":"string"},"position":{"type":"number"},"velocity":{"type":"number"}}}}}})"};
const FoxgloveSchema kFrameTransformsSchema{
    "foxglove.FrameTransforms",
    R"({"title":"foxglove.FrameTransforms","type":"object","properties":{"transforms":{"type":"array","items":)"
    R"({"type":"object","properties":{"timestamp":)" PANTO_STAMP
    R"(,"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":)" PANTO_XYZ
    R"(,"rotation":)" PANTO_XYZW R"(}}}}})"};
const FoxgloveSchema kSceneUpdateSchema{
    "foxglove.SceneUpdate",
    R"({"title":"foxglove.SceneUpdate","type":"object","properties":{"deletions":{"type":"array","items":)"
    R"({"type":"object","properties":{"timestamp":)" PANTO_STAMP
    R"(,"type":{"type":"integer"},"id":{"type":"string"}}}},"entities":{"type":"array","items":{"type":"object",)"
    R"("properties":{"timestamp":)" PANTO_STAMP
    R"(,"frame_id":{"type":"string"},"id":{"type":"string"},"lifetime":)" PANTO_STAMP
    R"(,"frame_locked":{"type":"boolean"},"spheres":{"type":"array","items":{"type":"object","properties":)"
    R"({"pose":)" PANTO_POSE R"(,"size":)" PANTO_XYZ R"(,"color":)" PANTO_COLOUR
    R"(}}},"cylinders":{"type":"array","items":{"type":"object","properties":{"pose":)" PANTO_POSE
    R"(,"size":)" PANTO_XYZ
    R"(,"bottom_scale":{"type":"number"},"top_scale":{"type":"number"},"color":)" PANTO_COLOUR R"(}}}}}}}})"};
const FoxgloveSchema kLogSchema{
    "foxglove.Log", R"({"title":"foxglove.Log","type":"object","properties":{"timestamp":)" PANTO_STAMP
                    R"(,"level":{"type":"integer"},"message":{"type":"string"},"name":{"type":"string"},)"
                    R"("file":{"type":"string"},"line":{"type":"integer"}}})"};

#undef PANTO_STAMP
#undef PANTO_XYZ
#undef PANTO_XYZW
#undef PANTO_POSE
#undef PANTO_COLOUR

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string joint_states_text(const Model& model, const State& state, Time date) {
  std::string text = R"({"timestamp":)" + stamp_text(date) + R"(,"joints":[)";
  const auto& names = model.joint_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    append(text, R"({}{{"name":{},"position":{:.9g},"velocity":{:.9g}}})", i == 0 ? "" : ",",
           json_text(names[i]), state.s[static_cast<Eigen::Index>(i)],
           state.sdot[static_cast<Eigen::Index>(i)]);
  return text + "]}";
}

std::string link_transforms_text(const Model& model, Kinematics& kinematics, const State& state, Time date) {
  kinematics.update(state);
  const std::string stamp = stamp_text(date);
  std::string text = R"({"transforms":[)";
  for (int link = 0; link < model.link_count(); ++link) {
    if (link > 0) text += ',';
    text += transform_text(model.links()[at(link)].name, kinematics.R_WL(link), kinematics.p_WL(link), stamp);
  }
  return text + "]}";
}

std::string person_transforms_text(const std::vector<std::string>& names, const SegmentSample& person,
                                   Time date) {
  const std::string stamp = stamp_text(date);
  std::string text = R"({"transforms":[)";
  bool first = true;
  for (std::size_t i = 0; i < std::min(names.size(), person.segments.size()); ++i) {
    const SegmentMotion& segment = person.segments[i];
    if (!segment.has_position) continue;
    if (!std::exchange(first, false)) text += ',';
    text += transform_text(std::string(kPersonPrefix) + names[i],
                           segment.has_orientation ? segment.R_WS : Eigen::Matrix3d::Identity(), segment.p_WS,
                           stamp);
  }
  return text + "]}";
}

std::string model_scene_text(const Model& model, Time date) {
  std::string text = R"({"deletions":[],"entities":[)";
  bool first = true;
  for (const Link& link : model.links()) {
    const Shapes shapes = shapes_of(model, link);
    if (shapes.spheres.empty()) continue;
    append(text,
           R"({}{{"timestamp":{},"frame_id":{},"id":{},"lifetime":{{"sec":0,"nsec":0}},)"
           R"("frame_locked":true,"metadata":[],"arrows":[],"cubes":[],"spheres":[{}],"cylinders":)"
           R"([{}],"lines":[],"triangles":[],"texts":[],"models":[]}})",
           std::exchange(first, false) ? "" : ",", stamp_text(date), json_text(link.name),
           json_text("link " + link.name), shapes.spheres, shapes.cylinders);
  }
  return text + "]}";
}

std::string log_text(LogLevel level, const std::string& message, Time date) {
  return fmt::format(R"({{"timestamp":{},"level":{},"message":{},"name":"panto","file":"","line":0}})",
                     stamp_text(date), static_cast<int>(level), json_text(message));
}

}  // namespace panto::io
