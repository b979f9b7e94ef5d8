#include "panto/tracking/measured_tracker.hpp"

#include <gtest/gtest.h>

#include "panto/sample/imu_sample.hpp"

namespace panto {
namespace {

class Answers final : public Tracker<ImuSample> {
 public:
  StepStatus step(const ImuSample&, State&) noexcept override { return StepStatus::NoTarget; }
  const StepReport& last_report() const noexcept override { return report; }
  StepReport report;
};

TEST(MeasuredTracker, MeasuresWithWhatItsObserverBrings) {
  Answers answers;
  answers.report.solves = 3;
  answers.report.clamped = 2;
  std::int64_t now = 0, allocations = 0;
  Observer observer;
  observer.nanoseconds = [&now] { return now += 40; };
  observer.allocations = [&allocations] { return allocations += 5; };
  MeasuredTracker<ImuSample> measured(answers, observer);
  State state;
  EXPECT_EQ(measured.step({}, state), StepStatus::NoTarget);
  EXPECT_EQ(measured.record.status, StepStatus::NoTarget);
  EXPECT_EQ(measured.record.duration_ns, 40);
  EXPECT_EQ(measured.record.allocations, 5);
  EXPECT_TRUE(measured.record.solves == 3 && measured.record.clamped == 2);
  EXPECT_EQ(&measured.last_report(), &answers.report);
}

TEST(MeasuredTracker, LeavesOutWhatItsObserverLacks) {
  Answers answers;
  MeasuredTracker<ImuSample> measured(answers, {});
  State state;
  (void)measured.step({}, state);
  EXPECT_FALSE(measured.record.duration_ns || measured.record.allocations);
}

}  // namespace
}  // namespace panto
