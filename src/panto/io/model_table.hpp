#pragma once
// Kinematic models as small TOML tables: one line per link and joint, for robots that ship with Panto and for
// people who write their own. The format: docs/formats/model_table.md.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// What a table may hold at most. Larger files are refused before memory is spent on them.
inline constexpr std::size_t kModelTableMaxBytes = std::size_t{2} << 20;
inline constexpr std::size_t kModelTableMaxLinks = 10'000;

/// The model in a file. Metres, radians, kilograms; rpy = Rz(y) Ry(p) Rx(r); inertias about the centre of
/// mass in link axes. Joints that [rest] does not name rest at zero, moved inside their limits.
/// @throws FormatError "path:line: ..." for anything else than the format (unknown keys and names, wrong
/// sizes, limits that leave nothing, links that make no tree), or when the file cannot be read.
[[nodiscard]] Model read_model_table(const std::string& path);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] Model read_model_table(std::string_view text, const std::string& name);

/// `model` as a table; reading it gives the same model (rotations and axes within 1e-15, all else to the
/// bit). Lines of `remarks` become comments at its head; `source` says where its facts come from.
/// @throws FormatError when a name is not UTF-8, which TOML cannot hold.
[[nodiscard]] std::string write_model_table(const Model& model, std::string_view source = {},
                                            const std::vector<std::string>& remarks = {});

/// The same, to a file that appears complete or not at all. @throws Error when it cannot be written.
void write_model_table_file(const Model& model, const std::string& path, std::string_view source = {},
                            const std::vector<std::string>& remarks = {});

}  // namespace panto::io
