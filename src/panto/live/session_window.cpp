#include "panto/live/session_window.hpp"

namespace panto::live {
namespace {

bool carries_state(const PacketHeader& packet) noexcept {
  return packet.type == PacketType::Reference || packet.type == PacketType::Measured;
}

bool next_in_sequence(std::uint32_t last, std::uint32_t seq) noexcept {
  const std::uint32_t step = seq - last;
  return step > 0 && step < kSequenceWindow;
}

// later - earlier > limit, for any two stamps
bool more_than(Time later, Time earlier, Time limit) noexcept {
  return later > earlier && static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier) >
                                static_cast<std::uint64_t>(limit);
}

}  // namespace

const char* to_string(Admission admission) noexcept {
  switch (admission) {
    case Admission::Taken:
      return "taken";
    case Admission::NewSession:
      return "new_session";
    case Admission::NoSession:
      return "no_session";
    case Admission::OtherSession:
      return "other_session";
    case Admission::PastSession:
      return "past_session";
    case Admission::Old:
      return "old";
    case Admission::Jump:
      return "jump";
  }
  return "unknown";
}

Admission SessionWindow::admit(const PacketHeader& packet, Time now) noexcept {
  if (!session_ || *session_ != packet.session) return admit_stranger(packet, now);
  if (ended_) return Admission::PastSession;
  if (!any_) return take(packet, now);

  const bool state = carries_state(packet);
  if (state && any_state_ ? packet.t <= last_.t : packet.t < last_.t) return Admission::Old;
  if (packet.seq == last_.seq) return Admission::Old;
  const bool near = next_in_sequence(last_.seq, packet.seq) && !more_than(packet.t, last_.t, kStampJump);
  if (near) return take(packet, now);
  return packet.t > last_.t ? admit_jump(packet, now) : Admission::Old;
}

bool SessionWindow::may_begin(std::uint64_t session, Time now) const noexcept {
  return !session_ || (*session_ != session && (ended_ || more_than(now, heard_, kSessionLost)));
}

Admission SessionWindow::admit_stranger(const PacketHeader& packet, Time now) noexcept {
  if (packet.type != PacketType::Hello || !may_begin(packet.session, now))
    return session_ ? Admission::OtherSession : Admission::NoSession;
  expect(packet.session, now);
  (void)take(packet, now);
  return Admission::NewSession;
}

// Packets of one row: each newer than the one before by sequence and stamp, and no jump from it. A packet
// with a lower sequence number but a newer stamp may come from a sender that restarted its count: the row
// decides.
Admission SessionWindow::admit_jump(const PacketHeader& packet, Time now) noexcept {
  const bool newer = next_in_sequence(ahead_.seq, packet.seq) && packet.t >= ahead_.t;
  if (jumps_ > 0 && !newer && !more_than(now, ahead_at_, kRowKept)) return Admission::Jump;
  const bool agrees = jumps_ > 0 && newer && !more_than(packet.t, ahead_.t, kStampJump);
  jumps_ = agrees ? jumps_ + 1 : 1;
  ahead_ = packet;
  ahead_at_ = now;
  return jumps_ >= kJumpsInARow ? take(packet, now) : Admission::Jump;
}

Admission SessionWindow::take(const PacketHeader& packet, Time now) noexcept {
  last_ = packet;
  any_ = true;
  any_state_ = any_state_ || carries_state(packet);
  jumps_ = 0;
  heard_ = now;
  ended_ = packet.type == PacketType::Bye;
  return Admission::Taken;
}

void SessionWindow::expect(std::uint64_t session, Time now) noexcept {
  session_ = session;
  ended_ = any_ = any_state_ = false;
  jumps_ = 0;
  heard_ = now;
}

}  // namespace panto::live
