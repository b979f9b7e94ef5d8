// Damaged MVNX: an error that names the place, or the frames before the damage; never more than 100 ms.
#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <iostream>

#include "panto/io/mvnx.hpp"
#include "panto/io/recording_formats.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/mvnx_samples.hpp"
#include "tests/support/sanitizers.hpp"

namespace panto::io {
namespace {

using test::mvnx_text;
using test::MvnxSample;

// sanitizers make everything several times slower
const double kSlowest = test::sanitized() ? 1.0 : 0.1;

/// Reads all of a damaged text and checks what came of it. Keeps the longest time [s].
struct Reader {
  double slowest = 0.0;

  void operator()(std::string_view text) {
    const auto begin = std::chrono::steady_clock::now();
    read(text);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    slowest = std::max(slowest, taken.count());
  }

  static void read(std::string_view text) {
    const auto motion = open_mvnx(std::string(text), "damaged.mvnx");
    SegmentSample sample;
    Time last = -1;
    ReadStatus status;
    int frames = 0;
    while ((status = motion->read(sample)) == ReadStatus::Sample) {
      ASSERT_EQ(sample.segments.size(), motion->names().size());
      ASSERT_GT(sample.t, last);
      last = sample.t;
      for (const SegmentMotion& S : sample.segments) {
        ASSERT_TRUE(so3::is_rotation(S.R_WS, 1e-9));
        ASSERT_TRUE(S.p_WS.allFinite() && S.v_WS.allFinite() && S.w_WS.allFinite());
      }
      const GivenContacts contacts = motion->contacts();
      for (const auto& marks : {contacts.heel, contacts.ball})
        for (const signed char mark : marks) ASSERT_TRUE(mark >= -1 && mark <= 1);
      ++frames;
      ASSERT_LE(frames, 10000);
    }
    ASSERT_EQ(status == ReadStatus::Malformed, !motion->problem().empty());
    if (status == ReadStatus::Malformed) {
      ASSERT_EQ(motion->problem().rfind("damaged.mvnx:", 0), 0u) << motion->problem();
    }
    if (const auto& subject = motion->info().subject) {
      ASSERT_NO_THROW(static_cast<void>(human66(*subject)));
    }
  }
};

MvnxSample sample_of(int version) { return {.version = version, .frames = 2, .props = {"Prop1"}}; }

TEST(MvnxRobustness, SurvivesEveryTruncation) {
  for (const int version : {3, 4}) {
    const std::string text = mvnx_text(sample_of(version));
    ASSERT_LE(text.size(), 64u * 1024u);
    Reader reader;
    // every byte of the first 1500 and every 97th of the rest; all of them in the thorough tier
    const auto count = test::try_truncations(text, 1500, [&](std::string_view cut) { reader(cut); });
    EXPECT_EQ(count.broken, 0);
    EXPECT_GT(count.recovered, 0);
    EXPECT_GT(count.refused, 0);
    EXPECT_LT(reader.slowest, kSlowest);
  }
}

TEST(MvnxRobustness, SurvivesRandomCorruption) {
  for (const int version : {3, 4}) {
    Reader reader;
    const auto count =
        test::try_corruptions(mvnx_text(sample_of(version)), static_cast<std::uint64_t>(2200 + version),
                              [&](std::string_view damaged) { reader(damaged); });
    EXPECT_EQ(count.broken, 0);
    EXPECT_GT(count.recovered, 0);
    EXPECT_GT(count.refused, 0);
    EXPECT_LT(reader.slowest, kSlowest);
    std::cout << "version " << version << ": " << count.recovered << " recovered, " << count.refused
              << " refused, slowest " << reader.slowest * 1e3 << " ms\n";
  }
}

TEST(MvnxRobustness, SurvivesCorruptNumbersThatLeaveTheXmlWhole) {
  // damage within the text of the frames only, so that it reaches the numbers and not expat
  for (const int version : {3, 4}) {
    const std::string text = mvnx_text(sample_of(version));
    const std::size_t frames = text.find("type=\"normal\"");
    std::mt19937_64 random(static_cast<std::uint64_t>(77 + version));
    static constexpr std::string_view bytes = "0123456789.-+eE \tnaif,";
    Reader reader;
    test::CorruptionCount count;
    for (int run = 0; run < test::scaled(500); ++run) {
      std::string damaged = text;
      for (int hits = 0; hits < 40; ++hits) {
        const std::size_t at = frames + random() % (text.size() - frames);
        const char old = damaged[at];
        if ((old >= '0' && old <= '9') || old == '.') damaged[at] = bytes[random() % bytes.size()];
      }
      test::try_damaged(
          damaged, [&](std::string_view t) { reader(t); }, "numbers " + std::to_string(run), count);
    }
    EXPECT_EQ(count.broken, 0);
    EXPECT_GT(count.recovered, count.refused);
    EXPECT_LT(reader.slowest, kSlowest);
  }
}

TEST(MvnxRobustness, DoesNotDependOnTheLocale) {
  const char* const set = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  Reader reader;
  EXPECT_NO_THROW(reader(mvnx_text()));
  std::setlocale(LC_NUMERIC, "C");
  if (set == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

}  // namespace
}  // namespace panto::io
