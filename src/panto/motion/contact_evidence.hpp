#pragma once
// Whether a point of a sole may be, or surely is, in contact. Used inside the search for contacts, for clips
// and live.

#include <algorithm>
#include <cmath>

#include "panto/motion/foot_contacts.hpp"

namespace panto::detail {

inline constexpr double kReferenceLeg = 0.9;  ///< [m], the leg length of the options

/// Heights [m] and speeds [m/s] below which a contact may begin (on) and above which it ends (off).
struct ContactLimits {
  double height_on = 0.0, height_off = 0.0, speed_on = 0.0, speed_off = 0.0;

  /// Return whether a point at this height above its level and with this speed may be, or surely is, in
  /// contact; false for what is not measured (NaN).
  [[nodiscard]] bool may(double height, double speed) const noexcept {
    return height < height_off && speed < speed_off;
  }
  [[nodiscard]] bool surely(double height, double speed) const noexcept {
    return height < height_on && speed < speed_on;
  }
  /// Returns the limits with speeds times `factor`.
  [[nodiscard]] ContactLimits slower(double factor) const noexcept {
    return {height_on, height_off, factor * speed_on, factor * speed_off};
  }
};

/// Returns the limits for the options' leg and a point that swings with `swing` [m/s].
[[nodiscard]] inline ContactLimits contact_limits(const ContactOptions& options, double swing) noexcept {
  const double scale = options.leg_length / kReferenceLeg;
  const double speed_off = std::fmax(options.speed_off * scale, options.swing_share * swing);
  return {options.height_on * scale, options.height_off * scale,
          speed_off * options.speed_on / options.speed_off, speed_off};
}

}  // namespace panto::detail
