#include "panto/stream/mxtp.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "panto/math/degrees.hpp"
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

TEST(AnMvnDatagram, OfAnotherSizeThanItsTypeHasIsRefused) {
  EXPECT_TRUE(read_header(counting("23", 10)));
  EXPECT_TRUE(read_header(counting("23", 16)));
  EXPECT_FALSE(read_header(counting("23", 12))) << "trackers: 52 bytes are neither 44 nor 68";
  EXPECT_TRUE(read_header(counting("24", 3, false)));
  EXPECT_FALSE(read_header(counting("24", 2, false))) << "the centre of mass has at least 12 bytes";
  EXPECT_FALSE(read_header(counting("25", 2, false))) << "the time code has at least 12 bytes";
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
