#pragma once
// Creates solvers by name.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/ik/damped_jacobian.hpp"
#include "panto/ik/dynamical_options.hpp"
#include "panto/ik/instantaneous.hpp"
#include "panto/ik/modular.hpp"
#include "panto/ik/pairwise.hpp"
#include "panto/ik/solver.hpp"

namespace panto {

enum class SolverKind : unsigned char {
  Dynamical,       ///< velocities corrected by the pose error, one iteration per sample; the default
  Instantaneous,   ///< whole body, every sample to convergence
  Pairwise,        ///< every sample, each pair of targeted links on its own
  DampedJacobian,  ///< velocities as Dynamical, inverted by a dense damped pseudo-inverse: the baseline
  Modular,         ///< every sample, module by module from the base outwards
};

/// "dynamical", "instantaneous", "pairwise", "damped-jacobian", "modular".
[[nodiscard]] const char* to_string(SolverKind kind) noexcept;
/// Whether the method takes own targets and rows: the dynamical and the instantaneous one do.
[[nodiscard]] bool takes_own_targets(SolverKind kind) noexcept;
/// All of them, in this order.
[[nodiscard]] const std::vector<SolverKind>& solver_kinds();
/// The kind of that name. @throws ConfigError that lists the valid ones and the nearest.
[[nodiscard]] SolverKind solver_kind(std::string_view name);

/// Options of all methods. What they share (weights, gains, velocity source, limits, gaps, alignment) is
/// `dynamical`; the rest is one method's own.
struct SolverOptions {
  DynamicalOptions dynamical = {};
  InstantaneousOptions instantaneous = {};
  PairwiseOptions pairwise = {};
  DampedJacobianOptions damped_jacobian = {};
  ModularOptions modular = {};
};

/// A solver for one model, one set of rows and what a user asks for besides; the model must outlive it.
/// @throws ConfigError naming the option or row that is out of range; ModelError where the method cannot do
/// with this model or with own targets, and why; what `check(own, model)` throws.
[[nodiscard]] std::unique_ptr<Solver> make_solver(SolverKind kind, const Model& model,
                                                  const std::vector<Target>& rows,
                                                  const SolverOptions& options = {},
                                                  const OwnTargets& own = {});

}  // namespace panto
