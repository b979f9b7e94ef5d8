// Limits of a robot that follows live hold whatever comes (`./dev bench soak robots` runs a million samples).
#include <gtest/gtest.h>

#include "panto/api/live_retargeter.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/hostile_person.hpp"

namespace panto {
namespace {

// Follows hostile samples; returns the largest joint speed, as a share of its limit, outside of gaps.
double fastest(const Robot& robot, const RetargetOptions& options, int samples) {
  LiveRetargeter live(robot, human_segment_names(), scaled_subject(1.75), options);
  test::HostilePerson person(1);
  State state = live.rest_state(), before = state;
  double most = 0.0;
  bool begun = false;
  for (int k = 0; k < samples; ++k) {
    before = state;
    if (!advanced(live.step(person.next(), state))) continue;
    const double dt = to_seconds(state.t - before.t);
    if (begun && dt > 0.0 && dt < 0.5)
      most = std::max(
          most,
          ((state.s - before.s).array().abs() / (dt * robot.model.velocity_limit().array())).maxCoeff());
    begun = true;
    EXPECT_TRUE(is_valid(state, robot.model)) << k;
    EXPECT_LE((robot.model.lower() - state.s).maxCoeff(), 1e-9) << k;
    EXPECT_LE((state.s - robot.model.upper()).maxCoeff(), 1e-9) << k;
  }
  return most;
}

TEST(HostileLive, JointsKeepTheirSpeedLimitsWhateverComes) {
  // arms that clearing had moved came back while the arm itself moved: up to 5 times its limit (Unitree H1)
  for (const char* name : {"talos", "unitree_h1", "unitree_g1"}) {
    const Robot robot = test::shipped_robot(name);
    for (const double look_ahead : {0.0, 0.1, 0.3}) {
      RetargetOptions options;
      options.live.look_ahead = look_ahead;
      EXPECT_LE(fastest(robot, options, 1500), 1.0 + 1e-6) << name << ", look-ahead " << look_ahead;
    }
    for (const FeetMode feet : {FeetMode::Soft, FeetMode::Off}) {
      RetargetOptions options;
      options.feet = feet;
      EXPECT_LE(fastest(robot, options, 1500), 1.0 + 1e-6) << name << ", mode " << static_cast<int>(feet);
    }
  }
}

}  // namespace
}  // namespace panto
