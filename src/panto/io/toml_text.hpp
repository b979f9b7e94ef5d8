#pragma once
// Names and remarks as TOML holds them, for the writers of our own TOML files. Not for users.

#include <optional>
#include <string>
#include <string_view>

namespace panto::io {

/// `text` as a TOML string, in quotes; nothing when it is not UTF-8.
[[nodiscard]] std::optional<std::string> toml_string(std::string_view text);

/// The shortest number that reads back to the bit; `inf` and `-inf` too.
[[nodiscard]] std::string toml_number(double value);

/// `text` fit for a comment: one line, valid UTF-8, '?' for what is neither.
[[nodiscard]] std::string toml_comment(std::string_view text);

}  // namespace panto::io
