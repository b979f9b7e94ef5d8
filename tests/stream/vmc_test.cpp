#include "panto/stream/vmc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/stream/vmc_frames.hpp"

namespace {

using namespace panto::test;
using panto::at;
using panto::HumanSegment;
using panto::kHumanSegmentCount;
using panto::SegmentMotion;
using panto::SegmentSample;
using panto::SubjectDimensions;
using panto::Time;

TEST(VmcBody, BytesOfTheSpecificationAreWritten) {
  const unsigned char head[] = {0x2f, 0x56, 0x4d, 0x43, 0x2f, 0x45, 0x78, 0x74, 0x2f, 0x42,
                                0x6f, 0x6e, 0x65, 0x2f, 0x50, 0x6f, 0x73, 0x00, 0x00, 0x00,
                                0x2c, 0x73, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x00,
                                0x00, 0x00, 0x48, 0x69, 0x70, 0x73, 0x00, 0x00, 0x00, 0x00};
  const Bytes message = bone_message("Hips", {0.0, 1.0, 0.0});
  ASSERT_EQ(message.size(), 68U);
  for (std::size_t i = 0; i < sizeof head; ++i) EXPECT_EQ(std::to_integer<int>(message[i]), head[i]) << i;
  EXPECT_EQ(std::to_integer<int>(message[44]), 0x3f) << "y = 1 is 3f 80 00 00";
  EXPECT_EQ(std::to_integer<int>(message[45]), 0x80);
  EXPECT_EQ(std::to_integer<int>(message[64]), 0x3f) << "w = 1 comes last";
}

TEST(VmcAxes, ForwardLeftAndUpAreUnitysForwardMinusRightAndUp) {
  EXPECT_EQ(to_unity({1.0, 0.0, 0.0}), Vector3d(0.0, 0.0, 1.0)) << "forward is z";
  EXPECT_EQ(to_unity({0.0, 1.0, 0.0}), Vector3d(-1.0, 0.0, 0.0)) << "x is right";
  EXPECT_EQ(to_unity({0.0, 0.0, 1.0}), Vector3d(0.0, 1.0, 0.0)) << "y is up";
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Vector3d p = panto::test::random_vector(random, 3.0);
    EXPECT_EQ(from_unity(to_unity(p)), p);
    const Vector4d q = panto::so3::to_quaternion_wxyz(panto::test::random_rotation(random));
    EXPECT_EQ(wxyz_from_unity(unity_from_wxyz(q)), q);
    // turning and changing axes may be exchanged; the product of quaternions knows no handedness
    const Vector4d u = unity_from_wxyz(q);
    const Vector3d turned_u = panto::so3::from_quaternion_wxyz({u[3], u[0], u[1], u[2]}) * to_unity(p);
    EXPECT_LT((from_unity(turned_u) - panto::so3::from_quaternion_wxyz(q) * p).norm(), 1e-14);
  }
}

TEST(VmcBody, RandomMotionsComeBack) {
  const SubjectDimensions person = panto::scaled_subject(1.82);
  VmcEncoder encoder(panto::human_segment_names(), person);
  VmcBody body;
  Random random(2);
  int samples = 0;
  for (int frame = 0; frame < 300; ++frame) {
    const Time t = frame * 10 * kMs;
    const SegmentSample sent = random_sample(random, t, person);
    const Datagrams datagrams = encoder.encode(sent);
    EXPECT_EQ(datagrams.size(), 2U);
    Brought last = Brought::Refused;
    for (const Bytes& datagram : datagrams) {
      EXPECT_LE(datagram.size(), 1472U);
      last = body.take(datagram, t);
    }
    if (frame == 0) continue;
    ASSERT_EQ(last, Brought::Sample) << "at once, with the last bone: frame " << frame;
    ++samples;
    ASSERT_EQ(body.names().size(), 22U) << "all but L3";
    ASSERT_NEAR(panto::to_seconds(body.sample().t), panto::to_seconds(t) - 0.01, 1e-6)
        << "floats of up to 3 s";
    for (std::size_t i = 0; i < body.names().size(); ++i) {
      const SegmentMotion& got = body.sample().segments[i];
      const SegmentMotion& own = sent.segments[at(panto::find_human_segment(body.names()[i]))];
      ASSERT_TRUE(got.has_orientation && got.has_position) << body.names()[i];
      // floats in up to seven turns and offsets of a chain
      ASSERT_LT(panto::so3::distance(got.R_WS, own.R_WS), 1e-6) << body.names()[i];
      ASSERT_LT((got.p_WS - own.p_WS).norm(), 1e-5) << body.names()[i];
    }
    EXPECT_FALSE(body.sample().cut);
  }
  EXPECT_EQ(samples, 299);
  EXPECT_EQ(body.counts().of(Brought::Sample), 299);
}

TEST(VmcBody, DimensionsComeBack) {
  SubjectDimensions person = panto::scaled_subject(1.66);
  person.origin[HumanSegment::LeftForeArm].y() += 0.05;
  VmcEncoder encoder(panto::human_segment_names(), person);
  VmcBody body;
  Random random(3);
  EXPECT_FALSE(body.person().has_value());
  for (int i = 0; i < 2; ++i) {
    for (const Bytes& datagram : encoder.encode(random_sample(random, i * kMs, person)))
      (void)body.take(datagram, i * kMs);
  }
  const auto found = body.person();
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->height, 1.66, 1e-5);
  for (int i = 1; i < kHumanSegmentCount; ++i) {
    EXPECT_LT((found->origin[at(i)] - person.origin[at(i)]).norm(), 1e-6) << panto::kHumanSegmentNames[at(i)];
  }
  EXPECT_TRUE(has_note(body, "a person of 1.66 m"));
  EXPECT_TRUE(has_note(body, "L5 follows Spine, T12 follows Chest, T8 follows UpperChest"));
}

TEST(VmcBody, AvatarsThatAreNoPeopleHaveNoDimensions) {
  VmcBody giant;
  const SubjectDimensions person = panto::scaled_subject(1.8);
  SubjectDimensions huge = person;
  for (Vector3d& origin : huge.origin) origin *= 2.0;
  VmcEncoder encoder(panto::human_segment_names(), huge);
  Random random(4);
  for (int i = 0; i < 2; ++i) {
    for (const Bytes& datagram : encoder.encode(random_sample(random, i * kMs, huge)))
      (void)giant.take(datagram, i * kMs);
  }
  EXPECT_FALSE(giant.person().has_value());
  EXPECT_TRUE(has_note(giant, "a person of 3.60 m"));

  VmcBody small;
  start(small);
  EXPECT_FALSE(small.person().has_value()) << "no legs";
  EXPECT_TRUE(has_note(small, "no bone lengths"));
}

// SlimeVR without an avatar's file sends zeros
TEST(VmcBody, BonesWithoutLengthHaveNoPlace) {
  VmcBody body;
  const std::vector<Bytes> messages{bone_message("Hips"), bone_message("Spine", Vector3d::Zero()),
                                    bone_message("Head")};
  for (int i = 0; i < 2; ++i)
    (void)body.take(bundle_of({time_message(0.01 * i), messages[0], messages[1], messages[2]}), i * 10 * kMs);
  ASSERT_EQ(body.names(), (std::vector<std::string>{"Pelvis", "T8", "Head"}));
  EXPECT_TRUE(body.sample().segments[0].has_position);
  EXPECT_FALSE(body.sample().segments[1].has_position);
  EXPECT_FALSE(body.sample().segments[2].has_position) << "beyond a bone without a length";
  EXPECT_TRUE(body.sample().segments[2].has_orientation);
}

TEST(VmcBones, TheLastTrunkBoneIsT8) {
  const auto segments = [](const std::vector<int>& bones) {
    VmcBones set;
    for (const int bone : bones) set.set(at(bone));
    const auto bone_of = vmc_bones_of_segments(set);
    EXPECT_EQ(bone_of[HumanSegment::L3], -1) << "no bone is L3";
    return std::vector<int>{bone_of[HumanSegment::L5], bone_of[HumanSegment::T12], bone_of[HumanSegment::T8]};
  };
  using V = std::vector<int>;
  EXPECT_EQ(segments({VmcBone::Spine, VmcBone::Chest, VmcBone::UpperChest}),
            (V{VmcBone::Spine, VmcBone::Chest, VmcBone::UpperChest}));
  EXPECT_EQ(segments({VmcBone::Spine, VmcBone::Chest}), (V{VmcBone::Spine, -1, VmcBone::Chest}));
  EXPECT_EQ(segments({VmcBone::Spine}), (V{-1, -1, VmcBone::Spine}));
  EXPECT_EQ(segments({VmcBone::Spine, VmcBone::UpperChest}), (V{VmcBone::Spine, -1, VmcBone::UpperChest}));
  EXPECT_EQ(segments({}), (V{-1, -1, -1}));
}

TEST(VmcBones, AMissingBoneIsSkippedByTheChain) {
  VmcBones bones;
  bones.set();
  EXPECT_EQ(vmc_parent(VmcBone::LeftUpperArm, bones), VmcBone::LeftShoulder);
  bones.reset(VmcBone::LeftShoulder);
  bones.reset(VmcBone::UpperChest);
  EXPECT_EQ(vmc_parent(VmcBone::LeftUpperArm, bones), VmcBone::Chest);
  EXPECT_EQ(find_vmc_bone("leftUpperArm"), VmcBone::LeftUpperArm) << "as VRM writes it";
  EXPECT_EQ(find_vmc_bone("LeftEye"), -1);
}

TEST(VmcBody, DamagedNumbersMakeOneBoneInvalid) {
  VmcBody body;
  start(body);
  const std::vector<Bytes> bad{bone_message("Head", {0.0, std::nan(""), 0.0}),
                               bone_message("Head", {HUGE_VAL, 0.0, 0.0}),
                               bone_message("Head", {0.0, 2e3, 0.0}),
                               bone_message("Head", {0.0, 0.1, 0.0}, {0.0, 0.0, 0.0, 1.02}),
                               bone_message("Head", {0.0, 0.1, 0.0}, Vector4d::Zero()),
                               bone_message("Head", {0.0, 0.1, 0.0}, {std::nan(""), 0.0, 0.0, 1.0})};
  double t = 0.01;
  for (const Bytes& head : bad) {
    t += 0.01;
    ASSERT_EQ(body.take(bundle_of({time_message(t), bone_message("Hips"), bone_message("Spine"), head}),
                        panto::from_seconds(t)),
              Brought::Sample);
    EXPECT_TRUE(body.sample().segments[item(body, "T8")].has_orientation);
    EXPECT_FALSE(body.sample().segments[item(body, "Head")].has_orientation);
  }
}

TEST(VmcBody, OtherMessagesAndOtherBytesChangeNothing) {
  VmcBody body;
  start(body);
  const Time t = body.sample().t;
  EXPECT_EQ(body.take(real_message("/VMC/Ext/Blend/Apply", 0.0), 20 * kMs), Brought::Ignored);
  EXPECT_EQ(body.take(real_message("/avatar/parameters/x", 0.0), 20 * kMs), Brought::Ignored);
  EXPECT_EQ(body.take(Bytes(10, std::byte{'x'}), 20 * kMs), Brought::Refused);
  EXPECT_EQ(body.take({}, 20 * kMs), Brought::Refused);
  Bytes cut = small_frame(0.02);
  cut.pop_back();
  EXPECT_EQ(body.take(cut, 20 * kMs), Brought::Refused);
  EXPECT_EQ(body.sample().t, t);
  EXPECT_EQ(body.take(small_frame(0.02), 20 * kMs), Brought::Sample);
}

TEST(VmcBody, TheRootMovesEverything) {
  VmcBody body;
  const double h = std::sqrt(0.5);
  std::vector<OscArgument> root{OscArgument::of(std::string_view("root"))};
  for (const double x : {1.0, 0.0, 0.0, 0.0, h, 0.0, h})
    root.push_back(OscArgument::of(static_cast<float>(x)));
  for (int i = 0; i < 6; ++i) root.push_back(OscArgument::of(1.0F));  // since version 2.1: scale and offset
  for (int i = 0; i < 2; ++i) {
    (void)body.take(bundle_of({time_message(0.01 * i), osc_message("/VMC/Ext/Root/Pos", root),
                               bone_message("Hips", {0.0, 0.0, 1.0})}),
                    i * 10 * kMs);
  }
  ASSERT_EQ(body.names(), std::vector<std::string>{"Pelvis"});
  // 1 m to the right; a quarter turn to the right about Unity's y, then 1 m forward: right again
  EXPECT_LT((body.sample().segments[0].p_WS - Vector3d(0.0, -2.0, 0.0)).norm(), 1e-6);
  EXPECT_LT((body.sample().segments[0].R_WS.col(0) - Vector3d(0.0, -1.0, 0.0)).norm(), 1e-6) << "faces right";
}

TEST(VmcEncoder, NeedsPelvisAndT8) {
  EXPECT_NO_THROW(VmcEncoder({"T8", "Pelvis", "prop"}));
  try {
    VmcEncoder encoder({"Pelvis", "Head"});
    FAIL() << "T8 is missing";
  } catch (const panto::ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("'T8'"), std::string::npos) << error.what();
  }
}

TEST(VmcBody, AllocatesNothing) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const SubjectDimensions person = panto::scaled_subject(1.75);
  VmcEncoder encoder(panto::human_segment_names(), person);
  VmcBody body;
  Random random(5);
  std::vector<Datagrams> frames;
  for (int i = 0; i < 50; ++i) frames.push_back(encoder.encode(random_sample(random, i * 10 * kMs, person)));
  const panto::AllocationCount count;
  for (int i = 0; i < 50; ++i) {
    for (const Bytes& datagram : frames[at(i)]) (void)body.take(datagram, i * 10 * kMs);
  }
  EXPECT_EQ(count.value(), 0) << "not even for the names";
  EXPECT_EQ(body.counts().of(Brought::Sample), 49);
}

TEST(VmcBody, DamageLeavesRotationsAndFiniteNumbers) {
  const SubjectDimensions person = panto::scaled_subject(1.75);
  VmcEncoder encoder(panto::human_segment_names(), person);
  Random random(6);
  std::vector<Bytes> all;
  for (int i = 0; i < 6; ++i) {
    for (const Bytes& datagram : encoder.encode(random_sample(random, i * 10 * kMs, person)))
      all.push_back(datagram);
  }
  all.push_back(status_message(1));
  VmcBody body;
  for (const Bytes& datagram : all) (void)body.take(datagram, 0);
  Time arrival = 0, before = body.sample().t;
  panto::test::try_damage(all, panto::test::scaled_numerical(100'000), [&](const Bytes& datagram) {
    if (body.take(datagram, arrival += kMs) != Brought::Sample) return;
    ASSERT_GT(body.sample().t, before);
    before = body.sample().t;
    ASSERT_EQ(body.sample().segments.size(), body.names().size());
    for (const SegmentMotion& segment : body.sample().segments) {
      ASSERT_TRUE(segment.p_WS.allFinite());
      ASSERT_TRUE(panto::so3::is_rotation(segment.R_WS, 1e-9));
    }
  });
  EXPECT_GE(body.counts().of(Brought::Sample), 50) << "the damage goes to every layer";
  EXPECT_GT(body.counts().of(Brought::Refused), 1000);
}

}  // namespace
