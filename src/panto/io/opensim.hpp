#pragma once
// OpenSim's text tables: .mot and .sto.
//
// `create_opensim` writes a header that ends with `endheader`, one line of labels separated by tabs, one line
// per state. AngleConvention::Model: time, pelvis_tilt, pelvis_list, pelvis_rotation (the base's body-fixed
// Z-X-Y angles), pelvis_tx, pelvis_ty, pelvis_tz [m], then the model's joints by name. Angles are in degrees
// (`inDegrees=yes`), prismatic joints in metres. OpenSim's ground has X forward, Y up, Z right; the base's
// axes are turned likewise, so a base at the origin pose has three zeros. AngleConvention::Isb: time, then
// <joint>_x, _y, _z of the 22 ISB joints.
//
// Angles are continuous: pelvis and ISB angles stay on the Euler branch nearest to the state before, joints
// without limits are unwrapped. A joint with limits is written unchanged: a whole turn would exceed them.

#include <Eigen/Core>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/time.hpp"
#include "panto/io/state_file.hpp"

namespace panto::io {

/// The rotation from our world W (x forward, y left, z up) to OpenSim's ground O (X forward, Y up, Z right).
[[nodiscard]] const Eigen::Matrix3d& R_OW() noexcept;

/// Returns the labels of a model's columns: the base's six, then the joints. @throws ConfigError for a joint
/// whose name has blanks or is that of another column.
[[nodiscard]] std::vector<std::string> opensim_labels(const Model& model);

/// An OpenSim table as stored in its file: .mot and .sto, versions 1 to 3, and SIMM's older .mot header.
struct OpenSimTable {
  std::string path;
  std::string name;                                         ///< first line of the header, if it is a name
  std::vector<std::pair<std::string, std::string>> header;  ///< key=value lines in order, as written
  std::vector<std::string> comments;                        ///< other lines of the header
  int version = 1;
  std::optional<bool> in_degrees;      ///< as declared; may be wrong, see `notes`. Rotations only
  std::optional<double> data_rate_hz;  ///< DataRate, if given
  std::string data_type = "double";    ///< DataType
  int components = 1;                  ///< numbers per cell: 4 (w, x, y, z) for Quaternion
  std::vector<std::string> labels;     ///< without time
  std::vector<double> time;            ///< [s], finite
  std::vector<long> lines;             ///< line numbers of the rows, from 1
  std::vector<double> values;          ///< row by row, label by label, component by component; may be NaN
  std::vector<std::string> notes;      ///< oddities and how they were read, one sentence each
  bool incomplete = false;             ///< declared rows are missing, or the last line is truncated

  [[nodiscard]] std::size_t rows() const noexcept { return time.size(); }
  /// Returns the numbers of one cell.
  [[nodiscard]] std::span<const double> cell(std::size_t row, std::size_t column) const;
  /// Returns the times as stamps. @throws FormatError "path:line: ..." when they are out of range or do not
  /// increase.
  [[nodiscard]] std::vector<Time> stamps() const;
  /// Returns the error "path:line: problem" of a row.
  [[nodiscard]] FormatError error(std::size_t row, const std::string& problem) const;
  /// Returns the position of a label.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view label) const noexcept;
  /// Returns the value of the first header line with this key.
  [[nodiscard]] std::optional<std::string_view> find_header(std::string_view key) const noexcept;
};

/// Reads a table whole. Tabs, blanks or both may separate cells. The header's counts of rows and columns are
/// checked, never trusted. The bytes present bound the memory.
/// @throws FormatError ("path:line: ..."): no `endheader`, unknown DataType, first label not time, a cell
/// that is not a number, a row with too few or too many cells.
[[nodiscard]] OpenSimTable read_opensim_table(const std::string& path);
/// The same for a stream; messages call it `name`.
[[nodiscard]] OpenSimTable read_opensim_table(std::istream& stream, const std::string& name);

}  // namespace panto::io
