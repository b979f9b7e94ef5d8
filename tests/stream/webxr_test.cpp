#include "panto/stream/webxr.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/directions.hpp"
#include "tests/stream/damage.hpp"
#include "tests/stream/headset_person.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::stream;
using namespace panto::test;
using enum panto::HumanSegment::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using panto::at;
using panto::kHumanSegmentCount;
using panto::SegmentMotion;
using panto::Time;
using panto::so3::about_axis;
namespace so3 = panto::so3;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr Time kFrame = 13'888'889;  // [ns] at 72 Hz
constexpr double kFloat = 3e-6;      // [rad], [m]: what 32-bit numbers leave of 2 m and of a turn

// A stream that gets frames of one person at 72 Hz.
struct Headset {
  WebxrBody body;
  Time t = 5'000'000'000;
  std::uint32_t number = 0;

  Brought show(WebxrFrame frame, Time step = kFrame) {
    t += step;
    frame.t = t;
    frame.number = number++;
    return body.take(webxr_bytes(frame), 100'000'000'000 + t);
  }
  [[nodiscard]] const SegmentMotion& segment(int which) const {
    for (std::size_t i = 0; i < body.names().size(); ++i)
      if (body.names()[i] == panto::kHumanSegmentNames[at(which)]) return body.sample().segments[i];
    throw panto::ConfigError("no such segment");
  }
  [[nodiscard]] double off(int which, const Matrix3d& R) const {
    return segment(which).has_orientation ? so3::distance(segment(which).R_WS, R) : 10.0;
  }
};

bool has_note(const WebxrBody& body, const std::string& part) {
  for (const std::string& note : body.notes())
    if (note.find(part) != std::string::npos) return true;
  return false;
}

// elbows and knees bent by 40 deg and more, everything else turned at will
HeadsetPerson random_person(Random& random) {
  HeadsetPerson person;
  const auto turn = [&](double most) { return so3::exp(most * random_direction(random)); };
  person.local[Pelvis] = about_axis(2, uniform(random, -3.0, 3.0)) * turn(0.4);
  for (const int segment : {L5, L3, T12, T8}) person.local[at(segment)] = so3::exp({0.05, 0.08, 0.04});
  person.local[Head] = turn(0.5);
  for (const int side : {0, 1}) {
    const int arm = side == 1 ? LeftUpperArm : RightUpperArm, leg = side == 1 ? LeftUpperLeg : RightUpperLeg;
    const double out = side == 1 ? 1.0 : -1.0;
    person.local[at(arm)] = turn(1.0);
    person.local[at(arm + 1)] =
        about_axis(2, -out * uniform(random, 0.7, 2.0)) * about_axis(1, uniform(random, -1.0, 1.0));
    person.local[at(arm + 2)] = about_axis(0, uniform(random, -0.6, 0.6));
    person.local[at(leg)] = turn(0.8);
    person.local[at(leg + 1)] = about_axis(1, uniform(random, 0.7, 2.0));
    person.local[at(leg + 2)] = turn(0.4);
  }
  person.move();
  return person;
}

TEST(AHeadsetsFrame, ComesBackFromItsBytes) {
  Random random(1);
  const WebxrFrame sent = random_person(random).body();
  WebxrFrame got;
  const auto bytes = webxr_bytes(sent);
  ASSERT_EQ(bytes.size(), 32U + 30U * sent.has.count());
  ASSERT_TRUE(read_webxr(bytes, got));
  EXPECT_EQ(got.has, sent.has);
  for (int i = 0; i < kWebxrPlaces; ++i) {
    if (!sent.has.test(at(i))) continue;
    EXPECT_LT((got.pose[at(i)].p - sent.pose[at(i)].p).norm(), kFloat);
    EXPECT_LT(so3::distance(got.pose[at(i)].R, sent.pose[at(i)].R), kFloat);
  }
}

// by hand, from docs/formats/webxr_stream.md: x right, y up, z backward
TEST(AHeadsetsFrame, HasTheAxesOfWebXr) {
  Bytes bytes(62, std::byte{0});
  const auto put = [&](std::size_t place, std::uint32_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      bytes[place + i] = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
  };
  put(0, 0x52585750, 4);  // PWXR
  put(4, 1, 1);
  put(5, 1, 1);
  put(6, 1, 2);
  put(8, 77, 4);
  put(16, 1000, 4);
  put(24, 9, 4);
  put(32, 83, 1);
  const std::array<float, 7> pose{0.25F, 1.5F, -2.0F, 0.0F, std::sqrt(0.5F), 0.0F, std::sqrt(0.5F)};
  for (std::size_t i = 0; i < pose.size(); ++i) put(34 + 4 * i, std::bit_cast<std::uint32_t>(pose[i]), 4);
  WebxrFrame frame;
  ASSERT_TRUE(read_webxr(bytes, frame));
  EXPECT_TRUE(frame.breaks);
  EXPECT_EQ(frame.session, 77U);
  EXPECT_EQ(frame.t, 1000);
  EXPECT_EQ(frame.number, 9U);
  EXPECT_LT((frame.pose[83].p - Vector3d(2.0, -0.25, 1.5)).norm(), kFloat) << "2 m ahead, 25 cm to the right";
  EXPECT_LT(so3::distance(webxr_head(frame), about_axis(2, 90 * kDegree)), kFloat) << "looks to the left";
}

TEST(AHeadsetsFrame, ThatIsDamagedIsRefusedAndChangesNothing) {
  Random random(2);
  Headset headset;
  ASSERT_EQ(headset.show(HeadsetPerson().body()), Brought::Sample);
  const Time before = headset.body.sample().t;
  std::vector<Bytes> frames;
  for (int i = 0; i < 3; ++i) frames.push_back(webxr_bytes(random_person(random).body()));
  int taken = 0;
  try_damage(frames, scaled(20'000), [&](const Bytes& bytes) {
    const Time was = headset.body.sample().t;
    const Brought brought = headset.body.take(bytes, 200'000'000'000);
    taken += brought == Brought::Sample ? 1 : 0;
    if (brought != Brought::Sample) {
      ASSERT_EQ(headset.body.sample().t, was);
    }
    for (const SegmentMotion& segment : headset.body.sample().segments)
      ASSERT_TRUE(segment.R_WS.allFinite() && segment.p_WS.allFinite());
  });
  EXPECT_GE(headset.body.sample().t, before);
  EXPECT_GT(headset.body.counts().of(Brought::Refused), 1000);
}

TEST(AHeadsetsBody, IsThePersonWhosePosesItTellsWhateverTheAxesOfItsJoints) {
  Random random(3);
  for (int run = 0; run < 40; ++run) {
    Headset headset;
    const Matrix3d axes = so3::exp(3.0 * random_direction(random));
    ASSERT_EQ(headset.show(HeadsetPerson().body(axes)), Brought::Sample);
    const HeadsetPerson person = random_person(random);
    // the first frames turn the hinges from where they were
    for (int i = 0; i < 200; ++i) ASSERT_EQ(headset.show(person.body(axes)), Brought::Sample);
    for (const int segment : {Pelvis, T8, Head, RightShoulder, RightUpperArm, RightForeArm, RightHand,
                              LeftShoulder, LeftUpperArm, LeftForeArm, LeftHand, RightUpperLeg, RightLowerLeg,
                              RightFoot, LeftUpperLeg, LeftLowerLeg, LeftFoot}) {
      EXPECT_LT(headset.off(segment, person.R[at(segment)]), 0.3 * kDegree)
          << panto::kHumanSegmentNames[at(segment)] << " in run " << run;
    }
    EXPECT_LT((headset.segment(Pelvis).p_WS - person.p[Pelvis]).norm(), 0.002);
    EXPECT_LT((headset.segment(LeftHand).p_WS - person.p[LeftHand]).norm(), kFloat);
    EXPECT_LT((headset.segment(RightFoot).p_WS - person.p[RightFoot]).norm(), kFloat);
  }
}

TEST(AHeadsetsBody, TellsThePersonsSize) {
  for (const double height : {1.2, 1.62, 1.98}) {
    HeadsetPerson person;
    person.size = panto::scaled_subject(height);
    person.pelvis.z() = 0.986 * height / 1.75;
    person.move();
    Headset headset;
    ASSERT_EQ(headset.show(person.body()), Brought::Sample);
    ASSERT_TRUE(headset.body.person());
    EXPECT_NEAR(headset.body.person()->height, height, 0.005);
    for (std::size_t i = 1; i < kHumanSegmentCount; ++i)
      EXPECT_LT((headset.body.person()->origin[i] - person.size.origin[i]).norm(), 0.003) << i;
    EXPECT_TRUE(has_note(headset.body, "Headsets guess the legs"));
  }
}

// A straight arm does not show its plane: the elbow's axis stays as it was, however the arm swings.
TEST(AHeadsetsBody, KeepsTheTwistOfAStraightArm) {
  Headset headset;
  HeadsetPerson person;
  headset.show(person.body());
  person.local[LeftUpperArm] = about_axis(1, 0.6);
  person.local[LeftForeArm] = about_axis(2, -1.2);
  person.move();
  for (int i = 0; i < 100; ++i) headset.show(person.body());
  EXPECT_LT(headset.off(LeftUpperArm, person.R[LeftUpperArm]), 0.3 * kDegree);
  for (int i = 0; i <= 36; ++i) {  // half a second
    person.local[LeftForeArm] = about_axis(2, -1.2 * std::max(0.0, 1.0 - i / 18.0));
    person.move();
    headset.show(person.body());
  }
  EXPECT_LT(headset.off(LeftUpperArm, person.R[LeftUpperArm]), 4 * kDegree);
}

TEST(AHeadsetsBody, IsCutWhereItDoesNotContinue) {
  Headset headset;
  const WebxrFrame frame = HeadsetPerson().body();
  headset.show(frame);
  EXPECT_FALSE(headset.body.sample().cut);
  headset.show(frame);
  EXPECT_FALSE(headset.body.sample().cut);
  WebxrFrame centred = frame;
  centred.breaks = true;
  headset.show(centred);
  EXPECT_TRUE(headset.body.sample().cut) << "the space was re-centred";
  headset.show(frame);
  EXPECT_FALSE(headset.body.sample().cut);
  WebxrFrame other = frame;
  other.session = 2;
  headset.t = 0;  // its clock begins elsewhere
  const Time before = headset.body.sample().t;
  headset.show(other);
  EXPECT_TRUE(headset.body.sample().cut) << "another session";
  EXPECT_GT(headset.body.sample().t, before);
  headset.show(HeadsetPerson().head());
  EXPECT_TRUE(headset.body.sample().cut) << "the body is gone";
  EXPECT_TRUE(has_note(headset.body, "came or went"));
}

// The headset's space moves, not the person.
TEST(AHeadsetsBody, StaysWhereItIsWhenTheSpaceIsReCentred) {
  for (const bool same_session : {true, false}) {
    Headset headset;
    HeadsetPerson person;
    headset.show(person.body());
    person.pelvis += Vector3d(0.4, -0.2, 0.0);
    person.local[Pelvis] = about_axis(2, 0.5);
    person.move();
    headset.show(person.body());
    const Vector3d stood = headset.segment(Pelvis).p_WS;
    const Matrix3d turn = about_axis(2, 40 * kDegree);
    const Vector3d shift(0.7, -0.3, 0.0);
    const auto elsewhere = [&] {
      WebxrFrame frame = person.body();
      for (WebxrPose& pose : frame.pose) pose = {turn * pose.R, turn * pose.p + shift};
      frame.session = same_session ? 1 : 2;
      return frame;
    };
    WebxrFrame first = elsewhere();
    first.breaks = true;
    headset.show(first);
    EXPECT_LT((headset.segment(Pelvis).p_WS - stood).norm(), kFloat);
    EXPECT_LT(headset.off(LeftFoot, person.R[LeftFoot]), 1e-5);
    person.pelvis += Vector3d(0.1, 0.0, 0.0);
    person.move();
    headset.show(elsewhere());
    EXPECT_LT((headset.segment(Pelvis).p_WS - stood - Vector3d(0.1, 0.0, 0.0)).norm(), 1e-5)
        << "and goes on in the axes of the first frame";
  }
}

TEST(AHeadsetsBody, HasTheStampsOfItsFramesAndCountsThoseThatNeverCame) {
  Headset headset;
  const WebxrFrame frame = HeadsetPerson().body();
  headset.show(frame);
  EXPECT_EQ(headset.body.sample().t, 0);
  headset.show(frame);
  EXPECT_EQ(headset.body.sample().t, kFrame);
  headset.number += 3;
  headset.show(frame, 4 * kFrame);
  EXPECT_EQ(headset.body.sample().t, 5 * kFrame);
  EXPECT_EQ(headset.body.counts().lost, 3);
  EXPECT_EQ(headset.show(frame, 0), Brought::Late);
  EXPECT_EQ(headset.show(frame, -kFrame), Brought::Late);
}

// Who begins on a chair has feet that stand level: the line from ankle to ball goes down in every foot.
TEST(AHeadsetsBody, HasLevelFeetBeforeThePersonStands) {
  Headset headset;
  HeadsetPerson seated;
  seated.pelvis.z() = 0.55;
  for (const int leg : {LeftUpperLeg, RightUpperLeg}) {
    seated.local[at(leg)] = about_axis(1, -80 * kDegree);
    seated.local[at(leg + 1)] = about_axis(1, 80 * kDegree);
  }
  seated.move();
  headset.show(seated.body());
  EXPECT_LT(headset.off(LeftFoot, seated.R[LeftFoot]), 0.1 * kDegree);
  EXPECT_LT(headset.off(RightFoot, seated.R[RightFoot]), 0.1 * kDegree);
}

TEST(AHeadsetsBody, IsNeutralOnceThePersonStands) {
  Headset headset;
  HeadsetPerson bent;
  bent.local[Pelvis] = about_axis(1, 60 * kDegree);
  bent.move();
  headset.show(bent.body());
  HeadsetPerson upright;
  headset.show(upright.body());
  EXPECT_TRUE(headset.body.sample().cut) << "the frames before had other neutral turns";
  EXPECT_LT(headset.off(LeftFoot, upright.R[LeftFoot]), kFloat);
  EXPECT_TRUE(has_note(headset.body, "stood upright later"));
}

TEST(AHeadsetsBody, TakesNoMemoryOnceItHasBegun) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(4);
  Headset headset;
  headset.show(HeadsetPerson().body());
  WebxrFrame whole = random_person(random).body(), reaching = random_person(random).head();
  whole.t = headset.t + kFrame;
  reaching.t = headset.t + 2 * kFrame;
  const auto one = webxr_bytes(whole), two = webxr_bytes(reaching);
  const panto::AllocationCount allocations;
  EXPECT_EQ(headset.body.take(one, 1), Brought::Sample);
  EXPECT_EQ(headset.body.take(two, 2), Brought::Sample);
  EXPECT_EQ(allocations.value(), 0);
}

// Head and hands of a person who stands, shown for a second.
void reach(Headset& headset, const HeadsetPerson& person, bool left_hand, bool right_hand) {
  for (int i = 0; i < 72; ++i) {
    WebxrFrame frame = person.head();
    for (const int side : {0, 1}) {
      if (!(side == 1 ? left_hand : right_hand)) continue;
      const int hand = side == 1 ? LeftHand : RightHand, which = webxr_hand(WebxrPlace::LeftWrist, side);
      const double out = side == 1 ? 1.0 : -1.0;
      // the hand's back is y, its fingers are along -z
      Matrix3d own;
      own << out, 0, 0, 0, 0, -out, 0, 1, 0;
      frame.has.set(at(which));
      frame.pose[at(which)] = {person.R[at(hand)] * own, person.p[at(hand)]};
    }
    const Brought brought = headset.show(frame);
    EXPECT_EQ(brought, i < 36 ? Brought::Part : Brought::Sample) << "half a second is waited for a body";
  }
}

TEST(HeadAndHands, MakeAPersonWhoStandsAndReaches) {
  HeadsetPerson person;
  person.local[LeftUpperArm] = about_axis(2, -0.8) * about_axis(0, -0.5);
  person.local[LeftForeArm] = about_axis(2, -1.0);
  person.local[LeftHand] = about_axis(0, 0.3);
  person.local[Head] = about_axis(2, 0.3) * about_axis(1, 0.2);
  person.move();
  Headset headset;
  reach(headset, person, true, false);
  ASSERT_TRUE(headset.body.person());
  EXPECT_NEAR(headset.body.person()->height, 1.75, 0.03) << "by the eyes' height";
  EXPECT_LT(headset.off(Head, person.R[Head]), kFloat);
  EXPECT_LT(headset.off(LeftHand, person.R[LeftHand]), kFloat);
  EXPECT_LT((headset.segment(LeftHand).p_WS - person.p[LeftHand]).norm(), 1e-4) << "within reach";
  EXPECT_FALSE(headset.segment(RightHand).has_orientation) << "not seen";
  EXPECT_LT(panto::angle_between(headset.segment(T8).R_WS.col(2), Vector3d::UnitZ()), 1e-9);
  EXPECT_LT((headset.segment(Pelvis).p_WS - person.p[Pelvis]).norm(), 0.08);
  EXPECT_NEAR(headset.segment(LeftFoot).p_WS.z(), person.p[LeftFoot].z(), 0.02);
  EXPECT_LT(headset.off(LeftUpperLeg, headset.segment(Pelvis).R_WS), 25 * kDegree);
  EXPECT_TRUE(has_note(headset.body, "head and hands alone"));
}

TEST(HeadAndHands, ThatCrouchBendTheKneesOverTheFeet) {
  HeadsetPerson person;
  Headset headset;
  reach(headset, person, true, true);
  person.pelvis.z() -= 0.3;
  person.move();
  headset.show(person.head());
  EXPECT_NEAR(headset.segment(Pelvis).p_WS.z(), person.pelvis.z(), 0.03);
  EXPECT_NEAR(headset.segment(RightFoot).p_WS.z(), 0.0682, 0.01) << "an ankle's height";
  EXPECT_GT(headset.segment(RightLowerLeg).p_WS.x() - headset.segment(RightFoot).p_WS.x(), 0.2)
      << "knees go ahead";
  EXPECT_LT(headset.off(RightFoot, Matrix3d::Identity()), 1e-9);
}

TEST(HeadAndHands, TurnTheTrunkSlowlyAfterTheHead) {
  HeadsetPerson person;
  Headset headset;
  reach(headset, person, false, false);
  person.local[Head] = about_axis(2, 1.0);
  person.move();
  headset.show(person.head());
  EXPECT_LT(headset.off(T8, Matrix3d::Identity()), 0.03) << "a glance turns nothing";
  for (int i = 0; i < 50; ++i) headset.show(person.head());
  EXPECT_NEAR(headset.off(T8, Matrix3d::Identity()), 1.0 - std::exp(-1.0), 0.03) << "after 0.7 s";
}

// OpenXR's grip of a left hand held out to the left, palm down: the thumb's side is ahead, and -z points
// there; x comes out of the left palm, downwards.
TEST(HeadAndHands, HoldControllersAsOpenXrSays) {
  HeadsetPerson person;
  WebxrFrame frame = person.head();
  Matrix3d left;
  left.col(2) = -Vector3d::UnitX();
  left.col(0) = -Vector3d::UnitZ();
  left.col(1) = left.col(2).cross(left.col(0));
  Matrix3d right;
  right.col(2) = -Vector3d::UnitX();
  right.col(0) = Vector3d::UnitZ();  // into the right palm, which looks down
  right.col(1) = right.col(2).cross(right.col(0));
  frame.has.set(WebxrPlace::LeftGrip).set(WebxrPlace::LeftGrip + 1);
  frame.pose[WebxrPlace::LeftGrip] = {left, {0.3, 0.3, 1.2}};
  frame.pose[WebxrPlace::LeftGrip + 1] = {right, {0.3, -0.3, 1.2}};
  Headset headset;
  for (int i = 0; i < 40; ++i) headset.show(frame);
  EXPECT_LT(headset.off(LeftHand, Matrix3d::Identity()), kFloat);
  EXPECT_LT(headset.off(RightHand, Matrix3d::Identity()), kFloat);
  EXPECT_LT(headset.segment(LeftHand).p_WS.y(), 0.3 - 0.05) << "the wrist is nearer than the palm";
  EXPECT_NEAR(headset.segment(RightHand).p_WS.y(), -headset.segment(LeftHand).p_WS.y(), 1e-6);
}

TEST(HeadAndHands, OfOneWhoseHeightIsToldHaveThatSize) {
  WebxrBody body(1.9);
  HeadsetPerson person;
  for (int i = 0; i < 40; ++i) {
    WebxrFrame frame = person.head();
    frame.t = i * kFrame;
    (void)body.take(webxr_bytes(frame), i * kFrame);
  }
  ASSERT_TRUE(body.person());
  EXPECT_EQ(body.person()->height, 1.9);
  EXPECT_FALSE(has_note(body, "eyes")) << "nobody measured it by them";
}

TEST(HeadAndHands, OfOneWhoSitsTellNoSize) {
  HeadsetPerson person;
  person.pelvis.z() = 0.4;
  person.move();
  Headset headset;
  reach(headset, person, false, false);
  EXPECT_FALSE(headset.body.person());
  EXPECT_TRUE(has_note(headset.body, "too low or too high"));
}

}  // namespace
