#pragma once
// Speed limits of joints whose model may have none.

#include <cmath>

#include "panto/model/model.hpp"

namespace panto {

/// Returns the limit of a joint of `Model::dof()` [rad/s] or [m/s]: the model's, `otherwise` where it has
/// none.
[[nodiscard]] inline double speed_limit_of(const Model& model, int joint, double otherwise) {
  const double own = model.joint(joint).velocity;
  return std::isfinite(own) ? own : otherwise;
}

}  // namespace panto
