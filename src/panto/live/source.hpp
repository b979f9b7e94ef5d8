#pragma once
// Where the samples of a live run come from.

#include <cstdint>

#include "panto/base/time.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::live {

/// Gives samples as they come.
template <typename Sample>
class LiveSource {
 public:
  LiveSource() = default;
  LiveSource(const LiveSource&) = delete;
  LiveSource& operator=(const LiveSource&) = delete;
  virtual ~LiveSource() = default;

  /// Waits for the next sample, about `milliseconds` at most. Returns false when none came.
  virtual bool next(int milliseconds) = 0;
  /// Returns what decodes the stream: the newest sample, names, counts.
  [[nodiscard]] virtual const stream::SampleStream<Sample>& decoder() const noexcept = 0;
  [[nodiscard]] virtual Time arrival() const noexcept = 0;  ///< of the newest sample, local [ns]
  /// Returns how many datagrams of other senders came; any thread may ask.
  [[nodiscard]] virtual std::int64_t foreign() const noexcept { return 0; }
  /// Returns true once nothing more can come.
  [[nodiscard]] virtual bool ended() const noexcept { return false; }
};

}  // namespace panto::live
