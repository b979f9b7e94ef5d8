#pragma once
// Equalities, actuators and keyframes of a MuJoCo model. Internal.

#include <optional>
#include <string>
#include <unordered_map>

#include "panto/io/mjcf_tree.hpp"

namespace panto::io::mjcf {

/// A joint of the file that the robot has.
struct KnownJoint {
  std::size_t index;  ///< in ModelSpec::joints
  double ref;         ///< its value in MuJoCo's pose at rest
};
/// Hinges and slides by name.
using KnownJoints = std::unordered_map<std::string, KnownJoint>;

/// Returns the largest magnitude of a range that holds; nothing for none.
[[nodiscard]] std::optional<double> reach_of(const Element& element, const Compiler& compiler,
                                             const char* range, const char* limited);

/// Adds linear equalities between two joints as mimics, and those of one joint as coupled rows; notes others.
void add_equalities(const Context& context, const KnownJoints& joints, ModelSpec& spec);

/// Adds sums of joints that a range or an equality bounds (<tendon><fixed>) as coupled rows; notes other
/// tendons.
void add_tendons(const Context& context, const KnownJoints& joints, ModelSpec& spec);

/// Adds pairs of bodies that never touch (<contact><exclude>) as pairs that may be in each other; notes those
/// of bodies that the robot does not have.
void add_excludes(const Context& context, ModelSpec& spec);

/// Removes mimics and rows that no pose within the joints' ranges can meet, and notes them: MuJoCo's are
/// soft.
void remove_unreachable(const Context& context, ModelSpec& spec);

/// Sets efforts and speed limits that actuators have: forcerange, a motor's ctrlrange, and the ctrlrange of
/// velocity actuators. A joint's own actuatorfrcrange wins. Reads speed limits that `write_mjcf` wrote too.
/// Gives joints without a range the ctrlrange of their position actuators. Notes those, and a ctrlrange that
/// is reversed or NaN.
void add_actuator_limits(const Context& context, const KnownJoints& joints, ModelSpec& spec);

/// Returns the values of the keyframe that gives the rest pose: one called home, stand, standing, rest,
/// neutral, default or init, else the first; empty without a keyframe that fits.
[[nodiscard]] std::vector<double> rest_values(const Context& context, const BodyList& bodies);

}  // namespace panto::io::mjcf
