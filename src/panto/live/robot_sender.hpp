#pragma once
// States to a robot by UDP, and what it measures back. The datagrams: docs/formats/robot_link.md.

#include <cstdint>
#include <memory>
#include <string>

#include "panto/live/link_receiver.hpp"
#include "panto/live/udp_socket.hpp"
#include "panto/tracking/sink.hpp"

namespace panto::live {

inline constexpr double kSlowestLink = 20.0;  ///< [Hz]: below, a robot would hold between two references
inline constexpr double kFastestLink = 1000.0;

/// A Sink whose states are references of a robot. Sends at once and never waits: whoever writes, paces.
class RobotSender final : public Sink {
 public:
  /// @throws ConfigError for a model or rate that the link cannot carry; the model must outlive the sender.
  RobotSender(UdpSocket socket, const Model& model, double rate_hz);
  ~RobotSender() override;

  /// Sends one reference, after a hello where one is due: before the first, and for every second of stamps.
  /// Dropped, and counted: a state that is not valid or not newer than the last, and what the system did not
  /// take. Allocates nothing.
  WriteStatus write(const State& state) noexcept override;

  /// Whether the robot is to follow what is written from now on; true at first. While false, it slows down
  /// and holds.
  void set_valid(bool valid) noexcept { valid_ = valid; }

  /// Takes in one measured state that has come back, oldest first; false: there is none. Its stamp is on the
  /// axis of the references: that of the newest one the robot had, plus the time that it had it. Never waits.
  [[nodiscard]] bool read_measured(State& state) noexcept;

  /// Says bye; the robot slows down and holds. Later writes are dropped. The destructor does the same.
  void close() noexcept;

  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }        ///< references
  [[nodiscard]] std::int64_t dropped() const noexcept { return dropped_; }  ///< references
  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }
  /// Of what came back.
  [[nodiscard]] const LinkCounts& measured_counts() const noexcept { return receiver_.counts(); }

 private:
  void say_hello(Time t) noexcept;
  PacketHeader next_header(PacketType type, Time t) noexcept;

  UdpSocket socket_;
  const Model* model_;
  LinkHello hello_;
  LinkReceiver receiver_;
  std::uint64_t session_;
  std::uint32_t seq_ = 0;
  Time last_ = 0, hello_due_ = 0;
  bool started_ = false, closed_ = false, valid_ = true;
  std::int64_t sent_ = 0, dropped_ = 0;
  Datagram datagram_{};
};

/// A sender to "udp://host:port" of references at `rate_hz`, within [20, 1000].
/// @throws ConfigError for an address, model or rate that does not do, Error when the host is not known.
[[nodiscard]] std::unique_ptr<RobotSender> open_robot_link(const std::string& address, const Model& model,
                                                           double rate_hz);

}  // namespace panto::live
