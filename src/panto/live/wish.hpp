#pragma once
// What somebody at the console, or at a page of the view, asks of a live run.

#include <cstddef>
#include <string>
#include <string_view>

namespace panto::live {

struct Wish {
  static constexpr std::size_t kLongest = 100;  ///< of a text [bytes]
  enum class Kind : unsigned char {
    Disarm,  ///< robots hold
    Arm,     ///< robots follow
    Align,   ///< the person looks ahead, at the origin, `Realignment`
    Mark,    ///< this instant is kept in log and recording
  };
  Kind kind = Kind::Disarm;
  std::string text = {};  ///< of a mark; may be empty
};

/// Returns the wish of a line of the console: "a" or "arm", "r" or "realign", "m" or "mark" with words behind
/// it. Every other line, an empty one too, disarms.
[[nodiscard]] Wish parse_wish(std::string_view line);

}  // namespace panto::live
