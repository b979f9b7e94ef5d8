#include "panto/live/link_receiver.hpp"

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/printable.hpp"
#include "panto/live/sha256.hpp"

namespace panto::live {

LinkReceiver::LinkReceiver(const Model& model, PacketType listens_to)
    : model_(&model), listens_to_(listens_to), state_(rest_state(model)) {}

void LinkReceiver::expect(std::uint64_t session, Time now) noexcept {
  window_.expect(session, now);
  begin_session(std::min(model_->dof(), kLinkMaxJoints));
  for (int i = 0; i < total_; ++i) dof_[at(i)] = i;
  named_ = total_;
}

LinkEvent LinkReceiver::take(std::span<const std::byte> datagram, Time now, const LinkProof* due) noexcept {
  PacketHeader header;
  const PacketFault fault = read_header(datagram, header);
  if (fault != PacketFault::None) {
    ++counts_.faults[static_cast<std::size_t>(fault)];
    return LinkEvent::Refused;
  }
  switch (header.type) {
    case PacketType::Hello:
      return take_hello(datagram, header, now, due);
    case PacketType::Welcome:
      return take_welcome(datagram, header);
    case PacketType::Reference:
    case PacketType::Measured:
      return take_motion(datagram, header, now);
    case PacketType::Bye:
      if (listens_to_ == PacketType::Reference) break;
      ++counts_.wrong_type;
      return LinkEvent::Refused;
  }
  ++counts_.faults[static_cast<std::size_t>(PacketFault::None)];
  return admit(header, now) ? LinkEvent::Bye : LinkEvent::Refused;
}

bool LinkReceiver::admit(const PacketHeader& header, Time now) noexcept {
  const bool same_session = window_.session() == header.session && header_.session == header.session;
  const Admission admission = window_.admit(header, now);
  ++counts_.admissions[static_cast<std::size_t>(admission)];
  if (!taken(admission)) return false;
  const std::uint32_t step = header.seq - header_.seq;
  if (same_session && step < kSequenceWindow) counts_.lost += step - 1;
  header_ = header;
  return true;
}

void LinkReceiver::begin_session(int total) noexcept {
  total_ = total;
  named_ = 0;
  dof_.fill(-1);
  valid_ = false;
  state_.s = model_->rest();
  state_.sdot.setZero();
}

// whether every name is a joint of the model
bool LinkReceiver::names_fit(const HelloPart& part) noexcept {
  for (int i = 0; i < part.count; ++i) {
    const std::string_view name = part.names[at(i)];
    if (model_->find_joint(name)) continue;
    unknown_length_ = std::min(name.size(), unknown_.size());
    std::copy_n(name.begin(), unknown_length_, unknown_.begin());
    return false;
  }
  return true;
}

LinkEvent LinkReceiver::take_hello(std::span<const std::byte> datagram, const PacketHeader& header, Time now,
                                   const LinkProof* due) noexcept {
  HelloPart part;
  const PacketFault fault =
      listens_to_ == PacketType::Reference ? read_hello(datagram, part) : PacketFault::Type;
  ++counts_.faults[static_cast<std::size_t>(fault)];
  if (fault != PacketFault::None) return LinkEvent::Refused;
  if (!names_fit(part)) {
    ++counts_.names_refused;
    return LinkEvent::Refused;
  }
  if (due != nullptr && window_.may_begin(header.session, now) && !same_bytes(part.proof, *due)) {
    ++counts_.unproven;
    unproven_ = header;
    return LinkEvent::Unproven;
  }
  const auto before = window_.session();
  if (!admit(header, now)) return LinkEvent::Refused;
  if (before != window_.session()) begin_session(part.total);
  if (part.total != total_) return LinkEvent::Refused;  // contradicts this session's earlier hello
  rate_hz_ = part.rate_hz;
  for (int i = 0; i < part.count; ++i) {
    const int dof = *model_->find_joint(part.names[at(i)]);
    int& slot = dof_[at(part.first + i)];
    const bool elsewhere = std::find(dof_.begin(), dof_.begin() + total_, dof) != dof_.begin() + total_;
    if (slot >= 0 || elsewhere)
      continue;  // already known, or a duplicate name: then the session never gets ready
    slot = dof;
    ++named_;
  }
  return LinkEvent::Hello;
}

// outside the window: a robot that knows no session counts no packets of it
LinkEvent LinkReceiver::take_welcome(std::span<const std::byte> datagram,
                                     const PacketHeader& header) noexcept {
  if (listens_to_ != PacketType::Measured || window_.session() != header.session) {
    ++counts_.wrong_type;
    return LinkEvent::Refused;
  }
  const PacketFault fault = read_welcome(datagram, proof_);
  ++counts_.faults[static_cast<std::size_t>(fault)];
  return fault == PacketFault::None ? LinkEvent::Welcome : LinkEvent::Refused;
}

LinkEvent LinkReceiver::take_motion(std::span<const std::byte> datagram, const PacketHeader& header,
                                    Time now) noexcept {
  if (header.type != listens_to_) {
    ++counts_.wrong_type;
    return LinkEvent::Refused;
  }
  if (!ready() || window_.session() != header.session) {
    // the window still counts packets of other sessions and those before the names
    ++counts_.faults[static_cast<std::size_t>(PacketFault::None)];
    if (admit(header, now)) ++counts_.no_names;
    return LinkEvent::Refused;
  }
  PacketFault fault = read_motion(datagram, motion_);
  if (fault == PacketFault::None && motion_.joints != total_) fault = PacketFault::Content;
  ++counts_.faults[static_cast<std::size_t>(fault)];
  if (fault != PacketFault::None || !admit(header, now)) return LinkEvent::Refused;
  state_.t = header.t;
  state_.p_WB = motion_.p_WB;
  state_.R_WB = motion_.R_WB;
  state_.v_WB = motion_.v_WB;
  state_.w_WB = motion_.w_WB;
  for (int i = 0; i < total_; ++i) {
    state_.s[dof_[at(i)]] = motion_.s[at(i)];
    state_.sdot[dof_[at(i)]] = motion_.sdot[at(i)];
  }
  valid_ = motion_.valid;
  ++counts_.states;
  return LinkEvent::Motion;
}

std::string LinkReceiver::refusal() const {
  if (unknown_length_ == 0) return {};
  return unknown_name("joint", printable(std::string_view(unknown_.data(), unknown_length_)),
                      "model '" + model_->name() + "'", model_->joint_names());
}

}  // namespace panto::live
