#include "panto/bridge/ros2_frames.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto::bridge {
namespace {

constexpr const char* kWorld = "world";

void place(const Joint& joint, double s, RosTransform& frame) {
  const bool turns = joint.type == JointType::Revolute, slides = joint.type == JointType::Prismatic;
  frame.p_PC = joint.p_PJ;
  if (slides) frame.p_PC += joint.R_PJ * joint.axis * s;
  frame.wxyz = so3::to_quaternion_wxyz(turns ? joint.R_PJ * so3::exp(joint.axis * s) : joint.R_PJ);
}

}  // namespace

std::vector<RosTransform> link_frames(const Model& model) {
  std::vector<RosTransform> frames{{kWorld, model.links()[at(model.root_link())].name}};
  for (const Joint& joint : model.all_joints()) {
    frames.push_back({joint.parent, joint.child});
    place(joint, 0.0, frames.back());
  }
  return frames;
}

void place_links(const Model& model, const State& state, std::vector<RosTransform>& frames) {
  frames[0].p_PC = state.p_WB;
  frames[0].wxyz = so3::to_quaternion_wxyz(state.R_WB);
  Eigen::Index dof = 0;
  for (std::size_t i = 0; i < model.all_joints().size(); ++i) {
    const Joint& joint = model.all_joints()[i];
    if (joint.type != JointType::Fixed) place(joint, state.s[dof++], frames[i + 1]);
  }
}

void place_person(const std::vector<std::string>& names, const SegmentSample& person,
                  std::vector<RosTransform>& frames) {
  std::size_t placed = 0;
  for (std::size_t i = 0; i < std::min(names.size(), person.segments.size()); ++i) {
    const SegmentMotion& segment = person.segments[i];
    if (!segment.has_position) continue;
    if (placed == frames.size()) frames.push_back({kWorld, {}});
    RosTransform& frame = frames[placed++];
    frame.child = "person/" + names[i];
    frame.p_PC = segment.p_WS;
    frame.wxyz =
        so3::to_quaternion_wxyz(segment.has_orientation ? segment.R_WS : Eigen::Matrix3d::Identity());
  }
  frames.resize(placed);
}

}  // namespace panto::bridge
