#include "panto/recording/edited_recording.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "panto/base/error.hpp"

namespace panto {
namespace {

// a second a hundred frames, the left leg below a pelvis that walks along x
class Walker final : public Recording {
 public:
  explicit Walker(int count) : count_(count) {
    info_.path = "walker";
    for (const char* name : {"Pelvis", "LeftUpperLeg", "LeftLowerLeg"}) {
      names_.emplace_back(name);
      Attachment attachment;
      attachment.segment = attachment.link = name;
      info_.attachments.attachments.push_back(attachment);
    }
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ == count_) return ReadStatus::EndOfMotion;
    sample.t = Time{10'000'000} * next_;
    sample.segments.assign(3, SegmentMotion{});
    for (std::size_t i = 0; i < 3; ++i) {
      sample.segments[i].p_WS = {0.01 * next_, 0.1 * (i > 0), 1.0 - 0.4 * static_cast<double>(i)};
      sample.segments[i].has_orientation = sample.segments[i].has_position = true;
    }
    ++next_;
    return ReadStatus::Sample;
  }
  void rewind() override { next_ = 0; }

 private:
  int count_, next_ = 0;
  std::vector<std::string> names_;
  RecordingInfo info_;
  std::string problem_;
};

std::vector<SegmentSample> all(Recording& recording) {
  std::vector<SegmentSample> samples;
  recording.rewind();
  for (SegmentSample sample; recording.read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  return samples;
}

EditedRecording walked(int count) {
  Walker walker(count);
  return EditedRecording(walker);
}

TEST(EditedRecording, HoldsTheSamplesOfItsSourceUnchangedWithoutEdits) {
  EditedRecording clip = walked(50);
  const auto samples = all(clip);
  ASSERT_EQ(samples.size(), 50U);
  EXPECT_EQ(clip.info().frames, 50);
  EXPECT_EQ(samples[49].segments[2].p_WS, Eigen::Vector3d(0.49, 0.1, 1.0 - 0.4 * 2.0));
  EXPECT_EQ(all(clip).size(), 50U) << "a second reading yields the same";
}

TEST(EditedRecording, CutsAPartByItsStampsIncluded) {
  EditedRecording clip = walked(50);
  clip.edit({}, 100'000'000, 200'000'000);
  const auto samples = all(clip);
  ASSERT_EQ(samples.size(), 11U);
  EXPECT_EQ(samples.front().t, 100'000'000);
  EXPECT_EQ(samples.back().t, 200'000'000);
  EXPECT_EQ(clip.stamps().size(), 50U);
  EXPECT_THROW(clip.edit({}, 900'000'000), ConfigError);
  EXPECT_EQ(all(clip).size(), 11U) << "a refused edit changes nothing";
}

TEST(EditedRecording, DropsAboutTheShareAskedForAndAPartLosesWhatTheClipLoses) {
  EditedRecording clip = walked(2000);
  RecordingEdits edits;
  edits.dropped_share = 0.3;
  clip.edit(edits);
  const auto whole = all(clip);
  // 2000 draws: the deviation of the number kept is sqrt(2000 * 0.3 * 0.7) = 20.5; five of them
  EXPECT_NEAR(static_cast<double>(whole.size()), 1400.0, 103.0);
  std::set<Time> kept;
  for (const SegmentSample& sample : whole) kept.insert(sample.t);
  clip.edit(edits, 5'000'000'000, 6'000'000'000);
  for (const SegmentSample& sample : all(clip)) EXPECT_TRUE(kept.contains(sample.t));
}

TEST(EditedRecording, TurnsThePersonAboutThePelvisAtTheStartOnly) {
  EditedRecording clip = walked(100);
  RecordingEdits edits;
  edits.turned_s = 0.5;
  clip.edit(edits);
  const auto samples = all(clip);
  EXPECT_EQ(samples[0].segments[0].p_WS, Eigen::Vector3d(0.0, 0.0, 1.0)) << "the pelvis stays";
  EXPECT_EQ(samples[0].segments[1].p_WS.y(), -0.1) << "left is right";
  EXPECT_EQ(samples[0].segments[0].R_WS.determinant(), 1.0);
  EXPECT_EQ(samples[0].segments[0].R_WS(0, 0), -1.0);
  EXPECT_EQ(samples[60].segments[1].p_WS.y(), 0.1);
}

TEST(EditedRecording, MakesTheLeftLegShorterFromItsHip) {
  EditedRecording clip = walked(3);
  RecordingEdits edits;
  edits.left_leg = 0.8;
  clip.edit(edits);
  const auto samples = all(clip);
  EXPECT_NEAR((samples[2].segments[2].p_WS - samples[2].segments[1].p_WS).norm(), 0.32, 1e-15);
  EXPECT_EQ(samples[2].segments[1].p_WS.z(), 0.6) << "the hip stays";
}

TEST(EditedRecording, LosesASegmentInTheMiddleThird) {
  EditedRecording clip = walked(30);
  RecordingEdits edits;
  edits.lost_segment = "LeftLowerLeg";
  clip.edit(edits);
  const auto samples = all(clip);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(samples[i].segments[2].has_orientation, i < 10 || i >= 20) << i;
    EXPECT_TRUE(samples[i].segments[1].has_orientation);
  }
}

TEST(EditedRecording, RefusesWhatIsOutOfRangeAndKeepsTheEditsBefore) {
  EditedRecording clip = walked(10);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 1.0, nan}) {
    RecordingEdits edits;
    edits.dropped_share = bad;
    EXPECT_THROW(clip.edit(edits), ConfigError) << bad;
  }
  RecordingEdits edits;
  edits.left_leg = 0.0;
  EXPECT_THROW(clip.edit(edits), ConfigError);
  edits = {};
  edits.lost_segment = "LeftHand";
  EXPECT_THROW(clip.edit(edits), ConfigError) << "it is not in this recording";
  EXPECT_EQ(all(clip).size(), 10U);
}

TEST(EditedRecording, RefusesARecordingWithoutFrames) {
  Walker empty(0);
  EXPECT_THROW(EditedRecording{empty}, FormatError);
}

}  // namespace
}  // namespace panto
