#pragma once
// File axes, unit of length and left side, found from a body's geometry and motion alone.

#include <Eigen/Core>
#include <string>

#include "panto/rig/shape.hpp"

namespace panto::rig {

/// A signed axis of the file.
struct FileAxis {
  int axis = 2;  ///< 0 = x, 1 = y, 2 = z
  bool negative = false;
};
[[nodiscard]] std::string to_string(FileAxis axis);

/// Parses "x", "y", "z", "-x", "-y" or "-z". @throws ConfigError for anything else.
[[nodiscard]] FileAxis parse_file_axis(const std::string& text);

/// Returns the file axis nearest to a direction.
[[nodiscard]] FileAxis nearest_axis(const Eigen::Vector3d& direction) noexcept;

/// Returns the rotation from file axes to world axes (z up) for the given up axis. Horizontal axes keep their
/// cyclic order: (z, x, y)_F for y up, (y, z, x)_F for x up. For a negative axis, half a turn about x_W
/// follows.
[[nodiscard]] Eigen::Matrix3d world_from_file(FileAxis up) noexcept;

struct UnitReading {
  double unit = 1.0;    ///< [m per file unit]
  std::string name;     ///< "centimetres"; empty if no usual unit is likely
  double height = 0.0;  ///< body height in that unit, estimated from the bones [m]
  double confidence = 0.0;
};
/// Estimates the body height from legs and trunk [file units].
[[nodiscard]] double stature(const Tree& tree, const Body& body);
/// Finds the unit of length from the body height in file units. `cmu_names`: the names are those of the CMU
/// collection, which has a unit of its own; in other files a child in inches is as likely.
[[nodiscard]] UnitReading read_unit(double stature, bool cmu_names);

/// Which side of the body is left.
struct SideReading {
  int left = 0;                                        ///< index of the side in `Body` that is left
  double confidence = 0.0;                             ///< 0: no evidence; 1: certain
  std::string reason;                                  ///< the evidence, with numbers
  Eigen::Vector3d forward = Eigen::Vector3d::UnitX();  ///< mean facing direction, file axes
};
[[nodiscard]] SideReading read_sides(const Tree& tree, const Body& body);

}  // namespace panto::rig
