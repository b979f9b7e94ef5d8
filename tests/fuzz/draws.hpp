#pragma once
// Bytes as numbers, choices and pieces. What is missing is zero.

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace panto::fuzz {

class Draws {
 public:
  explicit Draws(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }

  std::uint64_t word(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && !bytes_.empty(); ++i) {
      value |= std::uint64_t{bytes_.front()} << (8 * i);
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }
  /// Returns 0 to count - 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(word(1)) % count; }
  bool flag() { return (word(1) & 1U) != 0; }

  /// Returns a number, mostly within `size`; sometimes any that there is.
  double number(double size) {
    const auto kind = static_cast<unsigned>(word(1));
    if (kind >= 250) return std::bit_cast<double>(word(8));
    if (kind >= 244) return size * std::pow(10.0, 5.0 * static_cast<double>(kind - 243));
    return size * (static_cast<double>(word(2)) / 32767.5 - 1.0);
  }

  /// Takes up to `size` bytes.
  Bytes take(std::size_t size) {
    const Bytes taken = bytes_.first(std::min(size, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  /// Takes a piece that `packed` has written.
  Bytes piece() {
    const auto size = static_cast<std::size_t>(word(2));
    return take(size);
  }
  Bytes rest() { return take(bytes_.size()); }

 private:
  Bytes bytes_;
};

/// Appends a piece of at most 65535 bytes.
inline void pack(std::string& packed, std::string_view piece) {
  packed += static_cast<char>(piece.size() & 0xffU);
  packed += static_cast<char>(piece.size() >> 8U & 0xffU);
  packed += piece;
}

}  // namespace panto::fuzz
