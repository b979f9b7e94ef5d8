#include "benchmarks/peers/osqp_step.h"

#include <osqp.h>
#include <stddef.h>
#include <string.h>

#include "orientations_workspace.h"
#include "osqp_patterns.h"
#include "positions_workspace.h"

enum { kMost = 16384, kBase = 6 };

// the generated solver and where its data go
typedef struct {
  OSQPSolver* solver;
  int rows, columns, values, entries;
  const int *in_A, *in_J;
  OSQPFloat A[kMost];
  OSQPFloat lower[512], upper[512];
} Generated;

static Generated problems[2];
static double tolerance_ = 1e-3;
static int check_every_ = 25;

static void prepare(Generated* problem) {
  // A's constant entries: 1 for a bound, the last of its column, and -1 for e
  for (int k = 0; k < problem->values; ++k) problem->A[k] = k < problem->values - problem->rows ? 1.0 : -1.0;
  OSQPSettings settings = *problem->solver->settings;
  settings.eps_abs = settings.eps_rel = tolerance_;
  settings.check_termination = check_every_;
  osqp_update_settings(problem->solver, &settings);
  osqp_update_rho(problem->solver, 0.1);
  osqp_cold_start(problem->solver);
}

void osqp_step_begin(double tolerance, int check_every) {
  tolerance_ = tolerance;
  check_every_ = check_every;
  problems[0].solver = &orientations_solver;
  problems[0].rows = orientations_rows;
  problems[0].columns = orientations_columns;
  problems[0].values = orientations_values;
  problems[0].entries = orientations_entries;
  problems[0].in_A = orientations_in_A;
  problems[0].in_J = orientations_in_J;
  problems[1].solver = &positions_solver;
  problems[1].rows = positions_rows;
  problems[1].columns = positions_columns;
  problems[1].values = positions_values;
  problems[1].entries = positions_entries;
  problems[1].in_A = positions_in_A;
  problems[1].in_J = positions_in_J;
  prepare(&problems[0]);
  prepare(&problems[1]);
}

int osqp_step_solve(const double* J, int rows, int columns, const double* wanted, const double* damping,
                    const double* lower, const double* upper, double* nu) {
  Generated* problem = rows == problems[0].rows ? &problems[0] : &problems[1];
  if (problem->rows != rows || problem->columns != columns) return 0;
  for (int i = 0; i < columns; ++i) {
    if (damping[i] != 0.0) return 0;  // the pattern has no room for it
  }
  for (int k = 0; k < problem->entries; ++k) problem->A[problem->in_A[k]] = J[problem->in_J[k]];
  memcpy(problem->lower, wanted, sizeof(double) * (size_t)rows);
  memcpy(problem->upper, wanted, sizeof(double) * (size_t)rows);
  memcpy(problem->lower + rows, lower + kBase, sizeof(double) * (size_t)(columns - kBase));
  memcpy(problem->upper + rows, upper + kBase, sizeof(double) * (size_t)(columns - kBase));
  if (osqp_update_data_mat(problem->solver, NULL, NULL, 0, problem->A, NULL, problem->values) != 0) return 0;
  if (osqp_update_data_vec(problem->solver, NULL, problem->lower, problem->upper) != 0) return 0;
  if (osqp_solve(problem->solver) != 0) return 0;
  memcpy(nu, problem->solver->solution->x, sizeof(double) * (size_t)columns);
  const OSQPInt status = problem->solver->info->status_val;
  return status == OSQP_SOLVED ? 1 : status == OSQP_SOLVED_INACCURATE ? 2 : 0;
}
