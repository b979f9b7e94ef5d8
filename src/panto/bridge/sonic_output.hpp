#pragma once
// Sends a G1's motion to NVIDIA's SONIC controller: docs/formats/sonic_stream.md.

#include <cstdint>
#include <vector>

#include "panto/bridge/controllers.hpp"
#include "panto/bridge/steady_states.hpp"
#include "panto/bridge/zmq_publisher.hpp"
#include "panto/stream/sonic_message.hpp"

namespace panto::bridge {

/// Publishes 50 frames a second while armed. It sends nothing for a gap: the controller holds the last frame,
/// and the next one continues the count.
class SonicOutput final : public ControllerOutput {
 public:
  /// `joints`: places in State::s, in the controller's order. `arming` must outlive it.
  /// @throws as `ZmqPublisher` and `SonicMessage`.
  SonicOutput(const live::UdpAddress& at, const std::vector<std::int64_t>& joints, const live::Arming& arming)
      : publisher_(at), message_(joints), states_(stream::kSonicRate, arming) {}

  void write(const LiveFrame& frame) noexcept override;
  void close() noexcept override {}
  [[nodiscard]] std::uint16_t port() const noexcept { return publisher_.port(); }

 private:
  ZmqPublisher publisher_;
  stream::SonicMessage message_;
  SteadyStates states_;
  State reference_;
};

}  // namespace panto::bridge
