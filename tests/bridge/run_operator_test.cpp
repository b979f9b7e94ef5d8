#include "panto/bridge/run_operator.hpp"

#include <gtest/gtest.h>

namespace panto::bridge {
namespace {

using enum live::Wish::Kind;

// a run that grants all, or nothing
AskedRun run_that(bool grants) {
  return {[grants] { return grants; }, [grants](const std::string& /*poses*/) { return grants; },
          [] { return std::vector<std::string>(); }};
}

// what is said to a wish
std::string said(bool grants, const live::Wish& wish) {
  return RunOperator(run_that(grants), nullptr, nullptr).grant(wish, 0);
}

TEST(RunOperator, NumbersMarksAndSaysTheirWords) {
  RunOperator granting(run_that(true), nullptr, nullptr);
  EXPECT_EQ(granting.grant({Mark}, 0), "mark 1");
  EXPECT_EQ(granting.grant({Mark, "left knee"}, 0), "mark 2: left knee");
}

TEST(RunOperator, RealignsWhereSomethingTellsWhereThePersonIs) {
  EXPECT_NE(said(true, {Align}).find("re-aligned"), std::string::npos);
  EXPECT_NE(said(false, {Align}).find("nothing to re-align"), std::string::npos);
}

TEST(RunOperator, CalibratesRawSensorsAndPassesOnWhatTheRunTells) {
  std::string asked;
  AskedRun run = run_that(true);
  run.calibrate = [&](const std::string& poses) {
    asked = poses;
    return true;
  };
  run.news = [] { return std::vector<std::string>{"hold still", "calibrated"}; };
  RunOperator granting(run, nullptr, nullptr);
  EXPECT_EQ(granting.grant({Calibrate, "npose tpose"}, 0), "") << "the run tells what to do";
  EXPECT_EQ(asked, "npose tpose");
  EXPECT_EQ(granting.news(), (std::vector<std::string>{"hold still", "calibrated"}));
  EXPECT_NE(said(false, {Calibrate}).find("no raw sensors"), std::string::npos);
}

TEST(RunOperator, RecordsWhatArrivesAndNoFile) {
  EXPECT_NE(said(true, {Record}).find("a file is played"), std::string::npos);
}

TEST(RunOperator, LeavesArmingToTheSwitchOfTheRobots) {
  EXPECT_EQ(said(false, {Arm}), "");
  EXPECT_EQ(said(false, {Disarm}), "");
}

}  // namespace
}  // namespace panto::bridge
