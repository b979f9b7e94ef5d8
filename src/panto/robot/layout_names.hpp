#pragma once
// Reads side and body part from the names of a robot's links and joints. Evidence, never a condition.

#include <string_view>
#include <vector>

#include "panto/base/words.hpp"

namespace panto::robot {

/// A body region that a robot's link or joint may name.
enum class NamedRegion : unsigned char { Unknown, Trunk, Head, Arm, Leg, Finger };

/// The meaning of one name.
struct Name {
  NamedSide side = NamedSide::None;
  NamedRegion region = NamedRegion::Unknown;
  bool middle = false;  ///< an elbow or a knee
  bool end = false;     ///< a hand or a foot itself, not a sensor or a sole on it
};

/// Reads a name: "RLEG_KNEE", "l_wrist_prosup", "arm_left_4_joint", "jLeftElbow_rotz".
[[nodiscard]] Name read_robot_name(std::string_view name);

}  // namespace panto::robot
