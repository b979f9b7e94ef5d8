// The core on its own, as a robot's controller would use it: a model made in code, forward kinematics.

#include <cmath>
#include <numbers>
#include <utility>

#include "panto/model/kinematics.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"

int main() {
  panto::ModelSpec spec;
  spec.name = "two links";
  spec.floating_base = false;
  for (const char* name : {"base", "upper", "lower"}) {
    panto::Link link;
    link.name = name;
    spec.links.push_back(link);
  }
  panto::Joint shoulder;
  shoulder.name = "shoulder";
  shoulder.type = panto::JointType::Revolute;
  shoulder.parent = "base";
  shoulder.child = "upper";
  shoulder.axis = Eigen::Vector3d::UnitZ();
  panto::Joint elbow = shoulder;
  elbow.name = "elbow";
  elbow.parent = "upper";
  elbow.child = "lower";
  elbow.p_PJ = Eigen::Vector3d{1.0, 0.0, 0.0};
  spec.joints = {shoulder, elbow};

  const panto::Model model{std::move(spec)};
  panto::State state = panto::rest_state(model);
  state.s << std::numbers::pi / 2, 0.3;
  panto::Kinematics kinematics{model};
  kinematics.update(state);

  // a quarter turn carries the elbow from (1, 0, 0) to (0, 1, 0)
  const Eigen::Vector3d elbow_at = kinematics.p_WL(model.link_index("lower"));
  return (elbow_at - Eigen::Vector3d{0.0, 1.0, 0.0}).norm() < 1e-12 ? 0 : 1;
}
