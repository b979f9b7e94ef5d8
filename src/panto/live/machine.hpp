#pragma once
// What this computer allows a live run, and how to change it: `panto doctor`.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "panto/live/address.hpp"

namespace panto::live {

/// What was found on a computer. Unset: it does not tell.
struct Machine {
  int cores = 1;
  bool may_run_first = false;                   ///< SCHED_FIFO
  std::optional<std::uint64_t> lockable;        ///< [bytes] of memory; unset: no limit
  std::optional<std::string> governor;          ///< of the processor's frequency
  std::optional<std::string> clock;             ///< the kernel's clock source
  std::optional<std::uint64_t> receive_buffer;  ///< largest of a socket [bytes]
  double latest_wake = 0.0;                     ///< longest delay of a thread that slept 1 ms, of 200 [s]
  std::vector<StreamScheme> taken;              ///< streams whose usual port another program listens at
};

/// Looks at this computer; takes 0.3 s. `root`: where /proc and /sys are, for tests. `streams`: ports to try.
[[nodiscard]] Machine examine(const std::vector<StreamScheme>& streams,
                              const std::filesystem::path& root = "/");

/// One line of a diagnosis.
struct Finding {
  std::string subject;
  std::string state;
  std::string remedy;  ///< empty: all is well
};

/// Returns what matters for a live run, in the order of its weight.
[[nodiscard]] std::vector<Finding> diagnose(const Machine& machine);

}  // namespace panto::live
