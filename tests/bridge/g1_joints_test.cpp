#include "panto/bridge/g1_joints.hpp"

#include <gtest/gtest.h>

#include <string>

#include "panto/base/error.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

TEST(G1Joints, OfAnotherRobotAreRefusedByName) {
  for (const auto order : {g1_isaac_joints, g1_motor_joints}) {
    try {
      (void)order(test::chain_model(3), "SONIC");
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(),
                   "SONIC drives the 29 joints of a Unitree G1; chain has no 'left_hip_pitch_joint'");
    }
  }
}

}  // namespace
}  // namespace panto::bridge
