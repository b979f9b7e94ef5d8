#include "panto/robot/touch_weights.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "panto/base/error.hpp"
#include "panto/model/human.hpp"

namespace panto::robot {
namespace {

const std::vector<std::string> kSegments{"Pelvis", "RightHand", "LeftHand", "Head"};

AttachmentMap firm_hands() {
  AttachmentMap map;
  for (const std::string& name : kSegments) {
    Attachment a;
    a.segment = a.link = name;
    a.position = name != "Head";
    map.attachments.push_back(a);
  }
  map.attachments[1].touch_weight = 90.0;
  map.attachments[2].position_weight = 1000.0;
  map.attachments[2].touch_weight = 2500.0;
  map.attachments[3].touch_weight = 70.0;  // follows no position
  return map;
}

SegmentSample touching(double touch) {
  SegmentSample sample;
  sample.segments.resize(kSegments.size());
  for (SegmentMotion& m : sample.segments) m.touch = touch;
  return sample;
}

TEST(TouchWeights, RiseWithTheTouchOfASampleFromTheAttachmentsWeightToItsTouchWeight) {
  OwnTargetsOption own = with_touch_weights({}, firm_hands(), kSegments, 30.0);
  ASSERT_EQ(own.targets.followed.size(), 2U) << "those that follow a position and weigh more";
  EXPECT_TRUE(own.targets.empty()) << "so that any method will do";
  const auto weights_at = [&](double touch) {
    own.update(touching(touch), {}, own.targets);
    return std::vector<double>{own.targets.followed[0].weight, own.targets.followed[1].weight};
  };
  EXPECT_EQ(weights_at(0.0), (std::vector<double>{30.0, 1000.0}));
  EXPECT_EQ(weights_at(1.0), (std::vector<double>{90.0, 2500.0}));
  EXPECT_EQ(weights_at(0.5), (std::vector<double>{60.0, 1750.0}));
  EXPECT_EQ(weights_at(7.0), weights_at(1.0)) << "0 .. 1";
  EXPECT_EQ(weights_at(-1.0), weights_at(0.0));
  EXPECT_FALSE(weights_at(std::numeric_limits<double>::quiet_NaN())[0] > 0.0) << "then the attachment's";
}

TEST(TouchWeights, StandBehindWhatAUserAsksFor) {
  OwnTargetsOption user;
  user.targets.followed.push_back({"LeftHand", 7.0});
  user.update = [](const SegmentSample&, const State&, OwnTargets& own) { own.followed[0].weight = 8.0; };
  OwnTargetsOption own = with_touch_weights(user, firm_hands(), kSegments, 30.0);
  ASSERT_EQ(own.targets.followed.size(), 2U) << "the left hand is the user's";
  own.update(touching(1.0), {}, own.targets);
  EXPECT_EQ(own.targets.followed[0].weight, 8.0);
  EXPECT_EQ(own.targets.followed[1].link, "RightHand");
  EXPECT_EQ(own.targets.followed[1].weight, 90.0);
}

TEST(TouchWeights, AreNoneWhereNothingWeighsMoreAndRefuseAWeightThatIsNotPositive) {
  AttachmentMap map = firm_hands();
  map.attachments[1].touch_weight = 30.0;
  map.attachments[2].touch_weight.reset();
  EXPECT_FALSE(with_touch_weights({}, map, kSegments, 30.0).update);
  map.attachments[1].touch_weight = 0.0;
  EXPECT_THROW((void)with_touch_weights({}, map, kSegments, 30.0), ConfigError);
}

}  // namespace
}  // namespace panto::robot
