// What MVN's stream says of segments, axes and the person.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "panto/stream/mxtp_body.hpp"
#include "panto/stream/y_up.hpp"
#include "tests/support/mxtp_sender.hpp"

namespace {

using namespace panto;
using namespace panto::stream;
using panto::test::Bytes;
using panto::test::has_note;
using panto::test::moving_person;
using panto::test::mxtp_datagram;
using panto::test::Received;

// the sample in a world with y up, its segments' own axes turned as well or not
SegmentSample y_up(const SegmentSample& sample, bool frames_too) {
  const Eigen::Matrix3d C = z_up_from_y_up();
  SegmentSample turned = sample;
  for (SegmentMotion& s : turned.segments) {
    s.R_WS = C.transpose() * s.R_WS;
    if (frames_too) s.R_WS = s.R_WS * C;
    for (Eigen::Vector3d* v : {&s.p_WS, &s.v_WS, &s.w_WS}) *v = C.transpose() * *v;
  }
  return turned;
}

// the person with the lower foot on the floor
SegmentSample standing_person(double t) {
  SegmentSample sample = moving_person(t);
  double floor = sample.segments[0].p_WS.z();
  for (const SegmentMotion& s : sample.segments) floor = std::min(floor, s.p_WS.z());
  for (SegmentMotion& s : sample.segments) s.p_WS.z() -= floor;
  return sample;
}

TEST(AnMvnStream, ThatIsYUpIsTurned) {
  for (const bool frames_too : {true, false}) {
    MxtpEncoderOptions options;
    options.angular = true;
    MxtpEncoder encoder(human_segment_names(), options);
    MxtpBody body;
    Received received(body);
    for (int i = 0; i < 20; ++i) {
      const SegmentSample sample = standing_person(i / 60.0);
      for (const Bytes& datagram : encoder.encode(y_up(sample, frames_too))) received(datagram);
      for (std::size_t k = 0; k < 23; ++k) {
        EXPECT_LT(so3::distance(body.sample().segments[k].R_WS, sample.segments[k].R_WS), 1e-6);
        EXPECT_LT((body.sample().segments[k].p_WS - sample.segments[k].p_WS).norm(), 1e-6);
        if (i > 0) {
          EXPECT_LT((body.sample().segments[k].w_WS - sample.segments[k].w_WS).norm(), 1e-3);
        }
      }
    }
    EXPECT_TRUE(has_note(body, "y up"));
    EXPECT_EQ(std::count(received.cut.begin(), received.cut.end(), true), 0) << "told by the first sample";
  }
}

TEST(AnMvnStream, OfALyingPersonIsNotTurned) {
  const Eigen::Matrix3d lying = so3::about_axis(0, -std::numbers::pi / 2);  // on the back, head along +y
  SegmentSample sample = moving_person(0.2);
  for (SegmentMotion& s : sample.segments) {
    s.R_WS = lying * s.R_WS;
    s.p_WS = lying * s.p_WS +
             Eigen::Vector3d(0.0, 0.5, 0.0);  // feet on the line y = 0 would be taken for standing
  }
  MxtpEncoder encoder(human_segment_names());
  MxtpBody body;
  ASSERT_EQ(body.take(encoder.encode(sample).front(), 0), Brought::Sample);
  EXPECT_LT(so3::distance(body.sample().segments[0].R_WS, sample.segments[0].R_WS), 1e-6);
  EXPECT_FALSE(has_note(body, "y up"));
}

// a pose datagram of these items: id, position, quaternion
Bytes pose(std::uint32_t counter, const std::vector<MxtpPose>& items) {
  return mxtp_datagram({"02", counter, 0x80, static_cast<int>(items.size())}, [&](MxtpWriter& w) {
    for (const MxtpPose& item : items) {
      w.word(static_cast<std::uint32_t>(item.segment));
      w.reals32(item.p_WS);
      w.reals32(item.q_WS);
    }
  });
}

TEST(AnMvnStream, UsesNoValueThatIsNoPosition) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const Eigen::Vector4d one(1, 0, 0, 0);
  MxtpBody body;
  ASSERT_EQ(body.take(pose(1, {{1, {0, 0, 1}, {1.009, 0, 0, 0}},
                               {2, {0, 0, 1}, {1.011, 0, 0, 0}},
                               {3, {nan, 0, 1}, one},
                               {4, {0, inf, 1}, one},
                               {5, {0, 0, 1.1e6}, one},
                               {6, {0, 0, 0.9e6}, {0, 0, 0, 0}},
                               {7, {0, 0, 1}, {nan, 0, 0, 0}}}),
                      0),
            Brought::Sample);
  const auto& s = body.sample().segments;
  EXPECT_TRUE(s[0].has_orientation) << "normalised within 1e-2";
  EXPECT_TRUE(so3::is_rotation(s[0].R_WS, 1e-12));
  EXPECT_FALSE(s[1].has_orientation);
  EXPECT_FALSE(s[2].has_position || s[3].has_position || s[4].has_position);
  EXPECT_TRUE(s[2].has_orientation && s[5].has_position);
  EXPECT_FALSE(s[5].has_orientation || s[6].has_orientation);
  for (const SegmentMotion& segment : s) EXPECT_TRUE(segment.R_WS.allFinite() && segment.p_WS.allFinite());
  EXPECT_FALSE(s[10].has_orientation) << "not sent";
  EXPECT_TRUE(has_note(body, "could not be used"));
}

TEST(AnMvnStream, DropsPropsFingersAndRepeatedIds) {
  const Eigen::Vector4d one(1, 0, 0, 0);
  MxtpBody body;
  ASSERT_EQ(body.take(pose(1, {{1, {1, 0, 1}, one},
                               {24, {2, 0, 1}, one},
                               {1, {3, 0, 1}, one},
                               {-7, {4, 0, 1}, one},
                               {0, {5, 0, 1}, one}}),
                      0),
            Brought::Sample);
  EXPECT_EQ(body.sample().segments[0].p_WS.x(), 1.0) << "the first of its id";
  EXPECT_EQ(body.take(pose(2, {{24, {2, 0, 1}, one}}), 0), Brought::Part) << "a prop alone is no sample";
}

TEST(AnMvnStream, NamesTypesThatItCannotUse) {
  const auto of = [](const char* digits) {
    return mxtp_datagram({digits}, [](MxtpWriter& w) {
      for (int i = 0; i < 11; ++i) w.real32(0.0);
    });
  };
  MxtpBody body;
  for (const char* digits : {"01", "05", "03", "12", "20", "24", "25", "3f"}) {
    EXPECT_EQ(body.take(of(digits), 0), Brought::Ignored) << digits;
  }
  EXPECT_TRUE(has_note(body, "type 01"));
  EXPECT_TRUE(has_note(body, "type 05"));
  EXPECT_TRUE(has_note(body, "switch on the pose with quaternions (type 02)"));
  EXPECT_EQ(body.take(test::hex("7b 22 74 22 7d"), 0), Brought::Ignored) << "a JSON text";
  EXPECT_EQ(body.take(test::hex("00 01"), 0), Brought::Refused);
  EXPECT_EQ(body.take({}, 0), Brought::Refused);
  EXPECT_EQ(body.counts().of(Brought::Ignored), 9);
  EXPECT_EQ(body.counts().of(Brought::Refused), 2);
}

TEST(AnMvnStream, SaysWhichDimensionsAreMissing) {
  MxtpEncoderOptions options;
  options.person = scaled_subject(1.8);
  options.largest_bytes = 300;
  MxtpEncoder encoder(human_segment_names(), options);
  const Datagrams introduction = encoder.introduction();
  MxtpBody body;
  EXPECT_EQ(body.take(introduction[0], 0), Brought::Part);
  EXPECT_FALSE(body.person());
  EXPECT_TRUE(has_note(body, "(type 13) lack"));
  for (const Bytes& datagram : introduction) {
    const bool segments = datagram[27] != std::byte{0};  // their number
    if (segments) (void)body.take(datagram, 0);
  }
  ASSERT_TRUE(body.person()) << "without points";
  EXPECT_NEAR(body.person()->height, 1.8, 1e-6) << "by the span from ankle to head";
  EXPECT_EQ(body.take(std::span(introduction[0]).first(60), 0), Brought::Refused);
  EXPECT_TRUE(body.person()) << "damage changes nothing";
}

}  // namespace
