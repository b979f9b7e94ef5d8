#pragma once
// Small pieces of the URDF reader that know text and nothing of robots. Not for users.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::io::urdf {

/// The first 80 bytes in quotes, control characters replaced, never half a UTF-8 character.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// True for well-formed UTF-8 (overlong forms of three and four bytes pass).
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The whole of `token` as a decimal number, whatever the locale. Too small for a double: 0; too large:
/// infinity.
[[nodiscard]] std::optional<double> to_number(std::string_view token) noexcept;

/// Words between blanks; at most five, which is more than any attribute of ours may have.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

/// Decisions for people: one sentence per kind, with the first few items it was taken for.
class Remarks {
 public:
  void add(const std::string& kind, std::string_view item);
  /// Appends "name: kind: 'item', 'item' and 7 more".
  void write(const std::string& name, std::vector<std::string>& notes) const;

 private:
  struct Kind {
    std::string sentence, items;
    int count;
  };
  std::vector<Kind> kinds_;
};

}  // namespace panto::io::urdf
