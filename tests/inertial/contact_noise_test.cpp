#include "panto/inertial/contact_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace panto {
namespace {

constexpr double kT = 0.01;  // [s]

double sigma(double turning, double off, double standing) {
  return std::sqrt(contact_variance({}, {turning, off, standing}, kT));
}

TEST(ContactNoise, AFootThatHasLongStoodStillIsAsTheOptionsSay) {
  EXPECT_NEAR(sigma(0.0, 0.0, 1.0), ChainContactOptions{}.speed, 1e-12);
}

TEST(ContactNoise, BeginsSoftly) {
  double before = sigma(0.0, 0.0, 0.045);
  EXPECT_GT(before, 0.5) << "a contact that just settled says little: people walk at 1 m/s";
  for (double standing = 0.05; standing < 0.101; standing += kT) {
    const double now = sigma(0.0, 0.0, standing);
    EXPECT_LE(now, before);
    before = now;
  }
  EXPECT_NEAR(before, ChainContactOptions{}.speed, 1e-12);
}

TEST(ContactNoise, EndsSoftlyAsAFootRollsOrLeaves) {
  const ChainContactOptions options;
  double before = sigma(0.0, 0.0, 1.0);
  for (double turning = 0.1; turning < options.gyro; turning += 0.1) {
    const double now = sigma(turning, 0.0, 1.0);
    EXPECT_GT(now, before);
    EXPECT_GE(now, 0.1 * turning) << "the heel of a foot that rolls moves by half its length";
    before = now;
  }
  EXPECT_GT(before, 1.0) << "so little is known that its end is no step";
  EXPECT_TRUE(std::isinf(contact_variance(options, {options.gyro, 0.0, 1.0}, kT)));
  EXPECT_TRUE(std::isinf(contact_variance(options, {0.0, options.acc, 1.0}, kT)));
}

}  // namespace
}  // namespace panto
