#include "panto/base/crc32c.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace {

using panto::crc32c;

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs
TEST(Crc32c, GivesThePublishedValues) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0})), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0xff})), 0x62A8AB43U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, GoesOnWhereItStopped) {
  const auto whole = bytes_of("first and second");
  EXPECT_EQ(crc32c(bytes_of(" and second"), crc32c(bytes_of("first"))), crc32c(whole));
}

TEST(Crc32c, NoticesEverySingleBitThatFlips) {
  auto bytes = bytes_of("a datagram of moderate length");
  const auto right = crc32c(bytes);
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    bytes[i / 8] ^= std::byte{1} << (i % 8);
    EXPECT_NE(crc32c(bytes), right);
    bytes[i / 8] ^= std::byte{1} << (i % 8);
  }
}

}  // namespace
