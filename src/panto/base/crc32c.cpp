#include "panto/base/crc32c.hpp"

#include <array>

namespace panto {
namespace {

// polynomials with their bits reversed
constexpr std::uint32_t kCastagnoli = 0x82F63B78U;  // 0x1EDC6F41
constexpr std::uint32_t kIeee = 0xEDB88320U;        // 0x04C11DB7

using Table = std::array<std::uint32_t, 256>;

constexpr Table make_table(std::uint32_t polynomial) {
  Table table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? polynomial : 0U);
    table[byte] = crc;
  }
  return table;
}

constexpr Table kCastagnoliTable = make_table(kCastagnoli), kIeeeTable = make_table(kIeee);

std::uint32_t checksum(const Table& table, std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes) {
    crc = (crc >> 8U) ^ table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xffU];
  }
  return ~crc;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return checksum(kCastagnoliTable, bytes, before);
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return checksum(kIeeeTable, bytes, before);
}

}  // namespace panto
