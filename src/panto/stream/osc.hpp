#pragma once
// Open Sound Control 1.0: messages and bundles from and to bytes (docs/formats/vmc.md). The reader allocates
// nothing; what it returns are views into the packet.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace panto::stream {

inline constexpr std::size_t kOscMaxDepth = 4;          ///< bundles within bundles
inline constexpr std::size_t kOscBundleHeadBytes = 16;  ///< "#bundle" and the time tag

/// One argument. Which of the values holds is told by `tag`.
struct OscArgument {
  char tag = 'N';                     ///< one of i f s h d b T F N I
  std::int64_t integer = 0;           ///< i, h; T: 1, F: 0
  double real = 0.0;                  ///< f, d
  std::string_view text{};            ///< s
  std::span<const std::byte> blob{};  ///< b

  [[nodiscard]] static OscArgument of(std::int32_t value) noexcept { return {.tag = 'i', .integer = value}; }
  [[nodiscard]] static OscArgument of(float value) noexcept { return {.tag = 'f', .real = value}; }
  [[nodiscard]] static OscArgument of(std::string_view value) noexcept { return {.tag = 's', .text = value}; }
};

/// A message whose arguments all lie within it: made by `OscReader`.
class OscMessage {
 public:
  [[nodiscard]] std::string_view address() const noexcept { return address_; }
  /// Tags that are left, without the comma.
  [[nodiscard]] std::string_view tags() const noexcept { return tags_; }
  /// Takes the next argument; false after the last.
  bool next(OscArgument& argument) noexcept;

 private:
  friend class OscReader;
  std::string_view address_, tags_;
  std::span<const std::byte> values_;
};

/// Goes through the messages of a packet, bundles opened, in their order.
class OscReader {
 public:
  explicit OscReader(std::span<const std::byte> packet) noexcept;

  /// Takes the next message. Returns false after the last, and where the packet is damaged.
  bool next(OscMessage& message) noexcept;
  /// True when sizes, texts or arguments go beyond their place, or bundles are nested too deep.
  [[nodiscard]] bool damaged() const noexcept { return damaged_; }
  /// Messages left out because of a type that is not in OSC 1.0, or without types.
  [[nodiscard]] int left_out() const noexcept { return left_out_; }

 private:
  enum class Read : std::uint8_t { Message, LeftOut, Damaged };
  bool open(std::span<const std::byte> bundle) noexcept;
  static Read read(std::span<const std::byte> element, OscMessage& message) noexcept;

  std::array<std::span<const std::byte>, kOscMaxDepth> open_{};  // what is left of each open bundle
  std::size_t depth_ = 0;
  std::span<const std::byte> single_;  // a packet that is one message
  bool damaged_ = false;
  int left_out_ = 0;
};

/// Returns true when the whole packet can be read: every message of it, or some left out.
[[nodiscard]] bool osc_is_whole(std::span<const std::byte> packet) noexcept;

/// Returns the bytes of a message; texts end at their first zero byte.
[[nodiscard]] std::vector<std::byte> osc_message(std::string_view address,
                                                 std::span<const OscArgument> arguments);

/// Returns an empty bundle. Time tag 1 means at once.
[[nodiscard]] std::vector<std::byte> osc_bundle(std::uint64_t time_tag = 1);

/// Appends a message or bundle to a bundle.
void osc_append(std::vector<std::byte>& bundle, std::span<const std::byte> element);

}  // namespace panto::stream
