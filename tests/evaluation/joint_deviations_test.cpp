#include "panto/evaluation/joint_deviations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/model/human.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

TEST(JointDeviations, AreRootMeanSquaresAfterTheSettlingTime) {
  const Model model = human66();
  JointDeviations deviations(model, 100);
  Eigen::VectorXd sd = Eigen::VectorXd::Constant(model.dof(), 40.0 * kDegree);
  deviations.add(0, sd);  // settling
  sd.setConstant(3.0 * kDegree);
  sd[7] = 6.0 * kDegree;
  deviations.add(100, sd);
  sd[7] = 8.0 * kDegree;
  deviations.add(200, sd);
  const KnownJoints known = deviations.known();
  EXPECT_NEAR(*known.median_deg, 3.0, 1e-12);
  EXPECT_NEAR(*known.max_deg, std::sqrt(0.5 * (36.0 + 64.0)), 1e-12);
  EXPECT_EQ(known.least_known, 7);
  EXPECT_NEAR(*known.deviation[7], *known.max_deg * kDegree, 1e-12);
}

TEST(JointDeviations, OfAShortRunAreThoseOfItsSettling) {
  const Model model = human66();
  JointDeviations deviations(model, 1000);
  deviations.add(0, Eigen::VectorXd::Constant(model.dof(), 2.0 * kDegree));
  EXPECT_NEAR(*deviations.known().median_deg, 2.0, 1e-12);
}

TEST(JointDeviations, CountJointsThatNoSensorTellsOfApart) {
  const Model model = human66();
  JointDeviations deviations(model, 0);
  Eigen::VectorXd sd = Eigen::VectorXd::Constant(model.dof(), 2.0 * kDegree);
  sd[5] = 13.0 * kDegree;
  sd[6] = 1e4;  // nobody knows: anywhere on the circle, 180 degrees over the root of 3
  deviations.add(0, sd);
  std::vector<unsigned char> measured(static_cast<std::size_t>(model.dof()), 1);
  EXPECT_NEAR(*deviations.known(measured).max_deg, 180.0 / std::sqrt(3.0), 1e-9);
  measured[5] = measured[6] = 0;
  EXPECT_NEAR(*deviations.known(measured).max_deg, 2.0, 1e-12);
  EXPECT_EQ(deviations.known(measured).unmeasured, 2);
  EXPECT_EQ(deviations.known().unmeasured, 0);
}

TEST(JointDeviations, LeaveOutWhatIsNotKnown) {
  const Model model = human66();
  JointDeviations deviations(model, 0);
  EXPECT_FALSE(deviations.known().median_deg);
  EXPECT_EQ(deviations.known().least_known, -1);
  Eigen::VectorXd sd = Eigen::VectorXd::Constant(model.dof(), 1.0 * kDegree);
  sd[0] = std::numeric_limits<double>::quiet_NaN();
  deviations.add(0, sd);
  deviations.add(1, Eigen::VectorXd::Ones(3));  // of another model
  EXPECT_FALSE(deviations.known().deviation[0]);
  EXPECT_NEAR(*deviations.known().max_deg, 1.0, 1e-12);
  EXPECT_THROW(JointDeviations(model, -1), ConfigError);
}

}  // namespace
}  // namespace panto
