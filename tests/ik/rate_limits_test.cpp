// Bounds on the rates of coupled rows, in numbers.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "panto/ik/joint_limits.hpp"
#include "panto/ik/row_limits.hpp"

namespace panto {
namespace {

// Two hinges a and b without limits of their own: row 0 is 2 a - b in [-1, 3], row 1 says that b follows a.
Model two_joints() {
  ModelSpec spec;
  spec.name = "two";
  spec.links = {{"0"}, {"1"}, {"2"}};
  for (const bool first : {true, false}) {
    Joint joint;
    joint.name = first ? "a" : "b";
    joint.type = JointType::Revolute;
    joint.parent = first ? "0" : "1";
    joint.child = first ? "1" : "2";
    joint.velocity = first ? 10.0 : 4.0;
    spec.joints.push_back(joint);
  }
  CoupledRow row;
  row.name = "cable";
  row.terms = {{"a", 2.0}, {"b", -1.0}};
  row.lower = -1.0;
  row.upper = 3.0;
  spec.rows.push_back(row);
  row.name = "mimic";
  row.terms = {{"a", 1.0}, {"b", -1.0}};
  row.lower = row.upper = 0.0;
  spec.rows.push_back(row);
  return Model(spec);
}

class RateLimits : public testing::Test {
 protected:
  // bounds of the cable's and the mimic's rates with the joints at a and b
  void ask(double a, double b, double dt, LimitLaw law) {
    LimitOptions options;
    options.law = law;
    const RowLimits rows(model_, options, JointLimits(model_, options).speed());
    rows.rate_bounds(Eigen::Vector2d(a, b), dt, lower_, upper_);
  }

  const Model model_ = two_joints();
  std::vector<double> lower_ = std::vector<double>(2, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> upper_ = lower_;
};

TEST_F(RateLimits, LeaveOnlyTheSpeedOfTheJointsWithoutALaw) {
  ask(5.0, 5.0, 0.01, LimitLaw::None);
  EXPECT_EQ(upper_[0], 24.0) << "2 x 10 + 4 rad/s";
  EXPECT_EQ(lower_[0], -24.0);
  EXPECT_EQ(upper_[1], 0.0) << "the mimic is part of the mechanism";
  EXPECT_EQ(lower_[1], 0.0);
}

TEST_F(RateLimits, ReachEitherBoundInOneStepAtMost) {
  ask(0.5, 0.5, 0.25, LimitLaw::Exact);
  EXPECT_EQ(upper_[0], 10.0) << "from 0.5 to 3 in 0.25 s";
  EXPECT_EQ(lower_[0], -6.0) << "from 0.5 to -1 in 0.25 s";
}

TEST_F(RateLimits, SendARowBackThatIsOutsideEitherBound) {
  ask(2.0, 0.0, 0.25, LimitLaw::Exact);
  EXPECT_EQ(upper_[0], -4.0) << "from 4 to 3 in 0.25 s";
  EXPECT_EQ(lower_[0], -20.0) << "from 4 to -1 in 0.25 s";
  ask(-1.0, 0.0, 0.25, LimitLaw::Exact);
  EXPECT_EQ(lower_[0], 4.0) << "from -2 to -1 in 0.25 s";
  EXPECT_EQ(upper_[0], 20.0) << "from -2 to 3 in 0.25 s";
  ask(2.0, 0.0, 0.01, LimitLaw::Exact);
  EXPECT_EQ(upper_[0], -12.0) << "half of 24 rad/s";
  EXPECT_EQ(upper_[1], -7.0) << "the mimic is off by 2: half of 14 rad/s";
  EXPECT_EQ(lower_[1], -7.0);
  ask(0.0, 2.0, 0.01, LimitLaw::Exact);
  EXPECT_EQ(lower_[1], 7.0);
}

TEST_F(RateLimits, TakeNewBoundsOfTheUsersRowsButNoInvalidOnes) {
  std::vector<CoupledRow> own(3, model_.rows()[0]);
  RowLimits rows(model_, {}, JointLimits(model_, {}).speed(), own);
  own[0].upper = 2.0;
  own[1].upper = -2.0;  // below its lower bound
  own[2].upper = 1.0;
  rows.set_bounds(own);
  EXPECT_EQ(rows.positions().upper, (std::vector<double>{3.0, 0.0, 2.0, 3.0, 1.0}))
      << "the model's, then the user's";
  EXPECT_EQ(rows.positions().lower, (std::vector<double>{-1.0, 0.0, -1.0, -1.0, -1.0}));
}

TEST_F(RateLimits, AtAnInstantAreTheSpeedsOfTheJointsAndZeroForEqualities) {
  RowLimits(model_, {}, JointLimits(model_, {}).speed()).speed_bounds(lower_, upper_);
  EXPECT_EQ(lower_, (std::vector<double>{-24.0, 0.0}));
  EXPECT_EQ(upper_, (std::vector<double>{24.0, 0.0}));
}

TEST_F(RateLimits, AreBrokenByTheWorstRowOnEitherSide) {
  const RowLimits rows(model_, {}, JointLimits(model_, {}).speed());
  EXPECT_EQ(rows.violation(Eigen::Vector2d(0.5, 0.5)), 0.0);
  EXPECT_EQ(rows.violation(Eigen::Vector2d(4.0, 4.5)), 0.5) << "the cable, above; the mimic by as much";
  EXPECT_EQ(rows.violation(Eigen::Vector2d(4.5, 4.5)), 1.5) << "the cable, above";
  EXPECT_EQ(rows.violation(Eigen::Vector2d(-3.0, -3.0)), 2.0) << "the cable, below";
  EXPECT_EQ(rows.violation(Eigen::Vector2d(1.0, 0.0)), 1.0) << "the mimic";
}

}  // namespace
}  // namespace panto
