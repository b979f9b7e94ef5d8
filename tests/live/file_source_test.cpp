#include "panto/live/file_source.hpp"

#include <gtest/gtest.h>

#include "panto/sample/segment_sample.hpp"

namespace panto::live {
namespace {

constexpr Time kPeriod = 10'000'000;

// A clock that only moves when somebody waits, and `count` samples 10 ms apart from 5 s on.
struct Played {
  Time now = 1'000'000'000;
  int read = 0;
  FileSource<SegmentSample> source;

  Played(int count, bool loop)
      : source({{[this, count](SegmentSample& sample) {
                   sample.t = 5'000'000'000 + read * kPeriod;
                   return read++ < count;
                 },
                 [this] { read = 0; }},
                loop,
                100.0},
               {{"Pelvis"}, scaled_subject(1.6)},
               {[this] { return now; }, [this](Time t) { now = std::max(now, t); }}) {}
};

TEST(FileSource, GivesEachSampleOnceItsTimeHasCome) {
  Played file(3, false);
  const Time begun = file.now;
  for (int k = 0; k < 3; ++k) {
    EXPECT_FALSE(file.source.ended());
    ASSERT_TRUE(file.source.next(50));
    EXPECT_EQ(file.source.decoder().sample().t, k * kPeriod);
    EXPECT_EQ(file.source.arrival(), begun + k * kPeriod);
  }
  EXPECT_TRUE(file.source.ended());
  EXPECT_FALSE(file.source.next(50));
  EXPECT_EQ(file.source.decoder().counts().of(stream::Brought::Sample), 3);
  EXPECT_EQ(file.source.decoder().names(), std::vector<std::string>{"Pelvis"});
  EXPECT_TRUE(file.source.decoder().person());
}

TEST(FileSource, WaitsNoLongerThanItIsTold) {
  Played file(3, false);
  ASSERT_TRUE(file.source.next(50));
  const Time begun = file.now;
  EXPECT_FALSE(file.source.next(4));
  EXPECT_EQ(file.now, begun + 4'000'000);
  EXPECT_TRUE(file.source.next(50));
  EXPECT_EQ(file.now, begun + kPeriod);
}

TEST(FileSource, GoesOnOverTheSeamOfALoop) {
  Played file(3, true);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(file.source.next(50));
    EXPECT_EQ(file.source.decoder().sample().t, k * kPeriod);
  }
  EXPECT_FALSE(file.source.ended());
}

TEST(FileSource, WithoutSamplesHasEndedAtOnce) {
  for (const bool loop : {false, true}) {
    Played file(0, loop);
    EXPECT_TRUE(file.source.ended());
    EXPECT_FALSE(file.source.next(10));
  }
}

}  // namespace
}  // namespace panto::live
