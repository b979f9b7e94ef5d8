#pragma once
// What somebody at the console, or at a page of the view, asks of a live run.

#include <cstddef>
#include <string>
#include <string_view>

namespace panto::live {

struct Wish {
  static constexpr std::size_t kLongest = 100;  ///< of a text [bytes]
  enum class Kind : unsigned char {
    Disarm,     ///< robots hold
    Arm,        ///< robots follow
    Align,      ///< the person looks ahead, at the origin, `Realignment`
    Mark,       ///< this instant is kept in log and recording
    Calibrate,  ///< raw sensors are mounted as poses tell that are held next; robots hold
    Record,     ///< a recording begins, or the one that is written ends
  };
  Kind kind = Kind::Disarm;
  std::string text = {};  ///< of a mark, or poses, or a line that disarms; may be empty
};

/// Returns the wish of a line of the console: "a" or "arm", "r" or "realign", "m" or "mark" with words behind
/// it, "c" or "calibrate" with poses, "w" or "write". Every other line, an empty one too, disarms.
[[nodiscard]] Wish parse_wish(std::string_view line);

}  // namespace panto::live
