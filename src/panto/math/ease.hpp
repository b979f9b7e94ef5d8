#pragma once
// A gentle way from 0 to 1.

namespace panto {

/// Rises from 0 at u = 0 to 1 at u = 1, with zero slope at both.
[[nodiscard]] constexpr double ease(double u) noexcept { return u * u * (3.0 - 2.0 * u); }

}  // namespace panto
