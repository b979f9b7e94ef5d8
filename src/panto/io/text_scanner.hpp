#pragma once
// Blank-separated tokens of a text that somebody else wrote, with the line of each for messages.

#include <cstddef>
#include <string>
#include <string_view>

namespace panto::io {

/// Checks that nothing but a regular file is at `path`: a pipe would be waited for. @throws FormatError
/// "path: ...".
void check_regular_file(const std::string& path);

/// Whole content of a regular file, at most `max_bytes`. @throws FormatError "path: ..." when it cannot be
/// read, is no regular file or is larger.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t max_bytes);

/// The first bytes of a regular file, at most 4096: enough to tell formats apart. @throws FormatError
/// "path: ..." when it cannot be read or is no regular file.
[[nodiscard]] std::string read_head(const std::string& path);

/// Extension of a path, in lower case, with its dot; empty when it has none.
[[nodiscard]] std::string extension_of(const std::string& path);

/// Equal but for the case of ASCII letters, whatever the locale.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// Splits a text into tokens at blanks, tabs, CR, LF, form feeds and vertical tabs. `{` and `}` are always
/// tokens of their own. A leading UTF-8 byte order mark is skipped. Keeps a view: the text must outlive it.
class TextScanner {
 public:
  /// `name` stands for the text in messages: usually its path.
  TextScanner(std::string_view text, std::string name);

  /// The next token, which is consumed; empty at the end of the text.
  std::string_view next() noexcept;
  /// The next token, which stays; empty at the end.
  [[nodiscard]] std::string_view peek() noexcept;
  /// The next token, if it begins on the line of the last one; empty otherwise.
  [[nodiscard]] std::string_view peek_on_line() noexcept;

  /// The next token, when it is plainly a finite number with a blank behind it: then it is consumed and
  /// `value` is set. Empty, and nothing consumed, for everything else, good or bad. The fast lane of tables.
  std::string_view plain_number(double& value) noexcept;

  /// Next token as a finite number, '.' decimal, whatever the locale. `what` names it in messages.
  /// @throws FormatError
  double number(std::string_view what);
  /// A token as a finite number. @throws FormatError at the line of the last token.
  [[nodiscard]] double to_number(std::string_view token, std::string_view what) const;
  /// A token as a whole number within 0 .. max. @throws FormatError
  [[nodiscard]] long long to_count(std::string_view token, std::string_view what, long long max) const;

  /// Line of the last token, from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// True when the last token runs up to the very end of the text: it may have been cut.
  [[nodiscard]] bool touches_end() const noexcept { return position_ == text_.size(); }
  /// Bytes not yet consumed.
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
  std::size_t position_ = 0;  // just behind the last token
  std::size_t line_ = 1;
};

}  // namespace panto::io
