#pragma once
// A robot's hands that touch each other, as a relative target: what a user can ask for too
// (docs/algorithms/own_targets.md).

#include <string>
#include <vector>

#include "panto/robot/map.hpp"
#include "panto/targets/own_targets.hpp"

namespace panto::robot {

struct HandTargetOptions {
  double position_weight = 2500.0;  ///< of hands that touch [1/m^2], >= 0; 2500: 2 cm count like 1 rad
  double orientation_weight = 0.0;  ///< [1/rad^2], >= 0
  double gain = 45.0;               ///< K [1/s], >= 0
};

/// Holds the right hand where the posed skeleton has it as seen from the left one: a relative target whose
/// weights are those of `options` times the hands' `touch` (`SegmentMotion`), for a tracker of the samples
/// that `Skeleton::pose` fills. `segments`: their names. Empty where the map does not attach both hands.
/// @throws ModelError for a link that the model does not have.
[[nodiscard]] OwnTargetsOption hand_target(const Model& model, const Map& map,
                                           const std::vector<std::string>& segments,
                                           const HandTargetOptions& options = {});

}  // namespace panto::robot
