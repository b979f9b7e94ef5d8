#include "panto/synthesis/curve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace panto {
namespace {

Curve example() { return Curve(0.3, -0.2).add({2.0, 0.5, -0.1}).add({7.0, 0.02, 0.3}); }

TEST(Curve, DerivativesAreThoseOfTheValue) {
  const Curve curve = example();
  constexpr double h = 1e-5;  // error of a central difference: h^2 omega^3 / 6 of the amplitude, here 2e-9
  for (double t = -1.0; t < 3.0; t += 0.37) {
    const CurvePoint point = curve.at(t);
    EXPECT_NEAR(point.rate, (curve.at(t + h).value - curve.at(t - h).value) / (2 * h), 4e-9);
    EXPECT_NEAR(point.acceleration, (curve.at(t + h).rate - curve.at(t - h).rate) / (2 * h), 3e-8);
  }
}

TEST(Curve, StaysWithinItsAmplitudes) {
  const Curve curve = example();
  for (double t = 0.0; t < 10.0; t += 0.01) {
    EXPECT_LE(std::abs(curve.at(t).value - 0.3 + 0.2 * t), curve.amplitude() + 1e-15);
    EXPECT_LE(std::abs(curve.at(t).rate + 0.2), curve.rate_amplitude() + 1e-15);
  }
}

TEST(Curve, ScalesDelaysAndAdds) {
  const Curve curve = example();
  for (double t = 0.0; t < 3.0; t += 0.41) {
    EXPECT_NEAR(curve.scaled(-2.0, 0.7).at(t).value, 0.7 - 2.0 * curve.at(t).value, 1e-14);
    EXPECT_NEAR(curve.delayed(0.6).at(t).value, curve.at(t - 0.6).value, 1e-14);
    EXPECT_NEAR((curve + curve.delayed(0.1)).at(t).rate, curve.at(t).rate + curve.at(t - 0.1).rate, 1e-13);
  }
  EXPECT_EQ((curve + curve).waves().size(), 2u) << "waves of one frequency are merged";
}

TEST(Curve, FourierSeriesRepeatsAfterItsPeriod) {
  const std::array coefficients{1.0, 2.0, -3.0, 0.0, 0.0, 0.5, 0.25};
  const Curve curve = fourier_series(0.5, coefficients, 0.1);
  EXPECT_EQ(curve.waves().size(), 2u);
  EXPECT_NEAR(curve.at(0.0).value, 0.1 * (1.0 + 2.0 + 0.5), 1e-15);
  EXPECT_NEAR(curve.at(0.3).value, curve.at(2.3).value, 1e-14);
}

TEST(Curve, FourierInterpolationGoesThroughItsValues) {
  std::array<double, 33> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.3 * static_cast<double>(i * i));
  const Curve curve = fourier_interpolation(0.25, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(curve.at(4.0 * static_cast<double>(i) / 33.0).value, values[i], 1e-8);
  }
}

}  // namespace
}  // namespace panto
