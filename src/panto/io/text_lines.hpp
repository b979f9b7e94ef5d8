#pragma once
// Tables of numbers as text, for readers and writers: numbered lines, and numbers independent of the locale.

#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/time.hpp"

namespace panto::io {

/// Reads lines of a text file with LF or CRLF line ends, with or without a byte order mark.
class LineReader {
 public:
  /// Longest line that is read [bytes]; a longer one is not from a table of numbers.
  static constexpr std::size_t kLongestLine = 4U << 20U;

  /// @throws FormatError when the file cannot be opened.
  explicit LineReader(const std::string& path);
  /// Reads a stream that must outlive the reader; messages call it `name`.
  LineReader(std::istream& stream, const std::string& name);

  /// Returns the next line without its line end; valid until the next call. False at the end of the file.
  /// @throws FormatError for a line that is too long, when reading fails, for UTF-16, and for lines that end
  /// with carriage returns only.
  [[nodiscard]] bool next(std::string_view& line);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Returns the number of the last line, from 1; 0 before the first.
  [[nodiscard]] long number() const noexcept { return number_; }
  /// Returns true when the last line ended with a line feed; truncated files often do not.
  [[nodiscard]] bool terminated() const noexcept { return terminated_; }

  /// Returns the error "path:line: problem".
  [[nodiscard]] FormatError error(std::string_view problem) const;

 private:
  std::string path_;
  std::unique_ptr<std::istream> file_;  // if the reader opened it
  std::istream* stream_;
  std::string buffer_, line_;
  std::size_t used_ = 0;  // bytes of the buffer already returned
  long number_ = 0;
  bool terminated_ = true;
};

/// Most columns, or points, of a table of a motion: a longer header is no motion, and names cost more than
/// cells.
inline constexpr std::size_t kMostNames = 10'000;

/// Returns a hint for a message about a cell that is not a number, if a comma explains it.
[[nodiscard]] std::string comma_hint(std::string_view cell);

/// Returns `text` without blanks, tabs and carriage returns at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Returns the cells of a line, trimmed and without enclosing quotes.
[[nodiscard]] std::vector<std::string_view> split_cells(std::string_view line, char separator = ',');

/// Returns text for an XML element or attribute: escapes markup and writes control characters as references,
/// because parsers turn raw ones into blanks.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Returns a piece of a file for a message: at most 40 characters, control characters as '?'.
[[nodiscard]] std::string in_quotes(std::string_view piece);

/// Parses a whole token as a number; accepts "nan" and "inf" in any case and a leading '+'. Beyond the range
/// of double: +-infinity or 0, the nearest double.
[[nodiscard]] std::optional<double> parse_number(std::string_view token) noexcept;

/// Parses seconds as a stamp: exact to the nanosecond for plain decimals, rounded otherwise. Returns nothing
/// beyond +-292 years.
[[nodiscard]] std::optional<Time> parse_seconds(std::string_view token) noexcept;

/// Appends the shortest text that reads back as the same double; -0 becomes 0.
void append_number(double value, std::string& text);

/// Appends a stamp in seconds, exact: "0", "0.004166667", "-1.5".
void append_seconds(Time t, std::string& text);

}  // namespace panto::io
