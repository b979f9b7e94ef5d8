#include "panto/report/live_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace panto {
namespace {

LiveFigures good() {
  LiveFigures run;
  run.samples = 12000;
  run.seconds = 50.0;
  run.rate_hz = 240.0;
  run.longest_gap = 0.01;
  run.to_pose = {12000, 80e-6, 200e-6, 1e-3};
  return run;
}

TEST(LiveReport, PraisesARunInWhichAllArrived) {
  const Verdict verdict = verdict_of(good());
  EXPECT_EQ(verdict.grade, Verdict::Grade::Good);
  EXPECT_EQ(verdict.sentence, "Good: 12000 samples in 50.0 s at 240 Hz, 0 lost.");
}

TEST(LiveReport, SaysWhatWasLostOvertakenOrUnused) {
  LiveFigures run = good();
  run.lost = 240;
  EXPECT_EQ(verdict_of(run).sentence, "Usable, but 2 % of the samples did not arrive whole.");
  run = good();
  run.overtaken = 600;
  EXPECT_NE(verdict_of(run).sentence.find("5 % of the samples came faster"), std::string::npos);
  run = good();
  run.losses = 2;
  run.longest_gap = 3.21;
  EXPECT_EQ(verdict_of(run).sentence, "Usable, but the stream was lost 2 times, for at most 3.2 s.");
  run = good();
  run.missing = {"LeftHand", "Head"};
  EXPECT_EQ(verdict_of(run).sentence, "Usable, but LeftHand, Head no longer arrive.");
  run.missing = {"Head"};
  EXPECT_EQ(verdict_of(run).sentence, "Usable, but Head no longer arrives.");
  run = good();
  run.unused = 7000;
  EXPECT_EQ(verdict_of(run).grade, Verdict::Grade::Unreliable);
  EXPECT_EQ(verdict_of(LiveFigures{}).sentence, "Not usable: no sample came.");
}

TEST(LiveReport, DoesNotPraiseARunWhoseDatagramsWereRefusedOrLateOrNotWritten) {
  LiveFigures run = good();
  run.refused = 121;  // 1 % of what arrived is let pass: 121 of 12121
  EXPECT_EQ(verdict_of(run).grade, Verdict::Grade::Good);
  run.refused = 3000;
  EXPECT_EQ(verdict_of(run).sentence,
            "Usable, but 20 % of the datagrams are damaged or of another protocol.");
  run = good();
  run.late = 4000;
  EXPECT_EQ(verdict_of(run).sentence,
            "Usable, but 25 % of the datagrams came late or twice, and were not used.");
  run = good();
  run.unwritten = 6000;
  EXPECT_EQ(verdict_of(run).sentence,
            "Usable, but 50 % of the frames were not written: an output was too slow for them.");
}

TEST(LiveReport, HasEveryFigureAsJson) {
  const auto json = nlohmann::json::parse(live_json(good()));
  EXPECT_EQ(json["samples"], 12000);
  EXPECT_NEAR(json["pose_p99_ms"].get<double>(), 0.2, 1e-12);
  EXPECT_TRUE(json["output_median_ms"].is_null()) << "nothing was written";
  EXPECT_EQ(json["verdict"]["grade"], "good");
}

}  // namespace
}  // namespace panto
