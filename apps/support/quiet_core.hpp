#pragma once
// Prepares a program for timing.

#include <optional>

namespace panto {

/// Pins the calling thread to one core, the last that it may use (the first ones serve most interrupts).
/// Returns its number, or nothing where the system does not allow it.
std::optional<int> stay_on_one_core() noexcept;

/// Returns the cost of reading the steady clock: median difference of two readings in a row [ns].
[[nodiscard]] double clock_cost_ns();

}  // namespace panto
