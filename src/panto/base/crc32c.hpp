#pragma once
// CRC-32C (Castagnoli, as in iSCSI and ext4): detects bytes that were damaged in transit.

#include <cstddef>
#include <cstdint>
#include <span>

namespace panto {

/// Returns the checksum of `bytes`. To continue with more bytes, pass the last result as `before`.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

}  // namespace panto
