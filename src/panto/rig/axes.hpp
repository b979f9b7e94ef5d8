#pragma once
// Axes of a file, how long a unit is and which side is left: from a body's geometry and motion alone.

#include <Eigen/Core>
#include <string>

#include "panto/rig/shape.hpp"

namespace panto::rig {

/// An axis of the file, its sign included.
struct FileAxis {
  int axis = 2;  ///< 0 = x, 1 = y, 2 = z
  bool negative = false;
};
[[nodiscard]] std::string to_string(FileAxis axis);

/// "x", "y", "z", "-x", "-y" or "-z". @throws ConfigError for anything else.
[[nodiscard]] FileAxis parse_file_axis(const std::string& text);

/// Axis of the file nearest to a direction.
[[nodiscard]] FileAxis nearest_axis(const Eigen::Vector3d& direction) noexcept;

/// File axes to world axes (z up) for a file with that axis up. Horizontal axes keep their cyclic order:
/// (z, x, y)_F for y, (y, z, x)_F for x. A negative axis is the positive one followed by half a turn about
/// x_W.
[[nodiscard]] Eigen::Matrix3d world_from_file(FileAxis up) noexcept;

struct UnitReading {
  double unit = 1.0;    ///< [m per file unit]
  std::string name;     ///< "centimetres"; empty where no usual unit makes an adult or child
  double height = 0.0;  ///< of the person in that unit, estimated from the bones [m]
  double confidence = 0.0;
};
/// Height of the person, estimated from legs and trunk [units].
[[nodiscard]] double stature(const Tree& tree, const Body& body);
/// `cmu_names`: the names are those of the CMU collection, which alone has a unit of its own; elsewhere a
/// child in inches is as likely.
[[nodiscard]] UnitReading read_unit(double stature, bool cmu_names);

/// Which side of the body is left.
struct SideReading {
  int left = 0;                                        ///< side of `Body` that is left
  double confidence = 0.0;                             ///< 0: a coin's; 1: certain
  std::string reason;                                  ///< what decided, with numbers
  Eigen::Vector3d forward = Eigen::Vector3d::UnitX();  ///< mean direction that the person faces, file axes
};
[[nodiscard]] SideReading read_sides(const Tree& tree, const Body& body);

}  // namespace panto::rig
