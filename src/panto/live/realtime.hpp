#pragma once
// A live run's threads before those of other programs, and its memory kept in place, where the system allows
// it.

#include <cstdint>
#include <optional>
#include <thread>

namespace panto::live {

/// Lets a thread run before all ordinary ones (SCHED_FIFO, priority 40 of 99). Returns false where the system
/// refuses: the thread then runs as before.
bool run_first(std::thread& thread) noexcept;

/// Memory that a live run may need, locked [bytes].
inline constexpr std::uint64_t kLockedMemory = std::uint64_t{512} << 20;

/// Returns how much memory the process may lock [bytes]; unset: all.
[[nodiscard]] std::optional<std::uint64_t> lockable_memory() noexcept;

/// Keeps the process's memory from being paged out, pages as they are touched. Returns false where the system
/// allows less than `kLockedMemory`: beyond its limit nothing could be allocated any more.
bool lock_memory() noexcept;

}  // namespace panto::live
