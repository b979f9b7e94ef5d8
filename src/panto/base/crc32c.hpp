#pragma once
// Checksums that detect bytes that were damaged in transit: CRC-32C (Castagnoli, as in iSCSI and ext4), and
// CRC-32 (as in zip, PNG and MCAP).

#include <cstddef>
#include <cstdint>
#include <span>

namespace panto {

/// Return the checksum of `bytes`. To continue with more bytes, pass the last result as `before`.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

}  // namespace panto
