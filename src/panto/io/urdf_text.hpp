#pragma once
// Text helpers of the readers of robots. Internal.

#include <string>
#include <string_view>
#include <vector>

namespace panto::io::urdf {

/// Returns the first 80 bytes with control characters replaced, never half a UTF-8 character.
[[nodiscard]] std::string clipped(std::string_view text);
/// The same in quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Returns the first words between blanks, at most `most`: by default more than an attribute of a URDF may
/// have.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text, std::size_t most = 5);

/// Collects decisions: one sentence per kind, with the first few items.
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
