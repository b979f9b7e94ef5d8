#pragma once
// The seal of a robot link: both ends know a key and refuse datagrams without it
// (docs/formats/robot_link.md).

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "panto/live/robot_link.hpp"
#include "panto/live/sha256.hpp"

namespace panto::live {

inline constexpr std::size_t kShortestLinkKey = 16;  ///< [bytes]

/// Returns the key in a file: its bytes without spaces and line ends around them.
/// @throws Error when the file cannot be read; ConfigError for a key of less than 16 bytes or more than 4096.
[[nodiscard]] std::string read_link_key(const std::string& path);

/// Returns whether the datagram says that it is sealed.
[[nodiscard]] bool is_sealed(std::span<const std::byte> datagram) noexcept;

/// Seals datagrams and opens them: a tag at the end, HMAC-SHA-256 cut to 128 bits. Does not allocate.
class LinkSeal {
 public:
  /// @throws ConfigError for a key of less than 16 bytes.
  explicit LinkSeal(std::string_view key);

  /// Seals the first `size` bytes, at most kLinkMaxContent. Returns the new size [bytes].
  [[nodiscard]] std::size_t close(Datagram& datagram, std::size_t size) const noexcept;

  /// Writes the datagram as it was before it was sealed to `content`, and returns its size [bytes]; 0 for one
  /// that is not sealed by this key.
  [[nodiscard]] std::size_t open(std::span<const std::byte> sealed, Datagram& content) const noexcept;

 private:
  HmacSha256 key_;
};

}  // namespace panto::live
