#pragma once
// A headset's page as the source of a live run (docs/formats/webxr_stream.md).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "panto/live/source.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::bridge {

/// Takes the messages of one page at a time. Refuses another page until the first one has left or was silent
/// for 2 s. Up to 64 messages wait to be decoded; then the oldest is dropped.
class HeadsetSource final : public live::LiveSource<SegmentSample> {
 public:
  /// `token`: what a page must know. `height`: the person's [m], if it is known.
  explicit HeadsetSource(std::string token, std::optional<double> height = std::nullopt);
  /// Tells the page that the run has ended.
  ~HeadsetSource() override;

  /// Takes over a connection whose upgrade request was checked. `handle`: its socket, which this closes;
  /// `head`: the bytes received so far. Any thread may call it.
  void adopt(int handle, std::string head);

  bool next(int milliseconds) override;
  [[nodiscard]] const stream::SampleStream<SegmentSample>& decoder() const noexcept override;
  [[nodiscard]] Time arrival() const noexcept override { return arrival_; }

  /// Gets every message, 0, and when it arrived, before it is decoded.
  std::function<void(std::span<const std::byte>, std::uint64_t, Time)> tap;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  Time arrival_ = 0;
};

}  // namespace panto::bridge
