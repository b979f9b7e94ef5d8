#include "panto/stream/twist2_message.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace panto::stream {
namespace {

std::vector<double> numbers(std::string_view text) {
  EXPECT_EQ(text.front(), '[');
  EXPECT_EQ(text.back(), ']');
  std::istringstream from{std::string(text.substr(1, text.size() - 2))};
  std::vector<double> all;
  for (std::string one; std::getline(from, one, ',');) all.push_back(std::stod(one));
  return all;
}

TEST(Twist2Message, ListsVelocityHeightTiltYawRateAndJointsInTheirOrder) {
  Twist2Message message({2, 0, 1});
  State state;
  state.p_WB = {7.0, 8.0, 0.79};
  // faces left (yaw 90 degrees), leans 0.2 rad forward, 0.1 rad to its right
  state.R_WB =
      so3::exp({0.0, 0.0, 1.5707963267948966}) * so3::exp({0.0, 0.2, 0.0}) * so3::exp({0.1, 0.0, 0.0});
  state.v_WB = state.R_WB * Eigen::Vector3d(0.5, -0.25, 0.125);
  state.w_WB = state.R_WB * Eigen::Vector3d(1.0, 2.0, -0.75);
  state.s = Eigen::Vector3d(0.1, 0.2, 0.3);
  const std::vector<double> found = numbers(message.write(state));
  const std::vector<double> right{0.5, -0.25, 0.79, 0.1, 0.2, -0.75, 0.3, 0.1, 0.2};
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], 1e-6) << "number " << i;
  const std::vector<double> still = numbers(message.write(state, true));
  for (std::size_t i = 0; i < right.size(); ++i)
    EXPECT_NEAR(still[i], i < 2 || i == 5 ? 0.0 : right[i], 1e-6) << "number " << i << " at rest";
}

TEST(Twist2Message, StaysFiniteForEveryOrientation) {
  Twist2Message message({0});
  test::Random random(5);
  State state;
  state.s = Eigen::VectorXd::Zero(1);
  for (int k = 0; k < 2000; ++k) {
    state.R_WB = test::random_rotation(random);
    if (k == 0) state.R_WB = so3::exp({0.0, 1.5707963267948966, 0.0});  // straight down
    for (const double number : numbers(message.write(state))) EXPECT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace panto::stream
