#pragma once
// SHA-256 (FIPS 180-4), and tags of it under a key: HMAC (RFC 2104). They tell forged bytes from genuine
// ones, where a checksum only finds damage.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace panto::live {

using Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes) noexcept;
  /// Returns the digest of all bytes added. Add no more after it.
  [[nodiscard]] Digest digest() noexcept;

 private:
  void take_block(const std::byte* block) noexcept;

  std::array<std::uint32_t, 8> state_{0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                      0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<std::byte, 64> block_{};
  std::uint64_t size_ = 0;  // [bytes]
};

/// Tags of one key. Does not allocate; keeps no copy of the key, but what gives the same tags.
class HmacSha256 {
 public:
  explicit HmacSha256(std::span<const std::byte> key) noexcept;
  /// Returns the tag of the parts, one behind the other.
  [[nodiscard]] Digest tag(std::initializer_list<std::span<const std::byte>> parts) const noexcept;

 private:
  Sha256 inner_, outer_;
};

/// Compares in a time that does not tell where they differ.
[[nodiscard]] bool same_bytes(std::span<const std::byte> one, std::span<const std::byte> other) noexcept;

}  // namespace panto::live
