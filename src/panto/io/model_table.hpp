#pragma once
// Reads and writes kinematic models as small TOML tables: one line per link and joint, for shipped robots and
// people's own. The format: docs/formats/model_table.md.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// Size limits of a table. Larger files are refused before memory is allocated.
inline constexpr std::size_t kModelTableMaxBytes = std::size_t{2} << 20;
inline constexpr std::size_t kModelTableMaxLinks = 10'000;

/// Reads the model of a table, which messages call `name`. Metres, radians, kilograms; rpy = Rz(y) Ry(p)
/// Rx(r); inertias about the centre of mass in link axes. The rest pose of joints missing in [rest] is zero,
/// moved inside their limits.
/// @throws FormatError "name:line: ..." for a wrong format (unknown keys and names, wrong sizes, limits
/// without a value between them, links that do not form a tree).
[[nodiscard]] Model read_model_table(std::string_view text, const std::string& name);

/// Returns `model` as a table; reading it gives the same model (rotations and axes within 1e-15, everything
/// else to the bit). Lines of `remarks` become comments at its head; `source` names the source of its facts.
/// @throws FormatError when a name is not UTF-8, which TOML requires.
[[nodiscard]] std::string write_model_table(const Model& model, std::string_view source = {},
                                            const std::vector<std::string>& remarks = {});

}  // namespace panto::io
