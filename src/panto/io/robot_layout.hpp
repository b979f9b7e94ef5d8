#pragma once
// Files of robots' motion as programs of others read them: one row of a table each (docs/formats/layouts.md).

#include <string>
#include <string_view>
#include <vector>

#include "panto/io/state_file.hpp"

namespace panto::io {

/// What a member of an archive, or a group of columns of a text, holds. T frames, J joints, B bodies: the
/// root link and the child of every movable joint.
enum class LayoutPart : unsigned char {
  Rate,            ///< one number [Hz]
  RateList,        ///< the same as a list of one
  JointNames,      ///< (J,)
  BodyNames,       ///< (B,)
  Description,     ///< a JSON text: source, model, rate, names
  FrameNumber,     ///< from 0
  BasePlace,       ///< (T, 3) [m]
  BaseTurn,        ///< (T, 4)
  BaseAngles,      ///< (T, 3) about fixed x, then y, then z
  Joints,          ///< (T, J) [rad] or [m]
  JointRates,      ///< (T, J)
  Pose,            ///< (T, 7 + J): MuJoCo's qpos
  PoseRates,       ///< (T, 6 + J): MuJoCo's qvel, the base's turn in its own axes
  BodyPlaces,      ///< (T, B, 3) of origins [m]
  BodyTurns,       ///< (T, B, 4)
  BodyVelocities,  ///< (T, B, 3) of origins [m/s]
  MassVelocities,  ///< (T, B, 3) of centres of mass
  BodyTurnRates,   ///< (T, B, 3) [rad/s], world axes
};

struct LayoutMember {
  std::string_view
      name;  ///< in an archive; in a text with a head, how its columns begin, those of joints end
  LayoutPart part;
};

/// A file that a program reads.
struct RobotLayout {
  std::string_view name;       ///< "mjlab"
  std::string_view reader;     ///< what reads it, for people
  std::string_view extension;  ///< ".npz" or ".csv"
  double rate_hz;              ///< that its reader expects; 0: any
  bool breadth_first = false;  ///< joints and bodies level by level (Isaac); else branch by branch (MuJoCo)
  bool xyzw = false;           ///< order of quaternions; else w x y z
  bool world = false;          ///< bodies begin with the world
  bool single = true;          ///< numbers of 4 bytes; texts: no meaning
  bool head = false;           ///< of texts: a line of names
  bool centimetres_degrees = false;  ///< else metres and radians
  std::vector<LayoutMember> members;
};

/// Returns all layouts.
[[nodiscard]] const std::vector<RobotLayout>& robot_layouts();
/// Returns the layout of that name. @throws ConfigError with the names of all.
[[nodiscard]] const RobotLayout& robot_layout(std::string_view name);
/// @throws ConfigError for an unknown layout, and for a path without that layout's extension.
void check_layout_name(const std::string& path, std::string_view layout);

/// Returns the bytes of a motion of `model` in a layout. `rate_hz`: of its frames.
[[nodiscard]] std::string layout_bytes(const Motion& motion, const Model& model, const RobotLayout& layout,
                                       double rate_hz);

/// Creates a file of `options.layout`. Keeps the motion in memory, resamples it to `options.resample_hz` (0:
/// the rate that the reader expects) and derives its velocities at `close()`. @throws ConfigError for another
/// extension, deviations, ISB angles.
[[nodiscard]] std::unique_ptr<StateFile> create_layout_file(const Destination& to, const Model& model,
                                                            const StateFileOptions& options);

}  // namespace panto::io
