#include "panto/live/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using panto::live::Digest;
using panto::live::HmacSha256;
using panto::live::Sha256;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::byte byte : digest) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte >> 4)];
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return text;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(bytes_of(text));
  return hex(hash.digest());
}

// FIPS 180-4, examples of NIST
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsTheSameHoweverTheBytesAreCut) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text.push_back(static_cast<char>(7 * i));
    const std::string whole = sha256(text);
    for (const std::size_t cut : {text.size() / 3, text.size() / 2, text.size() - 1}) {
      Sha256 hash;
      hash.add(bytes_of(text).first(cut));
      hash.add(bytes_of(text).subspan(cut));
      ASSERT_EQ(hex(hash.digest()), whole) << i << ", " << cut;
    }
  }
}

// RFC 4231, cases 1, 2, 6 and 7: a short key, a key of words, and keys longer than a block
TEST(HmacSha256, GivesThePublishedTags) {
  const auto tag = [](std::string_view key, std::string_view text) {
    return hex(HmacSha256(bytes_of(key)).tag({bytes_of(text)}));
  };
  EXPECT_EQ(tag(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(tag("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(tag(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(
      tag(std::string(131, '\xaa'),
          "This is a test using a larger than block-size key and a larger than block-size data. The key "
          "needs to be hashed before being used by the HMAC algorithm."),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(HmacSha256, TakesTextInParts) {
  const HmacSha256 key(bytes_of("a key of sixteen"));
  EXPECT_EQ(hex(key.tag({bytes_of("one"), {}, bytes_of("two")})), hex(key.tag({bytes_of("onetwo")})));
}

TEST(SameBytes, FindsEveryDifference) {
  EXPECT_TRUE(panto::live::same_bytes(bytes_of("secret"), bytes_of("secret")));
  EXPECT_TRUE(panto::live::same_bytes({}, {}));
  for (const std::string_view other : {"Secret", "secreT", "secre", "secrets", ""})
    EXPECT_FALSE(panto::live::same_bytes(bytes_of("secret"), bytes_of(other))) << other;
}

}  // namespace
