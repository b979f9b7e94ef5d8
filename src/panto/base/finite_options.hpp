#pragma once
// The common checks of options: comparisons alone let infinity pass.

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "panto/base/error.hpp"

namespace panto {

/// Whether an option is finite and in its range.
[[nodiscard]] inline bool positive(double value) noexcept { return value > 0.0 && std::isfinite(value); }
[[nodiscard]] inline bool not_negative(double value) noexcept { return value >= 0.0 && std::isfinite(value); }

/// Refuses options that are infinite or not numbers.
/// @throws ConfigError "who: `name` is inf, must be finite".
inline void check_finite(std::string_view who,
                         std::initializer_list<std::pair<std::string_view, double>> options) {
  for (const auto& [name, value] : options)
    if (!std::isfinite(value))
      throw ConfigError(std::string(who).append(": `").append(name).append("` is ") + std::to_string(value) +
                        ", must be finite");
}

}  // namespace panto
