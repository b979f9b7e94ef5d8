#pragma once
// Sends States to a robot by UDP and receives what it measures. Datagrams: docs/formats/robot_link.md.

#include <cstdint>
#include <memory>
#include <string>

#include "panto/live/link_receiver.hpp"
#include "panto/live/udp_socket.hpp"
#include "panto/tracking/sink.hpp"

namespace panto::live {

inline constexpr double kSlowestLink = 20.0;  ///< [Hz]; below, a robot would hold between two references
inline constexpr double kFastestLink = 1000.0;

/// A Sink that sends states as references to a robot, at once and without waiting: the caller paces.
class RobotSender final : public Sink {
 public:
  /// The model must outlive the sender. @throws ConfigError for a model or rate that the link cannot carry.
  RobotSender(UdpSocket socket, const Model& model, double rate_hz);
  ~RobotSender() override;

  /// Sends one reference, after a hello where one is due: before the first, and for every second of stamps.
  /// Drops and counts a state that is invalid or not newer than the last, and one that the system did not
  /// accept. Does not allocate.
  WriteStatus write(const State& state) noexcept override;

  /// Marks the following references as valid (the default) or invalid. While they are invalid, the robot
  /// slows down and holds.
  void set_valid(bool valid) noexcept { valid_ = valid; }

  /// Reads one measured state, oldest first; false: there is none. Its stamp is on the axis of the
  /// references: that of the newest one the robot had, plus the time since the robot received it. Never
  /// waits.
  [[nodiscard]] bool read_measured(State& state) noexcept;

  /// Sends bye; the robot slows down and holds. Drops later writes. The destructor does the same.
  void close() noexcept;

  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }        ///< references
  [[nodiscard]] std::int64_t dropped() const noexcept { return dropped_; }  ///< references
  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }
  /// Returns the counts of received packets.
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

/// Opens a sender to "udp://host:port" of references at `rate_hz`, within [20, 1000].
/// @throws ConfigError for an unusable address, model or rate, Error when the host is unknown.
[[nodiscard]] std::unique_ptr<RobotSender> open_robot_link(const std::string& address, const Model& model,
                                                           double rate_hz);

}  // namespace panto::live
