#pragma once
// Shared code of the text formats of raw sensors: rows of cells that belong to sensors. Internal.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/imu_formats.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/text_lines.hpp"

namespace panto::io {

/// Quantity of a column. An orientation is a quaternion (w, x, y, z) or a matrix, column by column.
enum class ImuQuantity : unsigned char { Gyro, Acc, Mag, Orientation, Matrix };
/// The quantities of a reading.
inline constexpr std::array<ImuQuantity, 4> kImuQuantities{ImuQuantity::Gyro, ImuQuantity::Acc,
                                                           ImuQuantity::Mag, ImuQuantity::Orientation};
/// Returns "gyro", "acc", "mag" or "orientation".
[[nodiscard]] const char* to_string(ImuQuantity quantity) noexcept;
/// Returns the count of numbers of a quantity: 3, 4 or 9.
[[nodiscard]] int numbers_of(ImuQuantity quantity) noexcept;

/// Returns the numbers of a quantity of a reading; Matrix is not allowed.
[[nodiscard]] double* values_of(ImuReading& reading, ImuQuantity quantity) noexcept;
[[nodiscard]] bool& flag_of(ImuReading& reading, ImuQuantity quantity) noexcept;

/// Relative tolerance for the norm of quaternions and matrices in files.
inline constexpr double kImuOrientationTolerance = 1e-2;

/// A unit of a quantity, as a header may name it.
struct ImuUnit {
  std::string_view name;
  double factor;  ///< to SI
};
/// Degrees per second and g, in radians per second and m/s^2.
inline constexpr double kDegreesPerSecond = 3.14159265358979323846 / 180.0, kStandardGravity = 9.80665;

/// Content of one column. `sensor` < 0: no sensor data.
struct ImuColumn {
  int sensor = -1;
  ImuQuantity quantity = ImuQuantity::Gyro;
  int axis = 0;  ///< index of the number
  double factor = 1.0;
};

/// Returns true when the first bytes of a .sto name only sensors.
[[nodiscard]] bool has_sensor_labels(std::string_view head);
/// Returns the index of a sensor's name in the clip; adds a new one. @throws FormatError beyond 1000.
[[nodiscard]] int sensor_index(ImuClip& clip, std::string_view name);

/// Parses rows.
class ImuRows {
 public:
  /// `labels`: column names of the header. `stamp`: index of the time column. The reader must outlive this
  /// object.
  /// @throws FormatError at the reader's line: no column of a sensor, a quantity with missing or duplicate
  /// axes.
  ImuRows(const LineReader& reader, std::vector<std::string> labels, std::vector<ImuColumn> columns,
          std::size_t stamp, char separator, ImuClip& clip);

  /// Appends the readings of the reader's line; returns the cell of the stamp. A vector with an empty cell is
  /// missing. A complete line without line end is left out and noted, because its last number may be
  /// truncated. @throws FormatError for a wrong number of cells, a cell that is not a number, NaN or larger
  /// than any sensor measures, or more readings than `kMostImuReadings`.
  [[nodiscard]] std::optional<std::string_view> add(std::string_view line);

 private:
  void check_columns() const;
  [[nodiscard]] double number(std::size_t column, std::string_view cell) const;
  void check_orientations(std::size_t first);

  const LineReader* reader_;
  std::vector<std::string> labels_;
  std::vector<ImuColumn> columns_;
  std::size_t stamp_;
  char separator_;
  ImuClip* clip_;
  std::vector<std::array<int, 5>> present_;      // by sensor: cells of each quantity in this row
  std::vector<std::array<double, 9>> matrices_;  // by sensor
};

/// Reads the next line that is neither empty nor a comment (#); false at the end.
[[nodiscard]] bool next_row(LineReader& reader, std::string_view& line);
/// Adds the stamp [s] of a new row. @throws FormatError when time does not increase.
void add_stamp(const LineReader& reader, std::string_view cell, ImuClip& clip);
/// Completes a clip after its last row. @throws FormatError when there are no rows.
void finish(const LineReader& reader, double declared_hz, ImuClip& clip);

}  // namespace panto::io
