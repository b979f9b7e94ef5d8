#include "panto/robot/hand_target.hpp"

#include <gtest/gtest.h>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto::robot {
namespace {

TEST(HandTarget, SeesOneHandFromTheOtherAndWeighsThemByTheirTouch) {
  const Model model = human66();
  const Map map{"human", mvn_attachments(), {}, {}};
  OwnTargetsOption own = hand_target(model, map, human_segment_names());
  ASSERT_EQ(own.targets.relatives.size(), 1u);
  const State state = make_synthesis("walk", model).state(from_seconds(0.4));
  SegmentSample sample = segment_sample(model, state);
  sample.segments[at(HumanSegment::LeftHand)].touch = 0.5;
  sample.segments[at(HumanSegment::RightHand)].touch = 0.8;
  own.update(sample, state, own.targets);
  Kinematics kinematics(model);
  kinematics.update(state);
  const RelativeTarget& hands = own.targets.relatives[0];
  const int a = model.link_index(hands.from), b = model.link_index(hands.link);
  const Eigen::Matrix3d R_AW = kinematics.R_WL(a).transpose();
  EXPECT_LT((hands.place_A - R_AW * (kinematics.p_WL(b) - kinematics.p_WL(a))).norm(), 1e-12);
  EXPECT_LT((hands.R_AB - R_AW * kinematics.R_WL(b)).norm(), 1e-12);
  EXPECT_DOUBLE_EQ(hands.position_weight, 0.5 * 2500.0) << "as far as both touch";

  sample.segments[at(HumanSegment::RightHand)].has_position = false;
  own.update(sample, state, own.targets);
  EXPECT_EQ(own.targets.relatives[0].position_weight, 0.0);
}

TEST(HandTarget, IsEmptyForARobotWithoutTwoHands) {
  Map map{"human", mvn_attachments(), {}, {}};
  std::erase_if(map.attachments.attachments, [](const Attachment& a) { return a.segment == "LeftHand"; });
  EXPECT_TRUE(hand_target(human66(), map, human_segment_names()).targets.empty());
}

}  // namespace
}  // namespace panto::robot
