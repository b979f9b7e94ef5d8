#pragma once
// Accepts the packets of one session, each newer than the last. Pure: local time is an argument.

#include <cstdint>
#include <optional>

#include "panto/live/robot_link.hpp"

namespace panto::live {

/// Whether a packet is accepted, and if not, why.
enum class Admission : std::uint8_t {
  Taken,
  NewSession,    ///< accepted: a hello opened its session
  NoSession,     ///< before any hello
  OtherSession,  ///< of another session while the current one is alive
  PastSession,   ///< of a session that has said bye
  Old,           ///< not newer than the last, by sequence or stamp
  Jump,          ///< too far ahead; the third such packet in a row is accepted
};
inline constexpr int kAdmissionCount = 7;

[[nodiscard]] const char* to_string(Admission admission) noexcept;
[[nodiscard]] constexpr bool taken(Admission admission) noexcept {
  return admission == Admission::Taken || admission == Admission::NewSession;
}

inline constexpr Time kSessionLost = 500'000'000;  ///< [ns] of silence after which another may take over
inline constexpr Time kStampJump = 1'000'000'000;  ///< [ns] ahead of the last stamp that count as a jump
inline constexpr std::uint32_t kSequenceWindow = 1U << 15U;
inline constexpr int kJumpsInARow = 3;
inline constexpr Time kRowKept = 100'000'000;  ///< [ns] that a row of jumps waits for its next packet

/// Accepts packets by these rules:
/// - A session begins with a hello. Another session's hello is accepted once the current session has sent bye
/// or has been silent for kSessionLost. Who tells a replayed hello: LinkGuard.
/// - Within a session a packet is accepted if 0 < (seq - last) mod 2^32 < 2^15 and its stamp is later than
/// that
///   of the last state (hello and bye: not earlier), at most kStampJump ahead.
/// - Packets further ahead are accepted when three in a row agree: each newer than the one before. What is
/// not newer breaks no row within kRowKept: duplicates would.
/// - After bye, no packet of that session is accepted.
class SessionWindow {
 public:
  /// Decides on a packet received at `now` [ns of any monotonic clock].
  Admission admit(const PacketHeader& packet, Time now) noexcept;

  /// Returns whether a hello of `session` would begin it.
  [[nodiscard]] bool may_begin(std::uint64_t session, Time now) const noexcept;

  /// Accepts this session without a hello, as the side that opened it does for the answers.
  void expect(std::uint64_t session, Time now) noexcept;

  [[nodiscard]] std::optional<std::uint64_t> session() const noexcept { return session_; }
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  Admission admit_stranger(const PacketHeader& packet, Time now) noexcept;
  Admission admit_jump(const PacketHeader& packet, Time now) noexcept;
  Admission take(const PacketHeader& packet, Time now) noexcept;

  std::optional<std::uint64_t> session_;
  bool ended_ = false;
  bool any_ = false;        // a packet of the session has been accepted
  bool any_state_ = false;  // a reference or measured state among them
  PacketHeader last_;       // the newest accepted; its stamp is that of the newest state, if any
  PacketHeader ahead_;      // the newest of a row of jumps
  int jumps_ = 0;
  Time ahead_at_ = 0;  // when it came
  Time heard_ = 0;
};

}  // namespace panto::live
