#include "panto/live/link_guard.hpp"

#include <algorithm>

namespace panto::live {

LinkGuard::LinkGuard(const LinkTrust& trust, const Digest& secret) : secret_(secret) {
  if (!trust.peer.empty()) hosts_ = addresses_of(trust.peer);
  if (!trust.key.empty()) seal_.emplace(trust.key);
}

std::optional<std::span<const std::byte>> LinkGuard::admitted(std::span<const std::byte> datagram,
                                                              const UdpPeer& from, Datagram& space,
                                                              GuardCounts& counts) const noexcept {
  const auto is_sender = [&from](const UdpPeer& host) { return same_host(host, from); };
  if (!hosts_.empty() && std::none_of(hosts_.begin(), hosts_.end(), is_sender)) {
    ++counts.other_peer;
    return std::nullopt;
  }
  if (!seal_ && !is_sealed(datagram)) return datagram;
  const std::size_t size = seal_ ? seal_->open(datagram, space) : 0;
  if (size == 0) {
    ++counts.key;
    return std::nullopt;
  }
  return std::span<const std::byte>(space).first(size);
}

LinkProof LinkGuard::proof_for(const UdpPeer& from) const noexcept {
  const Digest tag =
      secret_.tag({std::as_bytes(std::span(&sessions_, 1)), std::span(from.bytes).first(from.size)});
  LinkProof proof{};
  std::copy_n(tag.begin(), proof.size(), proof.begin());
  return proof;
}

std::size_t LinkGuard::sealed(Datagram& answer, std::size_t size) const noexcept {
  return seal_ ? seal_->close(answer, size) : size;
}

}  // namespace panto::live
