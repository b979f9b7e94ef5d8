#pragma once
// The robot's end of the link: receives references, makes a motion that its joints can follow, sends measured
// states.

#include <cstdint>
#include <span>
#include <string>

#include "panto/base/status.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/stream_follower.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {

/// Binds an address, listens and follows. Every call gets local time, for example from `monotonic_now()`.
///
///   robot.poll(now);
///   servo(robot.step(now).s);          // bounded, at any tick; robot.valid() false: only held
///   robot.send_measured(joints());     // at the rate of the references, say
class RobotReceiver {
 public:
  /// `start`: where the robot is. The model must outlive it. @throws as UdpSocket::bound_to and
  /// StreamFollower.
  RobotReceiver(const UdpAddress& address, const Model& model, const State& start, Time now,
                const FollowerOptions& options = {});

  /// Processes received datagrams, at most 256 per call. Does not allocate.
  void poll(Time now) noexcept;

  /// Returns the motion at `now`: see StreamFollower.
  const State& step(Time now) noexcept { return follower_.step(now); }
  [[nodiscard]] bool valid() const noexcept { return follower_.valid(); }
  [[nodiscard]] FollowMode mode() const noexcept { return follower_.mode(); }

  /// Sends measured joints to the sender that opened the session, with the stamp of the last `step`. Returns
  /// Dropped without a session, and when `measured` is not a state of the model.
  WriteStatus send_measured(const State& measured) noexcept;

  [[nodiscard]] const LinkReceiver& link() const noexcept { return link_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return socket_.port(); }

 private:
  void take(std::span<const std::byte> datagram, const UdpPeer& from, Time now) noexcept;

  UdpSocket socket_;
  const Model* model_;
  LinkReceiver link_;
  StreamFollower follower_;
  UdpPeer peer_{};
  State outgoing_;
  std::uint32_t seq_ = 0;
};

}  // namespace panto::live
