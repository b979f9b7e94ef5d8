#pragma once
// One array of numbers or names as NumPy stores it (.npy). Facts: NumPy's npy format, versions 1 to 3.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

/// Size of the largest array that is read [bytes].
inline constexpr std::size_t kLargestNpy = std::size_t{1} << 30U;

/// The first bytes of a .npy file.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// Returns the shape that the header at the beginning of a .npy file states, unchecked; empty: none.
[[nodiscard]] std::vector<std::size_t> npy_shape(std::string_view head);

/// Content of a .npy header, its sizes checked against the bytes that follow.
struct NpyArray {
  std::string where;  // "take.npz: 'keypoints'", for messages
  std::string content;
  std::size_t data = 0;  // offset of the first element
  char kind = 0;         // f, i, u, b, U, S
  bool big_endian = false;
  std::size_t item = 0;  // bytes of an element
  bool fortran = false;
  std::vector<std::size_t> shape;
  std::size_t count = 1;

  /// Returns the stored position of an element with a C-ordered index.
  [[nodiscard]] std::size_t stored(std::size_t index) const {
    if (!fortran || shape.size() < 2) return index;
    std::size_t offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const std::size_t here = index % shape[axis];
      index /= shape[axis];
      std::size_t stride = 1;
      for (std::size_t before = 0; before < axis; ++before) stride *= shape[before];
      offset += here * stride;
    }
    return offset;
  }

  template <typename Number>
  [[nodiscard]] Number raw(std::size_t index) const {
    std::array<char, sizeof(Number)> bytes;
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(data + index * item), sizeof(Number),
                bytes.begin());
    if (big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Number>(bytes);
  }

  [[nodiscard]] bool is_number() const { return kind == 'f' || kind == 'i' || kind == 'u'; }
  [[nodiscard]] bool is_text() const { return kind == 'U' || kind == 'S'; }

  [[nodiscard]] double number(std::size_t index) const {
    index = stored(index);
    if (kind == 'f' && item == 8) return raw<double>(index);
    if (kind == 'f') return static_cast<double>(raw<float>(index));
    if (kind == 'i') {
      if (item == 8) return static_cast<double>(raw<std::int64_t>(index));
      if (item == 4) return static_cast<double>(raw<std::int32_t>(index));
      if (item == 2) return static_cast<double>(raw<std::int16_t>(index));
      return static_cast<double>(raw<std::int8_t>(index));
    }
    if (item == 8) return static_cast<double>(raw<std::uint64_t>(index));
    if (item == 4) return static_cast<double>(raw<std::uint32_t>(index));
    if (item == 2) return static_cast<double>(raw<std::uint16_t>(index));
    return static_cast<double>(raw<std::uint8_t>(index));
  }

  [[nodiscard]] std::string text(std::size_t index) const {
    std::string result;
    if (kind == 'S') {
      result = content.substr(data + index * item, item);
      return result.substr(0, result.find('\0'));
    }
    for (std::size_t i = 0; i < item / 4; ++i) {
      const auto code = raw_code(index, i);
      if (code == 0) break;
      append_utf8(code, result);
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint32_t raw_code(std::size_t index, std::size_t letter) const {
    std::array<char, 4> bytes;
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(data + index * item + 4 * letter), 4,
                bytes.begin());
    if (big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<std::uint32_t>(bytes);
  }

  static void append_utf8(std::uint32_t code, std::string& text) {
    if (code >= 0x110000 || (code >= 0xd800 && code < 0xe000)) code = '?';
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xc0U | code >> 6U);
      add(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
      add(0xe0U | code >> 12U);
      add(0x80U | (code >> 6U & 0x3fU));
      add(0x80U | (code & 0x3fU));
    } else {
      add(0xf0U | code >> 18U);
      add(0x80U | (code >> 12U & 0x3fU));
      add(0x80U | (code >> 6U & 0x3fU));
      add(0x80U | (code & 0x3fU));
    }
  }
};

/// Reads a header strictly. Messages call the array `where`. @throws FormatError "<where>: ...": another
/// format or version, Python objects, structured types, sizes that do not match the bytes.
[[nodiscard]] NpyArray read_npy(std::string content, std::string where);

}  // namespace panto::io
