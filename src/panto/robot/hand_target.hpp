#pragma once
// Relative target for a robot's hands that touch each other, through the same interface as user targets
// (docs/algorithms/own_targets.md).

#include <string>
#include <vector>

#include "panto/robot/map.hpp"
#include "panto/targets/own_targets.hpp"

namespace panto::robot {

struct HandTargetOptions {
  double position_weight = 2500.0;  ///< for touching hands [1/m^2], >= 0; 2500: 2 cm count like 1 rad
  double orientation_weight = 0.0;  ///< [1/rad^2], >= 0
  double gain = 45.0;               ///< K [1/s], >= 0
};

/// Makes a relative target that holds the right hand where the posed skeleton has it in the left hand's
/// frame. Its weights are those of `options` times the hands' `touch` (`SegmentMotion`), for a tracker of the
/// samples that `Skeleton::pose` fills. `segments`: their names. Empty if the map does not attach both hands.
/// @throws ModelError for a link that the model does not have.
[[nodiscard]] OwnTargetsOption hand_target(const Model& model, const Map& map,
                                           const std::vector<std::string>& segments,
                                           const HandTargetOptions& options = {});

}  // namespace panto::robot
