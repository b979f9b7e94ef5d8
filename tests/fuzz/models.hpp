#pragma once
// What every reader of models promises, and models to write.

#include <string>

#include "panto/io/shipped_robots.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/random_model.hpp"

namespace panto::fuzz {

inline void check_model(const Model& model) {
  const State rest = rest_state(model);
  promise(is_valid(rest, model), "the rest pose is a State");
  for (int i = 0; i < model.dof(); ++i)
    promise(rest.s[i] >= model.lower()[i] && rest.s[i] <= model.upper()[i], "the rest pose is within limits");
  Kinematics kinematics(model);
  kinematics.update(rest);
}

inline Model small_model() { return test::random_model(7, {.min_joints = 8, .max_joints = 12}); }

}  // namespace panto::fuzz
