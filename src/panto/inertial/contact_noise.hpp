#pragma once
// How well the velocity of a point is known that stands on the floor. docs/algorithms/chain_ekf.md

#include "panto/inertial/sensor_setup.hpp"

namespace panto {

/// What the sensor near a contact measures.
struct ContactSign {
  double turning = 0.0;   ///< its rate [rad/s]
  double off = 0.0;       ///< difference of its force from gravity [m/s^2]
  double standing = 0.0;  ///< how long it has been still before this sample [s]
};

/// Returns the variance of the point's velocity [m^2/s^2], `T` [s] after the sample before; infinite: no
/// contact. Begins and ends softly: falls from a large one after `settles`, and grows as the sensor moves up
/// to its limits.
[[nodiscard]] double contact_variance(const ChainContactOptions& options, const ContactSign& sign,
                                      double T) noexcept;

}  // namespace panto
