#pragma once
// OSQP on the sparse form of one step: variables (nu, e), rows J nu - e = wanted, then bounds of the joints.
// The solver is C that OSQP generates for the problem's pattern, with matrices that may change.

#ifdef __cplusplus
extern "C" {
#endif

/// From scratch, with that tolerance (absolute and relative), looked at every so many iterations.
void osqp_step_begin(double tolerance, int check_every);
/// J by columns, `rows` x `columns`. 1: solved, 2: solved inaccurately, 0: not.
int osqp_step_solve(const double* J, int rows, int columns, const double* wanted, const double* damping,
                    const double* lower, const double* upper, double* nu);

#ifdef __cplusplus
}
#endif
