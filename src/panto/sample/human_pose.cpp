#include "panto/sample/human_pose.hpp"

#include <string>

#include "panto/base/error.hpp"

namespace panto {

HumanPose::HumanPose(const Model& model) : kinematics_(model) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto link = model.find_link(kHumanSegmentNames[i]);
    if (!link)
      throw ConfigError("'" + model.name() + "' is not a human model (no link '" +
                        std::string(kHumanSegmentNames[i]) + "')");
    links_[i] = *link;
  }
}

void HumanPose::read(const State& state, SegmentSample& sample) {
  kinematics_.update_with_velocities(state);
  sample.t = state.t;
  sample.cut = false;
  sample.segments.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i)
    sample.segments[i] = {.R_WS = kinematics_.R_WL(links_[i]),
                          .p_WS = kinematics_.p_WL(links_[i]),
                          .w_WS = kinematics_.w_WL(links_[i]),
                          .v_WS = kinematics_.v_WL(links_[i]),
                          .has_orientation = true,
                          .has_position = true,
                          .has_angular_velocity = true,
                          .has_linear_velocity = true};
}

}  // namespace panto
