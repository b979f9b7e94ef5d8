#pragma once
// Understands the header of a table of raw sensors that another program wrote. Internal.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/imu_table.hpp"

namespace panto::io {

/// What the columns of a table hold.
struct ImuHeader {
  char separator = ',';
  std::vector<std::string> labels;
  std::vector<std::string> sensors;  ///< named by their columns; an empty name: the file's
  std::vector<ImuColumn> columns;
  std::size_t time = 0;    ///< its column
  double time_unit = 0.0;  ///< [s]; 0: the header does not say
  /// By sensor: the header gives no unit for rates, for accelerations.
  std::vector<unsigned char> gyro_open, acc_open;
  std::size_t lines = 0;            ///< of the file, up to the last one of the header
  std::vector<std::string> unused;  ///< second sensors for a quantity that has one already
};

/// Finds the header in the first lines of a file: a column of time, and three axes of a gyroscope or an
/// accelerometer under any usual names and units, in one line or two; empty without one.
[[nodiscard]] std::optional<ImuHeader> find_imu_header(std::string_view head);

/// Returns the unit of a stamp whose header names none, from the step between two [s]; 0: no usual one.
[[nodiscard]] double unit_of_step(double step) noexcept;

}  // namespace panto::io
