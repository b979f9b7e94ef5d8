#pragma once
// What scaling did to a motion, for people.

#include <string>

#include "panto/model/model.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

/// What was scaled where, for people: under the tables of a run.
[[nodiscard]] std::string format_scaling(const ScalingReport& scaling, const Model& robot);

}  // namespace panto
