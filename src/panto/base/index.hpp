#pragma once

#include <cstddef>

namespace panto {

/// Converts a non-negative `int` index to `size_t` for std containers.
[[nodiscard]] constexpr std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace panto
