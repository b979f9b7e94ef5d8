#include <gtest/gtest.h>

#include "panto/api/live_person.hpp"
#include "panto/api/suit_motion.hpp"
#include "tests/support/bundled_walk.hpp"

namespace panto {
namespace {

// the bundled walk as a suit streams it
std::vector<SegmentSample> walk(double rate_hz, SubjectDimensions* subject = nullptr) {
  SuitMotion suit = suit_motion(test::bundled_walk(), rate_hz);
  if (subject != nullptr) *subject = suit.subject;
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; suit.next(sample);) samples.push_back(sample);
  return samples;
}

// how far the base is from where it would be at 60 Hz, at the most [m]
double base_behind(const Robot& robot, double rate_hz) {
  SubjectDimensions subject;
  const std::vector<SegmentSample> usual = walk(60.0, &subject), slow = walk(rate_hz);
  RetargetOptions options;
  options.feet = FeetMode::Soft;
  const auto truth = live_robot(robot, human_segment_names(), subject, options);
  const auto follower = live_robot(robot, human_segment_names(), subject, options);
  LiveFrame there = truth.sized, frame = follower.sized;
  std::size_t k = 0;
  double worst = 0.0;
  for (const SegmentSample& sample : slow) {
    for (; k < usual.size() && usual[k].t <= sample.t + 1000; ++k) (void)truth.step(usual[k], there);
    // after the first step it is not yet known that the stream is slow
    if (!follower.step(sample, frame).ready || sample.t < from_seconds(1.0)) continue;
    worst = std::max(worst, (frame.state.p_WB - there.state.p_WB).head<2>().norm());
  }
  return worst;
}

TEST(LiveRobot, KeepsUpWithThePersonWhereSamplesAreRare) {
  const Robot robot = test::shipped_robot("unitree_g1");
  // the person walks 0.2 m and more in a step of such a stream
  for (const double rate : {30.0, 5.0, 4.0, 2.5}) EXPECT_LT(base_behind(robot, rate), 0.06) << rate;
}

}  // namespace
}  // namespace panto
