#pragma once
// Small pieces of the URDF reader that know text and nothing of robots. Not for users.

#include <string>
#include <string_view>
#include <vector>

namespace panto::io::urdf {

/// The first 80 bytes, control characters replaced, never half a UTF-8 character.
[[nodiscard]] std::string clipped(std::string_view text);
/// The same in quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

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
