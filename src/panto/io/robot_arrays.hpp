#pragma once
// The arrays of a robot's motion in the layouts of other programs, as they stand in the file: nothing is
// understood yet (docs/formats/robot_motion.md). `tell_motion` does that.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/input.hpp"
#include "panto/motion/motion.hpp"

namespace panto::io {

/// Rows of numbers, one a frame.
struct FrameRows {
  std::size_t width = 0;  ///< numbers a frame; 0: the file has none
  std::vector<double> values;
  [[nodiscard]] const double* row(std::size_t frame) const { return &values[frame * width]; }
  [[nodiscard]] bool empty() const noexcept { return width == 0; }
};

/// What a file holds. Units and orders are those of the file.
struct RobotArrays {
  std::string name;    ///< of the file, for messages
  std::string layout;  ///< by its members or columns: "mjlab"; several have the same: the first
  bool xyzw = false, breadth_first = false;  ///< as the layout has quaternions, joints and bodies
  std::size_t frames = 0;
  std::optional<double> rate_hz;
  double usual_rate_hz = 0.0;  ///< that its readers expect; 0: any
  FrameRows place, turn;       ///< of the base; `turn` of width 4: quaternions, 3: rotation vectors or angles
  bool fixed_angles = false;   ///< turns of width 3 are angles about fixed x, y, z
  FrameRows joints, joint_rates;
  FrameRows body_places, body_turns, body_velocities, body_turn_rates;  ///< widths 3 B, 4 B, 3 B, 3 B
  bool local_bodies = false;                         ///< their places are those in the frame of the base
  std::vector<std::string> joint_names, body_names;  ///< empty: the file names none
  std::vector<LinkContacts> contacts;                ///< of Panto's own files; empty: none
  std::vector<std::string> notes;                    ///< decisions of the reader, for people

  /// Returns whether Panto wrote them, with names and units.
  [[nodiscard]] bool is_own() const { return layout == "panto"; }
};

/// Returns whether an input holds a robot's motion in a layout that `read_robot_arrays` knows: by the members
/// of an archive, by the head or the first row of a table, by the quaternions of a single array.
[[nodiscard]] bool is_robot_motion(Input& input);

/// Reads the arrays. @throws FormatError "name: ..." or "name:line: ..." for members that are missing, of
/// another shape or no numbers, rows of other widths, numbers that are not finite, no frames.
[[nodiscard]] RobotArrays read_robot_arrays(Input& input);

}  // namespace panto::io
