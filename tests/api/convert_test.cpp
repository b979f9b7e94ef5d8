#include "panto/api/convert.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/model/human.hpp"
#include "tests/io/table_fixture.hpp"

namespace panto {
namespace {

std::unique_ptr<Recording> standing(int frames = 20) {
  const Model model = human66();
  Motion motion;
  motion.rate_hz = 50.0;
  for (int k = 0; k < frames; ++k) {
    State state = rest_state(model);
    state.t = frame_time(k, 50.0);
    state.p_WB.x() += 0.01 * k;
    motion.states.push_back(std::move(state));
  }
  return io::open_recording(io::motion_bytes(motion, model, "a.mvnx"), "a.mvnx");
}

TEST(HumanFrames, HaveTheModelsNamesAndNoTurnLeft) {
  const auto own = standing(), human = in_human_frames(standing());
  SegmentSample a, b;
  ASSERT_EQ(own->read(a), ReadStatus::Sample);
  ASSERT_EQ(human->read(b), ReadStatus::Sample);
  const auto& attachments = own->info().attachments.attachments;
  ASSERT_EQ(human->names().size(), attachments.size());
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    EXPECT_EQ(human->names()[i], attachments[i].link);
    EXPECT_TRUE(human->info().attachments.attachments[i].R_SF.isIdentity());
    EXPECT_EQ(b.segments[i].p_WS, a.segments[i].p_WS);
  }
}

TEST(HumanFrames, AreReadTwiceAlike) {
  const auto human = in_human_frames(standing());
  SegmentSample first, second;
  ASSERT_EQ(human->read(first), ReadStatus::Sample);
  while (human->read(second) == ReadStatus::Sample) {
  }
  human->rewind();
  ASSERT_EQ(human->read(second), ReadStatus::Sample);
  EXPECT_EQ(first.t, second.t);
  EXPECT_EQ(first.segments[3].R_WS, second.segments[3].R_WS);
}

class Written : public test::TableTest {};

TEST_F(Written, SamplesAreTheSameInMemoryAndInAFile) {
  for (const char* name : {"a.trc", "a.npz", "a.csv", "a.sto"}) {
    std::string bytes;
    const WrittenSamples result = write_samples(*standing(), io::Destination(name, bytes));
    EXPECT_EQ(result.frames, 20) << name;
    EXPECT_EQ(result.written, 20) << name;
    EXPECT_EQ(result.dropped, 0) << name;
    EXPECT_EQ(result.segments.size(), 23U) << name;
    (void)write_samples(*standing(), path(name));
    EXPECT_EQ(bytes, test::slurp(path(name))) << name;
  }
}

TEST_F(Written, NothingStaysOfWhatIsStopped) {
  Observer observer;
  observer.progress = [](std::int64_t done, std::optional<std::int64_t>) { return done < 5; };
  EXPECT_THROW((void)write_samples(*standing(), path("a.trc"), observer), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("a.trc")));
  EXPECT_FALSE(std::filesystem::exists(path("a.trc.part")));
}

TEST_F(Written, WhatAFormatCannotHoldIsRefused) {
  EXPECT_NE(test::error_of([&] { (void)write_samples(*standing(), path("a.txt")); }), "");
  std::string turns;
  (void)write_samples(*standing(), io::Destination("a.sto", turns));
  const auto oriented = io::open_recording(turns, "a.sto");
  EXPECT_EQ(test::error_of([&] { (void)write_samples(*oriented, path("b.trc")); }),
            "a.sto: holds no positions, so .trc would be empty; write .sto or .csv instead");
  EXPECT_FALSE(std::filesystem::exists(path("b.trc")));
}

TEST(Losses, AreThoseOfTheRecording) {
  const std::vector<std::string> lost = losses(*standing());
  ASSERT_FALSE(lost.empty());
  EXPECT_EQ(lost.front(), "sensor data, foot contacts, joint angles, markers and comments of the MVNX");
}

}  // namespace
}  // namespace panto
