#pragma once
// Motions as comma-separated tables.
//
// One header line with names and units, then one line per state, numbers in the shortest form that reads back
// as the same double:
//
//   time_s,base_x_m,base_y_m,base_z_m,base_qw,base_qx,base_qy,base_qz,<joint>_rad,...
//
// World axes: z up, x forward, y left. The quaternion (w, x, y, z), w >= 0, is the base's orientation in the
// world; prismatic joints are `<joint>_m`. A joint name with a comma or a quote is quoted (RFC 4180). With
// AngleConvention::Isb the columns are time_s and <joint>_x_deg, _y_deg, _z_deg of the 22 ISB joints:
// principal angles, as MVN reports them; such a table cannot be read back, because it lacks the base.

#include <istream>
#include <string>
#include <vector>

#include "panto/io/state_file.hpp"
#include "panto/motion/motion.hpp"

namespace panto::io {

/// Reads what `create_csv` writes for AngleConvention::Model. The table has no velocities; they are set to
/// zero; `rate_hz` follows from the stamps (0 for fewer than two states). Quaternions within 1e-3 of unit
/// length are normalised. @throws FormatError ("path:line: ...") for any other format: other columns, text,
/// missing or non-finite cells, stamps that do not increase. With `notes`, an incomplete last line without
/// line end is left out and noted.
[[nodiscard]] Motion read_csv_motion(const std::string& path, const Model& model,
                                     std::vector<std::string>* notes = nullptr);
/// The same for a stream; messages call it `name`.
[[nodiscard]] Motion read_csv_motion(std::istream& stream, const std::string& name, const Model& model,
                                     std::vector<std::string>* notes = nullptr);

}  // namespace panto::io
