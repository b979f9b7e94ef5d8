#pragma once
// Sends a G1's motion to TWIST2's controller: docs/formats/twist2_stream.md.

#include <cstdint>
#include <vector>

#include "panto/bridge/controllers.hpp"
#include "panto/bridge/redis_client.hpp"
#include "panto/bridge/steady_states.hpp"
#include "panto/stream/twist2_message.hpp"

namespace panto::bridge {

/// Sets TWIST2's keys 50 times a second while armed. Redis keeps the last velocities, and the robot would
/// walk on; so when the run is disarmed, loses its stream or ends, this writes the last pose once more, at
/// rest.
class Twist2Output final : public ControllerOutput {
 public:
  /// `joints`: places in State::s, in Unitree's order. `arming` must outlive it. @throws as `RedisClient`.
  Twist2Output(const live::UdpAddress& at, const std::vector<std::int64_t>& joints,
               const live::Arming& arming)
      : redis_(at), message_(joints), states_(kRate, arming) {}
  ~Twist2Output() override { rest(); }

  void write(const LiveFrame& frame) noexcept override;
  void wait(bool held) noexcept override;
  void close() noexcept override { rest(); }

 private:
  static constexpr double kRate = 50.0;  // [Hz]
  void rest() noexcept;
  bool set(bool at_rest) noexcept;

  RedisClient redis_;
  stream::Twist2Message message_;
  SteadyStates states_;
  State reference_;
  bool moving_ = false;
};

}  // namespace panto::bridge
