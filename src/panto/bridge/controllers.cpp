#include "panto/bridge/controllers.hpp"

#include "panto/bridge/g1_joints.hpp"
#include "panto/bridge/sonic_output.hpp"
#include "panto/bridge/twist2_output.hpp"
#include "panto/bridge/unitree_output.hpp"

namespace panto::bridge {
namespace {

bool is_unitree(const live::StreamAddress& to) { return to.scheme.starts_with("unitree-"); }

}  // namespace

const std::vector<live::StreamScheme>& controllers() {
  static const std::vector<live::StreamScheme> all{
      {"sonic", 5556}, {"twist2", 6379}, {"unitree-arms", 0}, {"unitree-all", 0}};
  return all;
}

std::optional<std::uint32_t> check_controller(const live::StreamAddress& to) {
  if (is_unitree(to)) return check_unitree_address(to);
  return std::nullopt;
}

std::unique_ptr<ControllerOutput> open_controller(const live::StreamAddress& to, const Model& model,
                                                  const live::Arming& arming) {
  if (to.scheme == "sonic")
    return std::make_unique<SonicOutput>(to.at, g1_isaac_joints(model, "SONIC"), arming);
  if (is_unitree(to))
    return std::make_unique<UnitreeOutput>(
        to.at, to.scheme == "unitree-arms" ? stream::UnitreePart::Arms : stream::UnitreePart::All, model,
        arming);
  return std::make_unique<Twist2Output>(to.at, g1_motor_joints(model, "TWIST2"), arming);
}

}  // namespace panto::bridge
