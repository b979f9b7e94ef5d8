#pragma once
// The frames that ROS 2 sees of a run: docs/formats/ros2_topics.md.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::bridge {

/// A frame C in its parent P.
struct RosTransform {
  std::string parent, child;
  Eigen::Vector3d p_PC = Eigen::Vector3d::Zero();   ///< [m]
  Eigen::Vector4d wxyz = Eigen::Vector4d::UnitX();  ///< R_PC
};

/// Returns the frames of a model's links, in the model's order of joints: the root link in "world" (z up),
/// each other link in the link before it. Their places are those of all joints at zero.
[[nodiscard]] std::vector<RosTransform> link_frames(const Model& model);
/// Moves what `link_frames` returned to a State.
void place_links(const Model& model, const State& state, std::vector<RosTransform>& frames);

/// Replaces `frames` by a person's segments that have a position, in "world" as "person/NAME". A segment
/// without an orientation gets the identity.
void place_person(const std::vector<std::string>& names, const SegmentSample& person,
                  std::vector<RosTransform>& frames);

}  // namespace panto::bridge
