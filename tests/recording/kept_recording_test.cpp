#include "panto/recording/kept_recording.hpp"

#include <gtest/gtest.h>

namespace panto {
namespace {

// Counts up to `count` samples, then ends, or fails.
class Counting final : public Recording {
 public:
  Counting(int count, ReadStatus end) : count_(count), end_(end) {}
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] GivenContacts contacts() const noexcept override {
    GivenContacts given;
    given.heel[0] = static_cast<signed char>(next_ % 2);
    return given;
  }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ == count_) {
      if (end_ == ReadStatus::Malformed) problem_ = "cut off";
      return end_;
    }
    sample.t = ++next_;
    return ReadStatus::Sample;
  }
  void rewind() override {
    next_ = 0;
    problem_.clear();
    ++rewound;
  }

  int rewound = 0;

 private:
  int count_, next_ = 0;
  ReadStatus end_;
  std::vector<std::string> names_{"Pelvis"};
  RecordingInfo info_;
  std::string problem_;
};

std::vector<Time> stamps(Recording& recording) {
  std::vector<Time> t;
  for (SegmentSample sample; recording.read(sample) == ReadStatus::Sample;) t.push_back(sample.t);
  return t;
}

TEST(KeptRecording, ReadsItsSourceOnceAndYieldsTheSameSamplesAfterEveryRewind) {
  Counting source(5, ReadStatus::EndOfMotion);
  KeptRecording kept(source);
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(stamps(kept), (std::vector<Time>{1, 2, 3, 4, 5}));
    kept.rewind();
  }
  EXPECT_EQ(source.rewound, 0);
}

TEST(KeptRecording, ReadsALongerSourceAgain) {
  Counting source(5, ReadStatus::EndOfMotion);
  KeptRecording kept(source, 4);
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(stamps(kept), (std::vector<Time>{1, 2, 3, 4, 5}));
    kept.rewind();
  }
  EXPECT_EQ(source.rewound, 3) << "once a pass";
}

TEST(KeptRecording, ReadsALongerSourceFromWhereItWasUntilTheFirstRewind) {
  Counting source(6, ReadStatus::EndOfMotion);
  SegmentSample sample;
  ASSERT_EQ(source.read(sample), ReadStatus::Sample);
  KeptRecording kept(source, 3);
  EXPECT_FALSE(kept.whole());
  EXPECT_EQ(stamps(kept), (std::vector<Time>{2, 3, 4, 5, 6}));
  kept.rewind();
  EXPECT_EQ(stamps(kept), (std::vector<Time>{1, 2, 3, 4, 5, 6}));
}

TEST(KeptRecording, KeepsContactsAndTellsDamageOnlyAtTheEnd) {
  Counting source(2, ReadStatus::Malformed);
  KeptRecording kept(source);
  SegmentSample sample;
  EXPECT_EQ(kept.read(sample), ReadStatus::Sample);
  EXPECT_EQ(kept.contacts().heel[0], 1);
  EXPECT_EQ(kept.problem(), "");
  EXPECT_EQ(kept.read(sample), ReadStatus::Sample);
  EXPECT_EQ(kept.contacts().heel[0], 0);
  EXPECT_EQ(kept.read(sample), ReadStatus::Malformed);
  EXPECT_EQ(kept.problem(), "cut off");
  kept.rewind();
  EXPECT_EQ(kept.problem(), "");
}

}  // namespace
}  // namespace panto
