#include "panto/stream/mxtp_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/stream/mxtp_body.hpp"
#include "tests/support/mxtp_stream.hpp"

namespace {

using namespace panto;
using namespace panto::stream;
using panto::test::hex;
using panto::test::moving_person;

Eigen::Matrix3d rotation(float w, float x, float y, float z) {
  return so3::from_quaternion_wxyz(Eigen::Vector4f(w, x, y, z).cast<double>());
}

// as in mxtp_test.cpp: values of a public recording
TEST(AnMvnEncoder, WritesTheBytesOfAPublicRecording) {
  SegmentSample sample = moving_person(0.0);
  SegmentMotion& pelvis = sample.segments[HumanSegment::Pelvis];
  pelvis.p_WS = Eigen::Vector3f(2.0291436F, 0.5398060F, 0.9513661F).cast<double>();
  pelvis.R_WS = rotation(0.9413242F, -0.0932018F, 0.1292441F, 0.2975198F);
  MxtpEncoderOptions options;
  options.first_counter = 917163;
  MxtpEncoder encoder(human_segment_names(), options);
  const Datagrams datagrams = encoder.encode(sample);
  ASSERT_EQ(datagrams.size(), 1U);
  ASSERT_EQ(datagrams[0].size(), 760U);
  const auto expected =
      hex("4d 58 54 50 30 32 | 00 0d fe ab | 80 | 17 | 00 00 00 00 | 00 | 17 00 00 | 00 00 | 02 e0"
          "00 00 00 01 | 40 01 dd 7d 3f 0a 30 ba 3f 73 8c bb");
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), datagrams[0].begin()));
  const Eigen::Vector4d q = read_pose(datagrams[0], 0).q_WS;
  EXPECT_LT((q - Eigen::Vector4d(0.9413242, -0.0932018, 0.1292441, 0.2975198)).norm(), 2e-7)
      << "recorded quaternions are of unit length within a float, ours are normalised: one bit of difference";
}

TEST(AnMvnEncoder, RoundTripsRandomMotion) {
  for (const std::size_t largest : {std::size_t{1472}, std::size_t{128}, std::size_t{400}}) {
    MxtpEncoderOptions options;
    options.linear = options.angular = true;
    options.largest_bytes = largest;
    MxtpEncoder encoder(human_segment_names(), options);
    MxtpBody body;
    int samples = 0;
    for (int i = 0; i < 200; ++i) {
      const SegmentSample sent = moving_person(i / 60.0, 0.1 * static_cast<double>(largest));
      bool came = false;
      for (const auto& datagram : encoder.encode(sent)) {
        ASSERT_LE(datagram.size(), largest);
        came = body.take(datagram, sent.t) == Brought::Sample || came;
      }
      ASSERT_TRUE(came) << i;
      ++samples;
      for (std::size_t k = 0; k < sent.segments.size(); ++k) {
        const SegmentMotion& got = body.sample().segments[k];
        ASSERT_TRUE(got.has_orientation && got.has_position);
        EXPECT_LT(so3::distance(got.R_WS, sent.segments[k].R_WS), 1e-6);
        EXPECT_LT((got.p_WS - sent.segments[k].p_WS).norm(), 1e-6) << "a float of 4 m holds 2.4e-7 m";
        if (i == 0) continue;  // the first sample is given with its pose; the others teach what comes
        ASSERT_TRUE(got.has_angular_velocity && got.has_linear_velocity);
        EXPECT_LT((got.w_WS - sent.segments[k].w_WS).norm(), 1e-5) << "a float of 600 deg/s holds 6e-5 deg/s";
        EXPECT_LT((got.v_WS - sent.segments[k].v_WS).norm(), 1e-6);
      }
    }
    EXPECT_EQ(body.counts().of(Brought::Sample), samples);
    EXPECT_EQ(body.counts().lost, 0);
    EXPECT_EQ(body.counts().of(Brought::Refused), 0);
  }
}

TEST(AnMvnEncoder, IntroducesThePerson) {
  for (const std::size_t largest : {std::size_t{1472}, std::size_t{128}}) {
    for (const double height : {1.2, 1.75, 2.1}) {
      MxtpEncoderOptions options;
      options.person = scaled_subject(height);
      options.largest_bytes = largest;
      MxtpEncoder encoder(human_segment_names(), options);
      MxtpBody body;
      EXPECT_FALSE(body.person());
      const Datagrams datagrams = encoder.introduction();
      EXPECT_GE(datagrams.size(), 2U) << "segments first, then points, as MVN";
      for (const auto& datagram : datagrams) {
        EXPECT_LE(datagram.size(), largest);
        EXPECT_EQ(body.take(datagram, 0), Brought::Part);
      }
      ASSERT_TRUE(body.person());
      const SubjectDimensions got = *body.person();
      EXPECT_NEAR(got.height, height, 3e-4 * height) << "average tips of toes are 0.02 % below the sole";
      for (std::size_t i = 1; i < got.origin.size(); ++i) {
        EXPECT_LT((got.origin[i] - options.person->origin[i]).norm(), 1e-6);
        EXPECT_LT((got.end[i] - options.person->end[i]).norm(), 1e-6);
      }
    }
  }
}

TEST(AnMvnEncoder, IntroducesNobodyWithoutDimensions) {
  EXPECT_TRUE(MxtpEncoder(human_segment_names()).introduction().empty());
}

TEST(AnMvnEncoder, CountsByStampAndAlwaysUpwards) {
  MxtpEncoderOptions options;
  options.rate_hz = 240.0;
  MxtpEncoder encoder(human_segment_names(), options);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sent;
  for (const double t : {0.0, 0.1, 0.1, 0.2}) {
    const auto header = read_header(encoder.encode(moving_person(t)).front());
    ASSERT_TRUE(header);
    sent.emplace_back(header->counter, header->time_code);
  }
  EXPECT_EQ(sent[1], std::pair(24U, 100U));
  EXPECT_EQ(sent[2], std::pair(25U, 100U)) << "two samples have two counters";
  EXPECT_EQ(sent[3], std::pair(48U, 200U));
}

TEST(AnMvnEncoder, SendsWhatIsMissingAsMissing) {
  SegmentSample sample = moving_person(0.0);
  sample.segments[HumanSegment::LeftHand].has_orientation = false;
  sample.segments[HumanSegment::RightToe].has_position = false;
  MxtpEncoder encoder(human_segment_names());
  MxtpBody body;
  ASSERT_EQ(body.take(encoder.encode(sample).front(), 0), Brought::Sample);
  EXPECT_FALSE(body.sample().segments[HumanSegment::LeftHand].has_orientation);
  EXPECT_TRUE(body.sample().segments[HumanSegment::LeftHand].has_position);
  EXPECT_FALSE(body.sample().segments[HumanSegment::RightToe].has_position);
}

TEST(AnMvnEncoder, FindsSegmentsByName) {
  std::vector<std::string> names = human_segment_names();
  names.insert(names.begin(), "Sword");
  std::reverse(names.begin() + 1, names.end());
  SegmentSample straight = moving_person(0.4), reversed = straight;
  reversed.segments.insert(reversed.segments.begin(), SegmentMotion{});
  std::reverse(reversed.segments.begin() + 1, reversed.segments.end());
  EXPECT_EQ(MxtpEncoder(names).encode(reversed), MxtpEncoder(human_segment_names()).encode(straight));
}

std::string refusal(const std::vector<std::string>& names, const MxtpEncoderOptions& options = {}) {
  try {
    const MxtpEncoder encoder(names, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(AnMvnEncoder, NamesWhatItCannotSend) {
  std::vector<std::string> names = human_segment_names();
  std::erase(names, "LeftToe");
  std::erase(names, "L3");
  EXPECT_NE(refusal(names).find("lack L3, LeftToe"), std::string::npos) << refusal(names);
  const auto with = [](auto change) {
    MxtpEncoderOptions options;
    change(options);
    return refusal(human_segment_names(), options);
  };
  EXPECT_EQ(refusal(human_segment_names()), "nothing");
  EXPECT_NE(with([](auto& o) { o.rate_hz = 0.0; }).find("rate"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.rate_hz = std::nan(""); }).find("rate"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.pose = false; }).find("pose (02), linear (21) and angular (22)"),
            std::string::npos);
  EXPECT_NE(with([](auto& o) { o.character = 256; }).find("0 to 255"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.largest_bytes = 127; }).find("128"), std::string::npos);
}

}  // namespace
