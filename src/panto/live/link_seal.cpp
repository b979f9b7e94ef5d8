#include "panto/live/link_seal.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "panto/base/error.hpp"

namespace panto::live {
namespace {

constexpr std::size_t kLongestKey = 4096;
constexpr std::byte kSealed{0x80};  // of the type

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// the tag is of all bytes but the checksum, which is written after it
std::array<std::byte, kLinkSealBytes> tag_of(const HmacSha256& key,
                                             std::span<const std::byte> content) noexcept {
  const Digest digest = key.tag({content.first(kLinkChecksumAt), content.subspan(kLinkHeaderBytes)});
  std::array<std::byte, kLinkSealBytes> tag{};
  std::copy_n(digest.begin(), tag.size(), tag.begin());
  return tag;
}

}  // namespace

std::string read_link_key(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string key(kLongestKey + 1, '\0');
  file.read(key.data(), static_cast<std::streamsize>(key.size()));
  if (file.bad() || !file.is_open()) throw Error("key of the robot link: " + path + " cannot be read");
  key.resize(static_cast<std::size_t>(file.gcount()));
  if (key.size() > kLongestKey)
    throw ConfigError("key of the robot link: " + path + " has more than 4096 bytes; is it the right file?");
  constexpr std::string_view kSpace = " \t\r\n";
  key.erase(std::min(key.find_last_not_of(kSpace) + 1, key.size()));
  key.erase(0, std::min(key.find_first_not_of(kSpace), key.size()));
  if (key.size() < kShortestLinkKey)
    throw ConfigError("key of the robot link: " + path + " has " + std::to_string(key.size()) +
                      " bytes, must have 16 or more; `openssl rand -hex 32` makes one");
  return key;
}

bool is_sealed(std::span<const std::byte> datagram) noexcept {
  return datagram.size() > kLinkTypeAt && (datagram[kLinkTypeAt] & kSealed) == kSealed;
}

LinkSeal::LinkSeal(std::string_view key) : key_(bytes_of(key)) {
  if (key.size() < kShortestLinkKey)
    throw ConfigError("robot link: the key has " + std::to_string(key.size()) +
                      " bytes, must have 16 or more");
}

std::size_t LinkSeal::close(Datagram& datagram, std::size_t size) const noexcept {
  datagram[kLinkTypeAt] |= kSealed;
  const std::span<std::byte> sealed = std::span(datagram).first(size + kLinkSealBytes);
  complete(sealed);
  const auto tag = tag_of(key_, sealed.first(size));
  std::copy(tag.begin(), tag.end(), sealed.begin() + static_cast<std::ptrdiff_t>(size));
  complete(sealed);
  return sealed.size();
}

std::size_t LinkSeal::open(std::span<const std::byte> sealed, Datagram& content) const noexcept {
  if (sealed.size() < kLinkHeaderBytes + kLinkSealBytes || sealed.size() > kLinkMaxBytes ||
      !is_sealed(sealed))
    return 0;
  const std::size_t size = sealed.size() - kLinkSealBytes;
  if (!same_bytes(tag_of(key_, sealed.first(size)), sealed.subspan(size))) return 0;
  std::copy_n(sealed.begin(), size, content.begin());
  content[kLinkTypeAt] &= ~kSealed;
  complete(std::span(content).first(size));
  return size;
}

}  // namespace panto::live
