#!/usr/bin/env python3
"""Lets OSQP write its solver as C for the patterns of our problems.

Usage: osqp_codegen.py OUT NAME=JACOBIAN.csv ...     (a Jacobian with the problem's non-zero entries, dense, by rows)

Variables (nu, e): minimise |e|^2 / 2 under J nu - e = wanted and bounds on the joints, the last columns of J. Writes
OUT/<name>/ with the solver and OUT/osqp_patterns.h, which says where the entries of J go.
"""
import pathlib
import shutil
import sys

import numpy
import osqp
import scipy.sparse

BASE = 6  # columns without bounds


def problem(jacobian):
    """CSC arrays of A, and for each entry of J its place in A and in a dense J by columns."""
    rows, columns = jacobian.shape
    values, indices, starts, places = [], [], [0], []
    for column in range(columns):
        for row in numpy.flatnonzero(jacobian[:, column]):
            places.append((len(values), column * rows + int(row)))
            values.append(jacobian[row, column])
            indices.append(row)
        if column >= BASE:
            values.append(1.0)
            indices.append(rows + column - BASE)
        starts.append(len(values))
    for row in range(rows):
        values.append(-1.0)
        indices.append(row)
        starts.append(len(values))
    shape = (rows + columns - BASE, columns + rows)
    return scipy.sparse.csc_matrix((values, indices, starts), shape=shape), places


def array(name, values):
    return f"static const int {name}[] = {{{', '.join(map(str, values))}}};\n"


def main(out, patterns):
    out = pathlib.Path(out)
    header = "#pragma once\n"
    for number, pattern in enumerate(patterns):
        name, file = pattern.split("=")
        jacobian = numpy.loadtxt(file, delimiter=",")
        rows, columns = jacobian.shape
        A, places = problem(jacobian)
        P = scipy.sparse.diags([0.0] * columns + [1.0] * rows, format="csc")
        P.eliminate_zeros()
        lower = numpy.concatenate([numpy.zeros(rows), numpy.full(columns - BASE, -1.0)])
        upper = numpy.concatenate([numpy.zeros(rows), numpy.full(columns - BASE, 1.0)])
        solver = osqp.OSQP()
        solver.setup(P, numpy.zeros(columns + rows), A, lower, upper, verbose=False, scaling=0)
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        solver.codegen(str(folder), parameters="matrices", extension_name=None, prefix=f"{name}_", force_rewrite=True)
        header += f"enum {{ {name}_rows = {rows}, {name}_columns = {columns}, {name}_values = {A.nnz}, {name}_entries = {len(places)} }};\n"
        header += array(f"{name}_in_A", [a for a, _ in places]) + array(f"{name}_in_J", [j for _, j in places])
    (out / "osqp_patterns.h").write_text(header)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
