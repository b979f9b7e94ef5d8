#pragma once
// Formats names, numbers and comments for the writers of our TOML files. Internal.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// Returns `text` as a TOML string in quotes; nothing when it is not UTF-8.
[[nodiscard]] std::optional<std::string> toml_string(std::string_view text);

/// Returns the shortest number that reads back to the bit; also `inf` and `-inf`.
[[nodiscard]] std::string toml_number(double value);

/// Returns "[1.000000000, ...]", rounded to 1e-9.
[[nodiscard]] std::string toml_numbers(const Eigen::VectorXd& v);
/// The same for a rotation's unit quaternion (w, x, y, z).
[[nodiscard]] std::string toml_wxyz(const Eigen::Matrix3d& R);

/// Returns "[[x, y, z, x, y, z, radius], ...]": both ends of each capsule, numbers to the bit.
[[nodiscard]] std::string toml_capsules(const std::vector<LinkCapsule>& capsules);

/// Returns true when a file's first bytes contain the line `kind = "<kind>"`, which identifies our TOML
/// files.
[[nodiscard]] bool has_kind(std::string_view head, std::string_view kind);

/// Returns `text` for a comment: one line of valid UTF-8, '?' for everything else.
[[nodiscard]] std::string toml_comment(std::string_view text);

}  // namespace panto::io
