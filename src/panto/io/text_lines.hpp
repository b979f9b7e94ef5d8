#pragma once
// Tables of numbers as text, for readers and writers alike: lines with their numbers, and numbers without a
// locale.

#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/time.hpp"

namespace panto::io {

/// Lines of a text file, whatever their ends (LF or CRLF) and with or without a byte order mark.
class LineReader {
 public:
  /// Longest line that is read [bytes]; a longer one means that this is no table of numbers.
  static constexpr std::size_t kLongestLine = 4U << 20U;

  /// @throws FormatError when the file cannot be opened.
  explicit LineReader(const std::string& path);
  /// From a stream that must outlive the reader; `name` stands for the path in messages.
  LineReader(std::istream& stream, const std::string& name);

  /// The next line, without its end; valid until the next call. False at the end of the file.
  /// @throws FormatError for a line that is too long, when reading fails, for UTF-16, and for lines that end
  /// in carriage returns alone.
  [[nodiscard]] bool next(std::string_view& line);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Number of the last line, from 1; 0 before the first.
  [[nodiscard]] long number() const noexcept { return number_; }
  /// Did the last line end with a line feed? A file that was cut short often does not.
  [[nodiscard]] bool terminated() const noexcept { return terminated_; }

  /// "path:line: problem".
  [[nodiscard]] FormatError error(std::string_view problem) const;

 private:
  std::string path_;
  std::unique_ptr<std::istream> file_;  // where the reader opened it
  std::istream* stream_;
  std::string buffer_, line_;
  std::size_t used_ = 0;  // bytes of the buffer already handed out
  long number_ = 0;
  bool terminated_ = true;
};

/// What to add to a message about a cell that is no number, where a comma in it explains that.
[[nodiscard]] std::string comma_hint(std::string_view cell);

/// `text` without blanks, tabs and carriage returns at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// The cells of a line, trimmed, and without the quotes that enclose one.
[[nodiscard]] std::vector<std::string_view> split_cells(std::string_view line, char separator = ',');

/// Text of an XML element or attribute: markup escaped, control characters as references, since parsers turn
/// raw ones into blanks.
[[nodiscard]] std::string xml_text(std::string_view text);

/// A piece of a file fit for a message: at most 40 characters, control characters shown as '?'.
[[nodiscard]] std::string in_quotes(std::string_view piece);

/// A whole token as a number; "nan" and "inf" in any case are numbers here, a leading '+' is allowed. Beyond
/// double's range: +-infinity or 0, as the nearest double.
[[nodiscard]] std::optional<double> parse_number(std::string_view token) noexcept;

/// Seconds as a stamp: exact to the nanosecond for plain decimals, rounded otherwise. Nothing beyond +-292
/// years.
[[nodiscard]] std::optional<Time> parse_seconds(std::string_view token) noexcept;

/// Appends the shortest text that reads back as the same double; -0 as 0.
void append_number(double value, std::string& text);

/// Appends a stamp in seconds, exact: "0", "0.004166667", "-1.5".
void append_seconds(Time t, std::string& text);

}  // namespace panto::io
