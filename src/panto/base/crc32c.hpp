#pragma once
// CRC-32C (Castagnoli, as in iSCSI and ext4): tells bytes that were damaged on their way.

#include <cstddef>
#include <cstdint>
#include <span>

namespace panto {

/// Of `bytes`; to go on with more of them, give what came out as `before`.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

}  // namespace panto
