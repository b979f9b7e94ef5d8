#include "panto/api/track.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

using test::bundled_walk;
using test::names;
using test::refusal_of;

// As a recording that holds no sample.
class Nothing final : public Recording {
 public:
  Nothing() {
    info_.path = "nothing.bvh";
    info_.attachments = mvn_attachments();
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    return human_segment_names();
  }
  [[nodiscard]] ReadStatus read(SegmentSample&) noexcept override { return ReadStatus::EndOfMotion; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  void rewind() override {}

 private:
  RecordingInfo info_;
  std::string problem_;
};

TEST(Track, FollowsABundledWalkToATenthOfADegree) {
  const auto walk = bundled_walk();
  std::vector<std::string> notes;
  const Model model = human66(subject_of(walk->info(), {}, {}, notes));
  const TrackResult result = track(*walk, model);
  EXPECT_EQ(static_cast<std::int64_t>(result.motion.states.size()), result.card.frames);
  EXPECT_EQ(result.motion.joint_names, model.joint_names());
  EXPECT_EQ(result.pairs.size(), 23U);
  EXPECT_LT(result.card.angle_p99_deg.value(), 0.1) << "every segment has a link of its own";
  EXPECT_EQ(result.card.limit_violations, 0);
  EXPECT_FALSE(result.card.step_p50_us) << "no clock was given";
  EXPECT_FALSE(result.damage);
}

TEST(Track, GivesTheSameBitsAfterARewindAndWithoutKeepingTheMotion) {
  const auto walk = bundled_walk();
  const Model model = human48();
  const TrackResult first = track(*walk, model);
  walk->rewind();
  TrackOptions options;
  options.keep_motion = false;
  const TrackResult second = track(*walk, model, options);
  EXPECT_EQ(first.card.state_hash, second.card.state_hash);
  EXPECT_TRUE(second.motion.states.empty());
}

TEST(Track, TellsItsObserverEveryFrameInOrderAndStopsWhenItIsAsked) {
  const auto walk = bundled_walk();
  const Model model = human66();
  Time last = -1;
  std::int64_t frames = 0, begun = 0, ticks = 0;
  Observer observer;
  observer.begin = [&] { ++begun; };
  observer.frame = [&](const SegmentSample& sample, const State& state, const StepRecord& record) {
    EXPECT_GT(sample.t, last);
    EXPECT_EQ(state.t, sample.t);
    EXPECT_EQ(record.duration_ns, 7) << "the clock advances by 7 ns a look";
    last = sample.t;
    ++frames;
  };
  observer.nanoseconds = [&] { return ticks += 7; };
  observer.progress = [](std::int64_t done, std::optional<std::int64_t>) { return done < 10; };
  EXPECT_THROW((void)track(*walk, model, {}, observer), Cancelled);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(frames, 10);
}

TEST(Track, SaysThatASettlingTimeLongerThanTheMotionIsNotUsed) {
  const auto walk = bundled_walk();
  TrackOptions options;
  options.settle = 60.0;
  const TrackResult whole = track(*walk, human66(), options);
  ASSERT_LT(whole.card.duration_s.value(), 60.0);
  EXPECT_TRUE(names(whole.notes.back(), "60 s", "cover all frames"));
  walk->rewind();
  options.settle = 0.0;
  const TrackResult none = track(*walk, human66(), options);
  EXPECT_EQ(none.card.angle_mean_deg, whole.card.angle_mean_deg);
  for (const std::string& note : none.notes) EXPECT_FALSE(names(note, "cover all frames")) << note;
}

TEST(Track, RefusesARecordingWithoutFramesAndAModelThatIsNoHuman) {
  Nothing nothing;
  EXPECT_TRUE(names(refusal_of<FormatError>([&] { (void)track(nothing, human66()); }), "nothing.bvh",
                    "holds no frames of motion"));
  const auto walk = bundled_walk();
  const Model g1 = test::shipped_robot("unitree_g1").model;
  EXPECT_TRUE(names(refusal_of<ModelError>([&] { (void)track(*walk, g1); }), "unitree_g1", "Pelvis"));
}

TEST(Track, TellsAPersonsSizeFromHeightThenRecordingThenAnAverage) {
  RecordingInfo info;
  std::vector<std::string> notes;
  EXPECT_DOUBLE_EQ(subject_of(info, 1.9, 80.0, notes).height, 1.9);
  EXPECT_TRUE(notes.empty());
  EXPECT_DOUBLE_EQ(subject_of(info, {}, {}, notes).height, 1.75);
  ASSERT_EQ(notes.size(), 1U) << "an assumed size is reported";
  info.subject = scaled_subject(2.9);
  EXPECT_DOUBLE_EQ(subject_of(info, {}, {}, notes).height, 2.9);
  EXPECT_TRUE(names(notes.back(), "2.90 m")) << "a giant is a doubt";
}

}  // namespace
}  // namespace panto
