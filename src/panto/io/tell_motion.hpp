#pragma once
// Tells how the arrays of a robot's motion are meant: every way to read them is scored by how well limits,
// forward kinematics, floor and gravity explain it (docs/formats/robot_motion.md).

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/robot_arrays.hpp"
#include "panto/model/model.hpp"
#include "panto/motion/motion.hpp"

namespace panto::io {

/// A robot that a file may be of.
struct MotionRobot {
  struct Foot {
    int link = 0;
    Eigen::Vector3d heel = Eigen::Vector3d::Zero(), ball = Eigen::Vector3d::Zero();  ///< in its frame [m]
  };
  std::string name;  ///< for people
  const Model* model = nullptr;
  std::vector<Foot> feet;                         ///< empty: the floor tells nothing
  int trunk = 0;                                  ///< link that is upright most of the time
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();  ///< in its frame
};

/// What is told of a file, in the order in which it is shown.
enum class MotionQuestion : unsigned char { Robot, JointOrder, BodyOrder, Turn, Angles, Length, Up, Rate };
inline constexpr std::size_t kMotionQuestions = 8;

/// How sure an answer is.
enum class Certainty : unsigned char {
  Given,    ///< the user says so, or the file names it and nothing contradicts
  Sure,     ///< other answers explain the file much worse
  Likely,   ///< they explain it worse
  Assumed,  ///< the layout's own; the file does not tell
  Open,     ///< another answer explains the file about as well: the user has to say
};
[[nodiscard]] const char* to_string(Certainty certainty) noexcept;

/// One answer.
struct ToldFact {
  MotionQuestion question = MotionQuestion::Robot;
  std::string what;    ///< "quaternions"
  std::string value;   ///< "x y z w"
  std::string reason;  ///< one clause
  Certainty certainty = Certainty::Sure;
  bool departs = false;  ///< the layout, or the file itself, says otherwise
};

/// What the user says of a file: words of `--from`, each settling one question.
struct MotionHints {
  std::string robot;                                            ///< empty: told
  std::optional<std::string> layout;                            ///< of `robot_layouts`: taken at its word
  std::optional<bool> breadth_first, xyzw, degrees, y_up = {};  ///< unset: told
  std::optional<double> length;                                 ///< metres of one unit of the file
  std::optional<double> rate_hz;
  /// Returns whether a word settles more than robot and rate.
  [[nodiscard]] bool says_how() const { return breadth_first || xyzw || degrees || y_up || length; }
};
/// Parses "unitree", "isaac-order", "mujoco-order", "wxyz", "xyzw", "degrees", "radians", "m", "cm", "mm",
/// "z-up", "y-up", "50hz", separated by commas. @throws ConfigError for another word.
[[nodiscard]] MotionHints parse_motion_hints(std::string_view words);

/// A motion that was read, and how.
struct ToldMotion {
  std::string layout;     ///< "mjlab"
  std::size_t robot = 0;  ///< of the candidates
  Motion motion;          ///< velocities are the derivatives of its positions
  std::vector<ToldFact> facts;
  std::vector<std::string> notes;  ///< what contradicts the layout, what stays open, for people
  bool open = false;               ///< a fact is: `notes` say which word settles it
};

/// Tells how `arrays` are meant and returns the motion. `robots`: not empty; several: the robot is told too.
/// @throws FormatError when no robot has as many joints, a quaternion is not of length 1, or no base is
/// there.
[[nodiscard]] ToldMotion tell_motion(const RobotArrays& arrays, const std::vector<MotionRobot>& robots,
                                     const MotionHints& hints = {});

}  // namespace panto::io
