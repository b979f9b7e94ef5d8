#pragma once
// Speed limits of joints whose model may have none.

#include <cmath>

#include "panto/model/model.hpp"

namespace panto {

/// Returns a joint's own limit, or `otherwise` where that is infinite: the model has none.
[[nodiscard]] inline double speed_limit_or(double own, double otherwise) {
  return std::isfinite(own) ? own : otherwise;
}

/// Returns the limit of a joint of `Model::dof()` [rad/s] or [m/s]: the model's, `otherwise` where it has
/// none.
[[nodiscard]] inline double speed_limit_of(const Model& model, int joint, double otherwise) {
  return speed_limit_or(model.joint(joint).velocity, otherwise);
}

}  // namespace panto
