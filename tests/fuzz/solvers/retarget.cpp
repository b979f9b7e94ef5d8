// Whole recordings onto a robot: a motion within its limits, or a refusal.

#include "panto/api/retarget.hpp"

#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_retargeted(Bytes bytes) {
  static const Robot robot = robot_of(io::open_robot("unitree_g1"));
  Draws draws(bytes);
  RetargetOptions options;
  options.feet = draws.flag() ? FeetMode::Plant : FeetMode::Off;
  options.collisions = draws.below(4) == 0 ? Collisions::Avoid : Collisions::Off;
  const std::unique_ptr<Recording> recording =
      io::open_recording(std::string(text_of(draws.rest())), "damaged.bvh");
  if (recording->info().frames.value_or(0) > 30) throw FormatError("damaged.bvh: too long for this target");
  const RetargetResult result = retarget(*recording, robot, options);
  check_motion(result.motion, robot.model);
  for (const State& state : result.motion.states) {
    for (int i = 0; i < robot.model.dof(); ++i)
      promise(state.s[i] >= robot.model.lower()[i] - 1e-9 && state.s[i] <= robot.model.upper()[i] + 1e-9,
              "joints keep their limits");
  }
}

Seeds seeds_of_retargeted() {
  std::string planted(2, '\1'), free(2, '\0');
  planted += example("walk.bvh", 150);
  free += example("walk.bvh", 150);
  return {planted, free};
}

const Registered retargeted_target("retarget", check_retargeted, seeds_of_retargeted, 0.1);

}  // namespace
}  // namespace panto::fuzz
