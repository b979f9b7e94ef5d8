#pragma once
// What the text formats of raw sensors have in common: rows of cells that belong to sensors. Not for users.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/imu_formats.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/text_lines.hpp"

namespace panto::io {

/// What columns hold. An orientation comes as a quaternion (w, x, y, z) or as a matrix, column by column.
enum class ImuQuantity : unsigned char { Gyro, Acc, Mag, Orientation, Matrix };
/// What a reading has.
inline constexpr std::array<ImuQuantity, 4> kImuQuantities{ImuQuantity::Gyro, ImuQuantity::Acc,
                                                           ImuQuantity::Mag, ImuQuantity::Orientation};
/// "gyro", "acc", "mag", "orientation".
[[nodiscard]] const char* to_string(ImuQuantity quantity) noexcept;
/// Numbers of a quantity: 3, 4 or 9.
[[nodiscard]] int numbers_of(ImuQuantity quantity) noexcept;

/// The numbers of a quantity of a reading, which has no Matrix.
[[nodiscard]] double* values_of(ImuReading& reading, ImuQuantity quantity) noexcept;
[[nodiscard]] bool& flag_of(ImuReading& reading, ImuQuantity quantity) noexcept;

/// Quaternions and matrices of files may be off by so much of their norm.
inline constexpr double kImuOrientationTolerance = 1e-2;

/// A unit of a quantity, as a header may name it.
struct ImuUnit {
  std::string_view name;
  double factor;  ///< to SI
};
/// Degrees per second and g, in radians per second and m/s^2.
inline constexpr double kDegreesPerSecond = 3.14159265358979323846 / 180.0, kStandardGravity = 9.80665;

/// What one column holds. `sensor` < 0: nothing of a sensor.
struct ImuColumn {
  int sensor = -1;
  ImuQuantity quantity = ImuQuantity::Gyro;
  int axis = 0;  ///< which of its numbers
  double factor = 1.0;
};

/// Whether the first bytes of a .sto name sensors alone.
[[nodiscard]] bool has_sensor_labels(std::string_view head);
/// Index of a sensor's name in the clip, which it is added to when it is new.
[[nodiscard]] int sensor_index(ImuClip& clip, std::string_view name);

/// Takes rows apart.
class ImuRows {
 public:
  /// `labels`: what the header calls the columns. `stamp`: the column that tells when. The reader must
  /// outlive it.
  /// @throws FormatError at the reader's line: no column of a sensor, a quantity with some of its axes, one
  /// twice.
  ImuRows(const LineReader& reader, std::vector<std::string> labels, std::vector<ImuColumn> columns,
          std::size_t stamp, char separator, ImuClip& clip);

  /// Appends the readings of the reader's line; returns the cell of the stamp. A vector with an empty cell is
  /// missing. Nothing, with a note, for a whole line without an end: its last number may be cut. @throws
  /// FormatError: another number of cells, a cell that is no number, NaN or beyond any sensor, more readings
  /// than `kMostImuReadings`.
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

/// The next line that is neither empty nor a comment (#); false at the end.
[[nodiscard]] bool next_row(LineReader& reader, std::string_view& line);
/// Stamp [s] of a new row. @throws FormatError when time does not increase.
void add_stamp(const LineReader& reader, std::string_view cell, ImuClip& clip);
/// What must be known of a clip when its last row is read. @throws FormatError when there are none.
void finish(const LineReader& reader, double declared_hz, ImuClip& clip);

}  // namespace panto::io
