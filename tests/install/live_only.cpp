// The link on its own, as a robot's controller would use it: no file library. Both ends in one program.

#include <string>
#include <utility>

#include "panto/live/robot.hpp"

int main() {
  panto::ModelSpec spec;
  spec.name = "one joint";
  for (const char* name : {"base", "arm"}) {
    panto::Link link;
    link.name = name;
    spec.links.push_back(link);
  }
  panto::Joint joint;
  joint.name = "shoulder";
  joint.type = panto::JointType::Revolute;
  joint.parent = "base";
  joint.child = "arm";
  spec.joints.push_back(joint);
  const panto::Model model{std::move(spec)};

  panto::State state = panto::rest_state(model);
  panto::live::RobotReceiver robot({"127.0.0.1", 0}, model, state, 0);
  const auto link =
      panto::live::open_robot_link("udp://127.0.0.1:" + std::to_string(robot.port()), model, 50.0);
  state.s[0] = 0.25;
  for (const panto::Time t : {0, 20'000'000}) {  // the robot welcomes the first, and takes the second
    state.t = t;
    if (link->write(state) != panto::WriteStatus::Written) return 1;
    robot.poll(t);
  }
  return robot.reference().s[0] == 0.25 ? 0 : 1;
}
