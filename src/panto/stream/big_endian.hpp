#pragma once
// Numbers in network byte order, the most significant byte first.

#include <Eigen/Core>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace panto::stream {

/// Reads from the front. Callers compare sizes first, or ask `left`.
class BigEndianReader {
 public:
  explicit BigEndianReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <std::unsigned_integral Word>
  Word word() noexcept {
    Word value = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      value = static_cast<Word>((std::uint64_t{value} << 8U) | std::to_integer<std::uint64_t>(bytes_[i]));
    }
    bytes_ = bytes_.subspan(sizeof(Word));
    return value;
  }
  std::int32_t integer() noexcept { return std::bit_cast<std::int32_t>(word<std::uint32_t>()); }
  double number() noexcept { return static_cast<double>(std::bit_cast<float>(word<std::uint32_t>())); }
  template <int Size>
  Eigen::Matrix<double, Size, 1> numbers() noexcept {
    Eigen::Matrix<double, Size, 1> values;
    for (double& value : values) value = number();
    return values;
  }
  std::string_view letters(std::size_t count) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), count);
    bytes_ = bytes_.subspan(count);
    return text;
  }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

/// Appends to a datagram.
class BigEndianWriter {
 public:
  explicit BigEndianWriter(std::vector<std::byte>& datagram) noexcept : datagram_(&datagram) {}

  template <std::unsigned_integral Word>
  void word(Word value) {
    for (std::size_t i = sizeof(Word); i-- > 0;) {
      datagram_->push_back(static_cast<std::byte>((std::uint64_t{value} >> (8 * i)) & 0xffU));
    }
  }
  void number(double value) { word(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
  template <typename Vector>
  void numbers(const Vector& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) number(values[i]);
  }
  void letters(std::string_view text) {
    for (const char c : text) datagram_->push_back(static_cast<std::byte>(c));
  }

 private:
  std::vector<std::byte>* datagram_;
};

}  // namespace panto::stream
