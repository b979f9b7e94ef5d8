#include "panto/ik/robot_map.hpp"

#include <gtest/gtest.h>

#include "panto/math/so3.hpp"
#include "tests/support/synthetic_robot.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {
using test::SyntheticRobot;
using test::SyntheticRobotOptions;

// what differs from the right map; empty: nothing
std::string differences(const RobotMapProposal& found, const SyntheticRobot& robot) {
  std::string text;
  std::map<std::string, const Attachment*> by_segment;
  for (const Attachment& a : found.map.attachments.attachments) by_segment[a.segment] = &a;
  for (const auto& [segment, link] : robot.link) {
    if (!by_segment.contains(segment)) {
      text += segment + " is missing (" + link + "); ";
    } else if (by_segment[segment]->link != link) {
      text += segment + " <- " + by_segment[segment]->link + ", not " + link + "; ";
    } else if (const double off = so3::distance(by_segment[segment]->R_SF, robot.R_SF.at(segment));
               off > 1e-9) {
      text += segment + " is turned by " + std::to_string(off) + "; ";
    }
  }
  for (const auto& [segment, a] : by_segment) {
    if (!robot.link.contains(segment)) text += segment + " <- " + a->link + " is too much; ";
  }
  return text;
}

std::string describe(const SyntheticRobotOptions& o) {
  return "names " + std::to_string(o.telling_names) + " turned " + std::to_string(o.turned_links) +
         " flipped " + std::to_string(o.flipped_axes) + " arms " + std::to_string(static_cast<int>(o.arms)) +
         " hip order " + std::to_string(o.hip_order) + " low yaw " + std::to_string(o.low_yaw) + " shift " +
         std::to_string(o.hip_shift) + " ankle " + std::to_string(o.ankle) + " toe " + std::to_string(o.toe) +
         " waist " + std::to_string(o.waist) + " neck " + std::to_string(o.neck) + " clavicle " +
         std::to_string(o.clavicle) + " offset " + std::to_string(o.elbow_offset) + " twist " +
         std::to_string(o.forearm_twist) + " wrist " + std::to_string(o.wrist) + " gripper " +
         std::to_string(o.gripper) + " sensors " + std::to_string(o.sensors) + " plate " +
         std::to_string(o.foot_plate);
}

TEST(RobotMap, FindsTheMapOfAnySyntheticHumanoid) {
  const int count = test::scaled(600);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<unsigned>(i);
    const SyntheticRobotOptions o = test::random_robot_options(seed);
    const SyntheticRobot robot = test::synthetic_robot(o, seed);
    const Model model(robot.spec);
    std::string text;
    try {
      text = differences(propose_robot_map(model), robot);
    } catch (const Error& error) {
      text = std::string("refused: ") + error.what();
    }
    if (text.empty()) continue;
    if (++wrong <= 12) ADD_FAILURE() << "seed " << seed << ": " << text << "\n" << describe(o);
  }
  EXPECT_EQ(wrong, 0) << "of " << count;
}

}  // namespace
}  // namespace panto
