#pragma once
// What a program does before it times anything.

#include <optional>

namespace panto {

/// Keeps the calling thread on one core, the last that it may use (the first ones serve most interrupts).
/// Returns its number; nothing where the system does not allow it.
std::optional<int> stay_on_one_core() noexcept;

/// What two readings of the steady clock cost by themselves: median difference of readings back to back [ns].
[[nodiscard]] double clock_cost_ns();

}  // namespace panto
