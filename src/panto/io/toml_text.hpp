#pragma once
// Names and remarks as TOML holds them, for the writers of our own TOML files. Not for users.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace panto::io {

/// `text` as a TOML string, in quotes; nothing when it is not UTF-8.
[[nodiscard]] std::optional<std::string> toml_string(std::string_view text);

/// The shortest number that reads back to the bit; `inf` and `-inf` too.
[[nodiscard]] std::string toml_number(double value);

/// "[1.000000000, ...]", rounded to 1e-9.
[[nodiscard]] std::string toml_numbers(const Eigen::VectorXd& v);
/// The same of a rotation's unit quaternion (w, x, y, z).
[[nodiscard]] std::string toml_wxyz(const Eigen::Matrix3d& R);

/// True when a file's first bytes hold the line `kind = "<kind>"`, by which our TOML files are told apart.
[[nodiscard]] bool has_kind(std::string_view head, std::string_view kind);

/// `text` fit for a comment: one line, valid UTF-8, '?' for what is neither.
[[nodiscard]] std::string toml_comment(std::string_view text);

}  // namespace panto::io
