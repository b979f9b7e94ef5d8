#pragma once

#include <cstddef>

namespace panto {

/// An index that is known not to be negative, for std containers: indices are `int`, sizes are not.
[[nodiscard]] constexpr std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace panto
