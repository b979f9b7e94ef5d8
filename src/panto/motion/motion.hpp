#pragma once
// A series of States of one model.

#include <string>
#include <vector>

#include "panto/model/state.hpp"

namespace panto {

/// A recorded or computed motion. `states` have increasing stamps.
struct Motion {
  std::string model_name;
  std::vector<std::string> joint_names;  ///< order of State::s
  double rate_hz = 0.0;                  ///< nominal rate; the stamps decide
  std::vector<State> states;
};

}  // namespace panto
