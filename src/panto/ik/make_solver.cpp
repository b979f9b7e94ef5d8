#include "panto/ik/make_solver.hpp"

#include "panto/base/error.hpp"
#include "panto/ik/damped_jacobian.hpp"
#include "panto/ik/dynamical.hpp"
#include "panto/ik/instantaneous.hpp"
#include "panto/ik/modular.hpp"
#include "panto/ik/pairwise.hpp"

namespace panto {

const char* to_string(SolverKind kind) noexcept {
  switch (kind) {
    case SolverKind::Dynamical:
      return "dynamical";
    case SolverKind::Instantaneous:
      return "instantaneous";
    case SolverKind::Pairwise:
      return "pairwise";
    case SolverKind::DampedJacobian:
      return "damped-jacobian";
    case SolverKind::Modular:
      return "modular";
  }
  return "";
}

bool takes_own_targets(SolverKind kind) noexcept {
  return kind == SolverKind::Dynamical || kind == SolverKind::Instantaneous;
}

std::string no_own_targets(SolverKind kind) {
  return "solver '" + std::string(to_string(kind)) +
         "' takes no own targets or rows: use 'dynamical' or 'instantaneous'";
}

const std::vector<SolverKind>& solver_kinds() {
  static const std::vector<SolverKind> kinds{SolverKind::Dynamical, SolverKind::Instantaneous,
                                             SolverKind::Pairwise, SolverKind::DampedJacobian,
                                             SolverKind::Modular};
  return kinds;
}

SolverKind solver_kind(std::string_view name) {
  std::vector<std::string> valid;
  for (const SolverKind kind : solver_kinds()) {
    if (name == to_string(kind)) return kind;
    valid.emplace_back(to_string(kind));
  }
  throw ConfigError(unknown_name("solver", name, "Panto", valid));
}

std::unique_ptr<Solver> make_solver(SolverKind kind, const Model& model, const std::vector<Target>& rows,
                                    const SolverOptions& options, const OwnTargets& own) {
  if (!own.empty() && !takes_own_targets(kind)) throw ModelError(no_own_targets(kind));
  switch (kind) {
    case SolverKind::Dynamical:
      break;
    case SolverKind::Instantaneous:
      return std::make_unique<InstantaneousSolver>(model, rows, options.dynamical, options.instantaneous,
                                                   own);
    case SolverKind::Pairwise:
      return std::make_unique<PairwiseSolver>(model, rows, options.dynamical, options.pairwise);
    case SolverKind::DampedJacobian:
      return std::make_unique<DampedJacobianSolver>(model, rows, options.dynamical, options.damped_jacobian);
    case SolverKind::Modular:
      return std::make_unique<ModularSolver>(model, rows, options.dynamical, options.modular);
  }
  return std::make_unique<DynamicalSolver>(model, rows, options.dynamical, own);
}

}  // namespace panto
