#pragma once
// Numbers to and from bytes in a byte order that the protocol states.

#include <Eigen/Core>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace panto::stream {

/// Reads from the front. A read beyond the end gives zeros, and `ok()` is false from then on.
template <std::endian Order>
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <std::unsigned_integral Word>
  [[nodiscard]] Word word() noexcept {
    const std::span<const std::byte> from = bytes(sizeof(Word));
    Word value = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t place = Order == std::endian::little ? i : sizeof(Word) - 1 - i;
      value = static_cast<Word>(value | static_cast<Word>(std::to_integer<Word>(from[i]) << (8 * place)));
    }
    return value;
  }
  [[nodiscard]] float real32() noexcept { return std::bit_cast<float>(word<std::uint32_t>()); }
  [[nodiscard]] double real64() noexcept { return std::bit_cast<double>(word<std::uint64_t>()); }
  template <int Size>
  [[nodiscard]] Eigen::Matrix<double, Size, 1> reals32() noexcept {
    Eigen::Matrix<double, Size, 1> values;
    for (double& value : values) value = static_cast<double>(real32());
    return values;
  }
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t count) noexcept {
    ok_ = ok_ && count <= bytes_.size();
    if (!ok_) return {};
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  [[nodiscard]] std::string_view letters(std::size_t count) noexcept {
    const auto taken = bytes(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

/// Appends to a datagram.
template <std::endian Order>
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) noexcept : out_(&out) {}

  template <std::unsigned_integral Word>
  void word(Word value) {
    out_->resize(out_->size() + sizeof(Word));
    put(out_->size() - sizeof(Word), value);
  }
  /// Writes over bytes that are already there.
  template <std::unsigned_integral Word>
  void put(std::size_t place, Word value) noexcept {
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      const std::size_t shift = 8 * (Order == std::endian::little ? i : sizeof(Word) - 1 - i);
      (*out_)[place + i] = static_cast<std::byte>((value >> shift) & 0xffU);
    }
  }
  void real32(double value) { word(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
  template <typename Vector>
  void reals32(const Vector& values) {
    for (const double value : values) real32(value);
  }
  void real64(double value) { word(std::bit_cast<std::uint64_t>(value)); }
  void bytes(std::span<const std::byte> from) { out_->insert(out_->end(), from.begin(), from.end()); }
  void letters(std::string_view text) { bytes(std::as_bytes(std::span(text.data(), text.size()))); }

 private:
  std::vector<std::byte>* out_;
};

}  // namespace panto::stream
