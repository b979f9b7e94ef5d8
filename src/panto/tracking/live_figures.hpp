#pragma once
// How a live run went.

#include <cstdint>
#include <string>
#include <vector>

namespace panto {

/// Delays after the arrival of a sample's last datagram [s].
struct LiveDelay {
  std::int64_t count = 0;
  double median = 0.0, p99 = 0.0, longest = 0.0;
};

struct LiveFigures {
  double seconds = 0.0;              ///< from the first sample to the last, on this computer
  double rate_hz = 0.0;              ///< samples per second by the sender's clock; 0: too few
  std::int64_t samples = 0;          ///< that arrived whole
  std::int64_t lost = 0;             ///< that the sender numbered and that did not arrive whole
  std::int64_t unused = 0;           ///< that could not be used: nothing valid in them
  std::int64_t overtaken = 0;        ///< that a newer one replaced before they were solved
  std::int64_t unwritten = 0;        ///< frames that a newer one replaced before an output took them
  std::int64_t refused = 0;          ///< datagrams that are damaged or of another protocol
  std::int64_t late = 0;             ///< datagrams older than the newest sample, or repeated
  std::int64_t foreign = 0;          ///< datagrams of other senders
  std::int64_t losses = 0;           ///< times that no sample came for more than 0.5 s, but later
  double longest_gap = 0.0;          ///< between two samples [s]
  std::int64_t before = 0;           ///< samples before these, from which size and rate were learned
  std::int64_t fast = 0;             ///< samples while the sender's clock ran away from this computer's
  std::int64_t slow = 0;             ///< samples while it fell behind
  std::int64_t pauses = 0;           ///< times that this program did not run for more than 0.2 s
  double longest_pause = 0.0;        ///< [s]
  std::int64_t passed = 0;           ///< samples that a newer one replaced right after the start or a pause
  LiveDelay to_pose, to_output;      ///< until the State is solved; until an output has taken it
  std::vector<std::string> missing;  ///< items without a measurement at the end
};

}  // namespace panto
