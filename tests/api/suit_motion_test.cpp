#include "panto/api/suit_motion.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

// A suit of 23 segments that is walked at 1 m/s and turned at 0.5 rad/s for a second, at 60 Hz.
class Walked final : public Recording {
 public:
  Walked() {
    info_.rate_hz = 60.0;
    info_.subject = scaled_subject(1.7);
    info_.attachments = mvn_attachments();
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ > 60) return ReadStatus::EndOfMotion;
    sample.t = 3'000'000'000 + frame_time(next_++, 60.0);
    sample.segments.assign(names_.size(), {});
    const double seconds = to_seconds(sample.t) - 3.0;
    for (SegmentMotion& segment : sample.segments) {
      segment.has_orientation = segment.has_position = true;
      segment.has_angular_velocity = segment.has_linear_velocity = true;
      segment.p_WS.x() = seconds;
      segment.v_WS.x() = 1.0;
      segment.R_WS = so3::exp({0.0, 0.0, 0.5 * seconds});
      segment.w_WS.z() = 0.5;
    }
    return ReadStatus::Sample;
  }
  void rewind() override { next_ = 0; }

 private:
  std::vector<std::string> names_ = human_segment_names();
  RecordingInfo info_;
  std::string problem_;
  std::int64_t next_ = 0;
};

TEST(SuitMotion, OfAWholeSuitAtAnotherRateLiesBetweenItsSamples) {
  SuitMotion suit = suit_motion(std::make_unique<Walked>(), 100.0);
  EXPECT_EQ(suit.rate_hz, 100.0);
  for (int pass = 0; pass < 2; ++pass) {
    SegmentSample sample;
    int count = 0;
    for (; suit.next(sample); ++count) {
      EXPECT_EQ(sample.t, 3'000'000'000 + count * 10'000'000) << "pass " << pass;
      const double seconds = 0.01 * count;
      for (const SegmentMotion& segment : {sample.segments.front(), sample.segments.back()}) {
        EXPECT_NEAR(segment.p_WS.x(), seconds, 1e-8) << "a straight line, stamps of whole nanoseconds";
        EXPECT_NEAR(so3::log(segment.R_WS).z(), 0.5 * seconds, 1e-8);
        EXPECT_NEAR(segment.v_WS.x(), 1.0, 1e-12);
        EXPECT_NEAR(segment.w_WS.z(), 0.5, 1e-12);
      }
    }
    EXPECT_EQ(count, 101) << "from 0 to 1 s, both included";
    suit.rewind();
  }
}

TEST(SuitMotion, OfAWholeSuitAtItsOwnRatePassesAsItIs) {
  SuitMotion suit = suit_motion(std::make_unique<Walked>());
  Walked source;
  SegmentSample sample, right;
  while (source.read(right) == ReadStatus::Sample) {
    ASSERT_TRUE(suit.next(sample));
    EXPECT_EQ(sample.t, right.t);
    EXPECT_EQ(sample.segments[5].R_WS, right.segments[5].R_WS);
  }
  EXPECT_FALSE(suit.next(sample));
}

}  // namespace
}  // namespace panto
