#include "panto/rig/families.hpp"

#include <gtest/gtest.h>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/rig/axes.hpp"

namespace panto::rig {
namespace {

TEST(RigFamiliesAsData, EveryFrameIsARotation) {
  for (const char* name :
       {"lafan", "soma", "smpl", "xsens", "cmu", "cgspeed", "asf", "mixamo", "noitom", "vrm", "reallusion",
        "rokoko", "optitrack", "slimevr", "biped", "unreal", "kinect"}) {
    const Family* family = find_family(name);
    ASSERT_NE(family, nullptr) << name;
    EXPECT_FALSE(family->source.empty()) << name;
    if (!family->up.empty()) {
      EXPECT_EQ(to_string(parse_file_axis(std::string(family->up))), family->up) << name;
    }
    for (const FamilyFrame& frame : family->frames)
      EXPECT_TRUE(so3::is_rotation(rotation_of(frame), 1e-12))
          << name << " " << kHumanSegmentNames[frame.segment];
  }
}

TEST(RigFamiliesAsData, AnUnknownFamilyHasNoConventions) {
  EXPECT_EQ(find_family("unknown"), nullptr);
  EXPECT_EQ(find_frame(nullptr, HumanSegment::Head), nullptr);
  EXPECT_EQ(find_frame(find_family("lafan"), HumanSegment::Head), nullptr);
}

// the joint of LAFAN1's toes has its x level in stance, 21.4545 deg above the foot's own x
TEST(RigFamiliesAsData, TheFootOfLafan1IsRaisedAgainstItsBone) {
  const Eigen::Matrix3d R = rotation_of(*find_frame(find_family("lafan"), HumanSegment::LeftFoot));
  EXPECT_NEAR(R(0, 0), 0.930708, 1e-5);
  EXPECT_NEAR(R(1, 0), 0.365763, 1e-5);
  EXPECT_NEAR(R(2, 0), 0.0, 1e-12);
}

}  // namespace
}  // namespace panto::rig
