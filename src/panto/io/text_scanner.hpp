#pragma once
// Scans blank-separated tokens of foreign text, with the line of each for messages.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace panto::io {

/// Checks that `path` is a regular file: a pipe would block. @throws FormatError "path: ...".
void check_regular_file(const std::string& path);

/// Returns the whole content of a regular file, at most `max_bytes`. @throws FormatError "path: ..." when it
/// cannot be read, is not a regular file or is larger.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t max_bytes);

/// Returns the first bytes of a regular file, at most 4096: enough to identify the format. @throws
/// FormatError "path: ..." when it cannot be read or is not a regular file.
[[nodiscard]] std::string read_head(const std::string& path);

/// Returns whether a path lies in a folder or below it when symbolic links are followed; false when that
/// cannot be told.
[[nodiscard]] bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Returns the extension of a path in lower case, with its dot; empty when it has none.
[[nodiscard]] std::string extension_of(const std::string& path);

/// Compares texts ignoring the case of ASCII letters, independent of the locale.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// Splits a text into tokens at blanks, tabs, CR, LF, form feeds and vertical tabs. `{` and `}` are always
/// separate tokens. A leading UTF-8 byte order mark is skipped. Keeps a view: the text must outlive this
/// object.
class TextScanner {
 public:
  /// Messages call the text `name`, usually its path.
  TextScanner(std::string_view text, std::string name);

  /// Consumes and returns the next token; empty at the end of the text.
  std::string_view next() noexcept;
  /// Returns the next token without consuming it; empty at the end.
  [[nodiscard]] std::string_view peek() noexcept;
  /// Returns the next token if it begins on the line of the last one; else empty.
  [[nodiscard]] std::string_view peek_on_line() noexcept;

  /// Fast path of tables: if the next token is a simple finite number followed by a blank, consumes it, sets
  /// `value` and returns it. For everything else, valid or not, returns empty and consumes nothing.
  std::string_view plain_number(double& value) noexcept;

  /// Reads the next token as a finite number with a decimal point, independent of the locale. `what` names it
  /// in messages.
  /// @throws FormatError
  double number(std::string_view what);
  /// Parses a token as a finite number. @throws FormatError at the line of the last token.
  [[nodiscard]] double to_number(std::string_view token, std::string_view what) const;
  /// Parses a token as a whole number within 0 .. max. @throws FormatError
  [[nodiscard]] long long to_count(std::string_view token, std::string_view what, long long max) const;

  /// Returns the line of the last token, from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// Returns true when the last token reaches the end of the text: it may be truncated.
  [[nodiscard]] bool touches_end() const noexcept { return position_ == text_.size(); }
  /// Returns the number of bytes not yet consumed.
  [[nodiscard]] std::size_t bytes_left() const noexcept { return text_.size() - position_; }

  /// @throws FormatError "name:line: message" with the line of the last token.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  struct Place {
    std::size_t begin = 0, end = 0, line = 1;
  };
  [[nodiscard]] Place find_next() const noexcept;
  [[nodiscard]] Place skip_blanks() const noexcept;

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0;  // just after the last token
  std::size_t line_ = 1;
};

}  // namespace panto::io
