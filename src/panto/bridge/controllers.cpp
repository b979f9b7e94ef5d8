#include "panto/bridge/controllers.hpp"

#include "panto/bridge/g1_joints.hpp"
#include "panto/bridge/sonic_output.hpp"
#include "panto/bridge/twist2_output.hpp"

namespace panto::bridge {

const std::vector<live::StreamScheme>& controllers() {
  static const std::vector<live::StreamScheme> all{{"sonic", 5556}, {"twist2", 6379}};
  return all;
}

std::unique_ptr<ControllerOutput> open_controller(const live::StreamAddress& to, const Model& model,
                                                  const live::Arming& arming) {
  if (to.scheme == "sonic")
    return std::make_unique<SonicOutput>(to.at, g1_isaac_joints(model, "SONIC"), arming);
  return std::make_unique<Twist2Output>(to.at, g1_motor_joints(model, "TWIST2"), arming);
}

}  // namespace panto::bridge
