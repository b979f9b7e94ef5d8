#pragma once
// Both ends of the link between Panto and a robot, by UDP: references to the robot, a motion that its joints
// can follow, what it measures back. The datagrams: docs/formats/robot_link.md.

#include <cstdint>
#include <memory>
#include <string>

#include "panto/base/status.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/stages.hpp"

namespace panto::live {

class LinkReceiver;

inline constexpr double kSlowestLink = 20.0;  ///< [Hz]; below, a robot would hold between two references
inline constexpr double kFastestLink = 1000.0;

/// Panto's end: a Sink that sends states as references to a robot, at once and without waiting: the caller
/// paces.
class RobotLink : public Sink {
 public:
  /// Sends one reference, after a hello where one is due: before the first, and for every second of stamps.
  /// Drops and counts a state that is invalid or not newer than the last, and one that the system did not
  /// accept. Does not allocate.
  WriteStatus write(const State& state) noexcept override = 0;

  /// Marks the following references as valid (the default) or invalid. While they are invalid, the robot
  /// slows down and holds.
  virtual void set_valid(bool valid) noexcept = 0;

  /// Reads one measured state, oldest first; false: there is none. Its stamp is on the axis of the
  /// references: that of the newest one the robot had, plus the time since the robot received it. Never
  /// waits.
  [[nodiscard]] virtual bool read_measured(State& state) noexcept = 0;

  /// Sends bye; the robot slows down and holds. Drops later writes. The destructor does the same.
  virtual void close() noexcept = 0;

  [[nodiscard]] virtual std::int64_t sent() const noexcept = 0;     ///< references
  [[nodiscard]] virtual std::int64_t dropped() const noexcept = 0;  ///< references
  /// Returns whether a robot has welcomed a hello; it takes nothing before.
  [[nodiscard]] virtual bool answered() const noexcept = 0;
};

/// Opens a link to "udp://host:port" or "udp://host:port?key=FILE" (both ends know the key in the file
/// and refuse datagrams without it) for references at `rate_hz`, within [20, 1000]. The robot follows once it
/// has answered the first hello, so the first one or two references are lost. The model must outlive it.
/// @throws ConfigError for an address, model, rate or key that does not do; Error when the host is not known
/// or the key cannot be read.
[[nodiscard]] std::unique_ptr<RobotLink> open_robot_link(const std::string& address, const Model& model,
                                                         double rate_hz);

/// Where to listen.
struct UdpAddress {
  std::string host;  ///< a name, an IPv4 address, or an IPv6 address without its brackets
  std::uint16_t port = 0;
};

struct FollowerOptions {
  double stale_after = 0.1;         ///< [s], > 0: older references are not followed
  double max_acceleration = 50.0;   ///< of joints, speeding up and slowing down [rad/s^2] or [m/s^2], > 0
  double speed_limit = 10.0;        ///< for joints whose model has none [rad/s] or [m/s], > 0
  double gain = 50.0;               ///< [1/s], > 0. Larger: reaches the reference sooner, moves less smoothly
  double max_extrapolation = 0.05;  ///< [s], >= 0: how long a reference is extrapolated with its velocity
  double max_base_acceleration =
      10.0;  ///< of the base when slowing down [m/s^2], > 0; five times the number in [rad/s^2]
};

/// Who may command a robot, and from when on.
struct LinkTrust {
  std::string peer;    ///< name or address of the only host; empty: any
  std::string key;     ///< shared secret of 16 bytes or more; empty: none
  bool armed = false;  ///< follows from the start, without `arm`: for simulations
};

/// Counts of datagrams that were refused unread.
struct GuardCounts {
  std::int64_t other_peer = 0;  ///< of another host than the named one
  std::int64_t key = 0;         ///< not sealed by the key; without a key: sealed
};

enum class FollowMode : std::uint8_t {
  Waiting,    ///< no reference yet, or not armed: holds the first pose
  Following,  ///< the reference is fresh; joints far from it approach it within their limits
  Stopping,   ///< the reference is stale, lost or invalid: slows down
  Holding,    ///< at rest after stopping
};

[[nodiscard]] const char* to_string(FollowMode mode) noexcept;

/// The robot's end: binds an address, listens and follows. Every call gets local time, for example of a
/// steady clock.
///
/// Unless `trust` says otherwise it starts disarmed: it answers every sender, and stays at rest until
/// `arm(true)`. If `trust` names a host or a key, arming holds for every session. If not, it ends with the
/// session, because the next one may have another sender.
///
///   robot.poll(now);
///   servo(robot.step(now).s);          // bounded, at any tick; robot.valid() false: only held
///   robot.send_measured(joints());     // at the rate of the references, say
class RobotReceiver {
 public:
  /// `start`: where the robot is. The model must outlive it. @throws Error for an address that cannot be
  /// bound or a host that is not known; ConfigError when an option is out of range, the key is short, or
  /// `start` is not a state of the model.
  RobotReceiver(const UdpAddress& address, const Model& model, const State& start, Time now,
                const LinkTrust& trust = {}, const FollowerOptions& options = {});
  ~RobotReceiver();
  RobotReceiver(RobotReceiver&&) noexcept;
  RobotReceiver& operator=(RobotReceiver&&) noexcept;

  /// Processes received datagrams, at most 256 per call. Does not allocate. Answers the hello of a new
  /// session, to the address it came from and with fewer bytes.
  void poll(Time now) noexcept;

  /// Follows references from now on, or slows down and holds.
  void arm(bool armed) noexcept;
  [[nodiscard]] bool armed() const noexcept;

  /// The motion at `now`, whole milliseconds of it: at most as fast as the options and the model allow,
  /// brought to rest when no reference comes. Its stamp is that of the newest reference plus the time since
  /// it came.
  const State& step(Time now) noexcept;
  /// False when the state only repeats a pose that is held.
  [[nodiscard]] bool valid() const noexcept;
  [[nodiscard]] FollowMode mode() const noexcept;

  /// Sends measured joints to the address that opened the session, with the stamp of the last `step`. Returns
  /// Dropped without a session, after 1 s without one of its datagrams, and when `measured` is not a state of
  /// the model.
  WriteStatus send_measured(const State& measured) noexcept;

  /// Returns the newest reference as it came. Joints that the session does not name are at the model's rest.
  [[nodiscard]] const State& reference() const noexcept;
  /// Returns the state of the session. Its header is not public.
  [[nodiscard]] const LinkReceiver& link() const noexcept;
  [[nodiscard]] const GuardCounts& guarded() const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::live
