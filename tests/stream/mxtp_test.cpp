#include "panto/stream/mxtp.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "panto/math/degrees.hpp"
#include "panto/model/isb_angles.hpp"
#include "tests/support/mxtp_stream.hpp"

namespace {

using namespace panto;
using namespace panto::stream;
using panto::test::Bytes;
using panto::test::hex;
using panto::test::mxtp_datagram;

// header and first item of a public recording of a live stream: 23 segments, counter 917163
constexpr std::string_view kHeader =
    "4d 58 54 50 30 32 | 00 0d fe ab | 80 | 17 | 00 00 00 00 | 00 | 17 00 00 | 00 00 | 02 e0";
constexpr std::string_view kPelvis =
    "00 00 00 01 | 40 01 dd 7d 3f 0a 30 ba 3f 73 8c bb | 3f 70 fa a0 bd be e0 99 3e 04 58 8e 3e 98 54 85";
constexpr std::string_view kLeftToe =
    "00 00 00 17 | 40 0b e6 17 3f 51 95 ee 3c f1 17 0e | 3f 65 80 4b bc eb 8e 07 bd 2b e0 db 3e e1 59 91";

Bytes recorded() {
  Bytes bytes = hex(kHeader);
  for (int i = 0; i < 23; ++i) {
    const Bytes item = hex(i < 22 ? kPelvis : kLeftToe);
    bytes.insert(bytes.end(), item.begin(), item.end());
  }
  return bytes;
}

TEST(AnMvnDatagram, OfAPublicRecordingIsRead) {
  const Bytes bytes = recorded();
  ASSERT_EQ(bytes.size(), 760U) << "as seen on the wire: 24 + 23 * 32";
  const auto header = read_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->type, MxtpType::Pose);
  EXPECT_EQ(header->counter, 917163U);
  EXPECT_EQ(header->fragment, 0);
  EXPECT_TRUE(header->last);
  EXPECT_EQ(header->items, 23);
  EXPECT_EQ(header->time_code, 0U);
  EXPECT_EQ(header->segments, 23);
  const MxtpPose pelvis = read_pose(bytes, 0), toe = read_pose(bytes, 22);
  EXPECT_EQ(pelvis.segment, 1);
  // the recording's values have seven decimals
  EXPECT_LT((pelvis.p_WS - Eigen::Vector3d(2.0291436, 0.5398060, 0.9513661)).norm(), 1e-7);
  EXPECT_LT((pelvis.q_WS - Eigen::Vector4d(0.9413242, -0.0932018, 0.1292441, 0.2975198)).norm(), 1e-7);
  EXPECT_EQ(toe.segment, 23);
  EXPECT_LT((toe.p_WS - Eigen::Vector3d(2.1859186, 0.8186940, 0.0294299)).norm(), 1.5e-7);
}

TEST(AnMvnDatagram, IsRefusedUnlessItsHeaderFitsItsBytes) {
  const Bytes whole = recorded();
  const auto with = [&](std::size_t place, int value) {
    Bytes changed = whole;
    changed[place] = static_cast<std::byte>(value);
    return read_header(changed).has_value();
  };
  EXPECT_TRUE(with(0, 'M'));
  EXPECT_FALSE(with(0, 'm'));
  EXPECT_FALSE(with(4, 'g')) << "no hexadecimal digit";
  EXPECT_FALSE(with(11, 24)) << "24 items in the bytes of 23";
  EXPECT_FALSE(with(11, 0)) << "a pose of nothing";
  EXPECT_TRUE(with(11, 22)) << "bytes after the items are for later versions";
  EXPECT_FALSE(with(23, 0xe1)) << "another payload size";
  Bytes old = whole;
  old[22] = old[23] = std::byte{0};
  EXPECT_TRUE(read_header(old)) << "versions before 2018 tell no size";
  EXPECT_FALSE(read_header(std::span(whole).first(23)));
  EXPECT_FALSE(read_header({}));
  EXPECT_TRUE(is_mvn_text(hex("7b 22")));
  EXPECT_FALSE(is_mvn_text(whole));
}

TEST(AnMvnDatagram, NamesItsTypeInDigits) {
  const auto type = [](std::string_view digits) {
    return read_header(mxtp_datagram({digits}, [](MxtpWriter& w) {
      for (int i = 0; i < 11; ++i) w.real32(0.0);
    }));
  };
  EXPECT_EQ(type("20")->type, MxtpType::JointAngles) << "digits, not a number: 0x20";
  EXPECT_EQ(type("22")->type, MxtpType::Angular);
  EXPECT_EQ(static_cast<int>(type("3f")->type), 0x3f) << "unknown types have a header";
  EXPECT_EQ(static_cast<int>(type("3F")->type), 0x3f);
}

TEST(AnMvnDatagram, TellsItsFragment) {
  for (const auto& [part, fragment, last] : {std::tuple{0x00, 0, false}, {0x01, 1, false}, {0x82, 2, true}}) {
    const auto header = read_header(mxtp_datagram({"02", 1, part}, [](MxtpWriter& w) {
      for (int i = 0; i < 8; ++i) w.real32(0.0);
    }));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->fragment, fragment);
    EXPECT_EQ(header->last, last);
  }
}

TEST(AnMvnDatagram, OfJointAnglesIsInRadians) {
  const Bytes item = hex("00 00 01 02 00 00 02 01 3f c0 00 00 c0 10 00 00 41 f0 00 00");
  Bytes bytes = mxtp_datagram({"20"}, [](MxtpWriter&) {});
  bytes[23] = std::byte{20};
  bytes.insert(bytes.end(), item.begin(), item.end());
  ASSERT_TRUE(read_header(bytes));
  const MxtpJoint joint = read_joint(bytes, 0);
  EXPECT_EQ(joint.parent(), 1) << "pelvis";
  EXPECT_EQ(joint.child(), 2) << "L5";
  EXPECT_LT((joint.angles - kDegree * Eigen::Vector3d(1.5, -2.25, 30.0)).norm(), 1e-15);
}

TEST(AnMvnDatagram, OfJointAnglesHoldsWhatTheIsbAnglesAre) {
  const SegmentSample sample = test::moving_person(1.3);
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_WS;
  for (std::size_t i = 0; i < R_WS.size(); ++i) R_WS[i] = sample.segments[i].R_WS;
  const auto angles = isb_angles(R_WS);
  const Bytes bytes = mxtp_datagram({"20", 0, 0x80, 22}, [&](MxtpWriter& w) {
    for (std::size_t i = 0; i < angles.size(); ++i) {
      w.word(static_cast<std::uint32_t>(256 * (kHumanSegmentParent[i + 1] + 1) + 1));
      w.word(static_cast<std::uint32_t>(256 * (i + 2) + 2));
      w.reals32(kToDegrees * angles[i]);
    }
  });
  ASSERT_TRUE(read_header(bytes));
  for (int i = 0; i < kIsbJointCount; ++i) {
    const MxtpJoint joint = read_joint(bytes, i);
    EXPECT_EQ(joint.child(), i + 2);
    EXPECT_EQ(joint.parent(), kHumanSegmentParent[at(i + 1)] + 1);
    EXPECT_LT((joint.angles - angles[at(i)]).norm(), 1e-6) << "a float of degrees holds 180 to 8e-6 degrees";
  }
}

// a datagram of one item: an id, then 1, 2, 3, ...
Bytes counting(std::string_view digits, int numbers, bool id = true) {
  return mxtp_datagram({digits}, [&](MxtpWriter& w) {
    if (id) w.word(std::uint32_t{5});
    for (int i = 1; i <= numbers; ++i) w.real32(i);
  });
}

TEST(AnMvnDatagram, OfLinearMotionHoldsPositionVelocityAcceleration) {
  const Bytes bytes = counting("21", 9);
  ASSERT_TRUE(read_header(bytes));
  const MxtpLinear linear = read_linear(bytes, 0);
  EXPECT_EQ(linear.segment, 5);
  EXPECT_EQ(linear.p_WS, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(linear.v_WS, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(linear.a_WS, Eigen::Vector3d(7, 8, 9));
}

TEST(AnMvnDatagram, OfAngularMotionIsInRadiansPerSecond) {
  const Bytes bytes = counting("22", 10);
  ASSERT_TRUE(read_header(bytes));
  const MxtpAngular angular = read_angular(bytes, 0);
  EXPECT_EQ(angular.q_WS, Eigen::Vector4d(1, 2, 3, 4)) << "w first, not normalised";
  EXPECT_LT((angular.w_WS - kDegree * Eigen::Vector3d(5, 6, 7)).norm(), 1e-15) << "MVN sends deg/s";
  EXPECT_LT((angular.alpha_WS - kDegree * Eigen::Vector3d(8, 9, 10)).norm(), 1e-15);
}

TEST(AnMvnDatagram, OfTrackersHasItemsOf44Or68Bytes) {
  const Bytes small = counting("23", 10), large = counting("23", 16);
  ASSERT_TRUE(read_header(small));
  ASSERT_TRUE(read_header(large));
  const MxtpTracker plain = read_tracker(small, 0), inertial = read_tracker(large, 0);
  EXPECT_FALSE(plain.has_inertial);
  EXPECT_EQ(plain.free_acceleration_W, Eigen::Vector3d(5, 6, 7));
  EXPECT_EQ(plain.magnetic_I, Eigen::Vector3d(8, 9, 10));
  EXPECT_TRUE(inertial.has_inertial);
  EXPECT_EQ(inertial.acceleration_I, Eigen::Vector3d(8, 9, 10));
  EXPECT_EQ(inertial.rate_I, Eigen::Vector3d(11, 12, 13));
  EXPECT_EQ(inertial.magnetic_I, Eigen::Vector3d(14, 15, 16));
  EXPECT_FALSE(read_header(counting("23", 12))) << "52 bytes are neither";
}

TEST(AnMvnDatagram, OfTheCentreOfMassHas12Or36Bytes) {
  const Bytes small = counting("24", 3, false), large = counting("24", 9, false);
  ASSERT_TRUE(read_header(small));
  EXPECT_FALSE(read_centre_of_mass(small).has_rates);
  EXPECT_EQ(read_centre_of_mass(small).p_W, Eigen::Vector3d(1, 2, 3));
  const MxtpCentreOfMass moving = read_centre_of_mass(large);
  EXPECT_TRUE(moving.has_rates);
  EXPECT_EQ(moving.v_W, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(moving.a_W, Eigen::Vector3d(7, 8, 9));
  EXPECT_FALSE(read_header(counting("24", 2, false)));
}

TEST(AnMvnDatagram, OfTheTimeCodeEndsInTwelveLetters) {
  const auto time = [](std::string_view text, bool length) {
    const Bytes bytes = mxtp_datagram({"25"}, [&](MxtpWriter& w) {
      if (length) w.word(std::uint32_t{12});
      w.letters(text);
    });
    return read_header(bytes) ? read_time_code(bytes) : std::nullopt;
  };
  const Time expected = ((13 * 60 + 4) * 60 + 59) * Time{1'000'000'000} + 87'000'000;
  EXPECT_EQ(time("13:04:59.087", false), expected);
  EXPECT_EQ(time("13:04:59.087", true), expected) << "16 bytes, as the vendor's own receivers read";
  EXPECT_EQ(time("13:04:59,087", false), std::nullopt);
  EXPECT_EQ(time("24:00:00.000", false), std::nullopt);
  EXPECT_EQ(time("1304:59.087", false), std::nullopt) << "11 bytes";
}

TEST(AnMvnDatagram, OfTheScaleIsReadWholeOrNotAtAll) {
  const Bytes whole = mxtp_datagram({"13", 0, 0x80, 2}, [](MxtpWriter& w) {
    w.word(std::uint32_t{1});
    w.word(std::uint32_t{6});
    w.letters("Pelvis");
    w.reals32(Eigen::Vector3d(0, 0, 1));
    w.word(std::uint32_t{1});
    w.word(std::uint16_t{7});
    w.word(std::uint16_t{3});
    w.word(std::uint32_t{10});
    w.letters("pTopOfHead");
    w.word(std::uint32_t{9});
    w.reals32(Eigen::Vector3d(0, 0, 0.2F));
  });
  int segments = 0, points = 0;
  const auto read = [&](std::span<const std::byte> bytes) {
    return read_scale(
        bytes, [&](const MxtpScaleSegment& s) { segments += s.name == "Pelvis" && s.p_W.z() == 1.0 ? 1 : 0; },
        [&](const MxtpScalePoint& p) {
          points += p.name == "pTopOfHead" && p.segment == 7 && p.point == 3 && p.flags == 9 ? 1 : 0;
        });
  };
  EXPECT_TRUE(read(whole));
  EXPECT_EQ(segments, 1);
  EXPECT_EQ(points, 1);
  for (std::size_t length = kMxtpHeaderBytes; length < whole.size(); ++length) {
    EXPECT_FALSE(read(std::span(whole).first(length))) << length;
  }
  Bytes endless = whole;
  endless[24] = std::byte{0xff};
  EXPECT_FALSE(read(endless)) << "four billion segments";
}

}  // namespace
