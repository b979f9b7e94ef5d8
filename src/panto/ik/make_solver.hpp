#pragma once
// Creates solvers by name.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"

namespace panto {

/// A solver for one model, one set of rows and what a user asks for besides; the model must outlive it.
/// @throws ConfigError naming the option or row that is out of range; ModelError where the method cannot do
/// with this model or with own targets, and why; what `check(own, model)` throws.
[[nodiscard]] std::unique_ptr<Solver> make_solver(SolverKind kind, const Model& model,
                                                  const std::vector<Target>& rows,
                                                  const SolverOptions& options = {},
                                                  const OwnTargets& own = {});

}  // namespace panto
