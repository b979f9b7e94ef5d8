#pragma once
// Who may command a robot: the host that its operator named, a sender with the key, a sender that receives at
// its own address. Pure: bytes, the sender's address and random bits are arguments.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "panto/live/link_seal.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/sha256.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {

/// Stands before LinkReceiver: by address, by seal, and by the proof that the hello of a new session must
/// carry.
///
/// A proof is a tag of the sender's address and of how many sessions have begun, under a secret that lives as
/// long as this object. So it fits one address, and no hello that was recorded opens a session again,
/// whatever came between.
class LinkGuard {
 public:
  /// `secret`: random. @throws Error when the host of `trust` is not known; ConfigError for a short key.
  LinkGuard(const LinkTrust& trust, const Digest& secret);

  /// Returns the datagram without its seal, in `space` or as it came; nothing when it is refused, counted in
  /// `counts`.
  [[nodiscard]] std::optional<std::span<const std::byte>> admitted(std::span<const std::byte> datagram,
                                                                   const UdpPeer& from, Datagram& space,
                                                                   GuardCounts& counts) const noexcept;

  /// Returns the proof that a hello from this address must carry.
  [[nodiscard]] LinkProof proof_for(const UdpPeer& from) const noexcept;
  /// Says that a session has begun. Proofs given before open no other.
  void renew() noexcept { ++sessions_; }

  /// Seals an answer, where there is a key. Returns its size [bytes].
  [[nodiscard]] std::size_t sealed(Datagram& answer, std::size_t size) const noexcept;

  /// Returns whether the operator has said who may command.
  [[nodiscard]] bool knows_whom() const noexcept { return seal_.has_value() || !hosts_.empty(); }

 private:
  std::vector<UdpPeer> hosts_;  // of the only sender; empty: any
  std::optional<LinkSeal> seal_;
  HmacSha256 secret_;
  std::uint64_t sessions_ = 0;
};

}  // namespace panto::live
