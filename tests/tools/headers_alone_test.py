"""The check that headers compile alone must catch a header that lacks an include, and name it.

Usage: headers_alone_test.py COMPILER EIGEN_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
COMPILER, EIGEN = sys.argv[1:3]
GOOD = {
    "base/time.hpp": "#pragma once\n#include <cstdint>\nusing Time = std::int64_t;\n",
    "math/pose.hpp": '#pragma once\n#include <Eigen/Core>\n#include "panto/base/time.hpp"\nstruct Pose { Eigen::Vector3d p; Time t; };\n',
}


LACKING = {
    "base/names.hpp": "#pragma once\nstd::vector<int> names();\n",
    "math/at.hpp": "#pragma once\n#include <Eigen/Core>\nTime at();\n",
    "math/beside.hpp": '#pragma once\n#include "panto/base/time.hpp"\nEigen::Vector3d beside();\n',
    "math/solve.hpp": "#pragma once\n#include <Eigen/Core>\ninline double f(const Eigen::LDLT<Eigen::MatrixXd>& s) { return s.rcond(); }\n",
}


def check(files, *options):
    """(exit code, output) of the check for a project with these headers."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / (name if name.endswith(".md") else f"src/panto/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        result = subprocess.run([sys.executable, "-B", PROJECT / "tools/headers_alone.py", COMPILER, root / "work", EIGEN, "--root", root, *options],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout


class HeadersAlone(unittest.TestCase):
    def test_sound_headers_pass(self):
        self.assertEqual(check(GOOD), (0, "2 headers compile alone\n"))

    def test_headers_that_lack_one_of_std_of_ours_or_of_eigen_are_named_and_no_others(self):
        code, output = check(GOOD | LACKING | {"math/other.hpp": "#pragma once\n#include <Eigen/Cholesky>\n"})
        self.assertEqual(code, 1, output)
        named = {line.removesuffix(" does not compile alone:").removeprefix("panto/") for line in output.splitlines() if "alone:" in line}
        self.assertEqual(named, set(LACKING), output)

    def test_only_installed_headers_are_looked_at_where_they_are_asked_for(self):
        table = {"docs/public_headers.md": "| `base/time.hpp` | stamps |\n"}
        self.assertEqual(check(GOOD | LACKING | table, "--public"), (0, "1 headers compile alone\n"))
        self.assertEqual(check(GOOD | LACKING | {"docs/public_headers.md": "| `math/at.hpp` | places |\n"}, "--public")[0], 1)

    def test_a_source_that_lives_on_its_neighbour_in_a_unit_is_named(self):
        sources = {"math/turn.cpp": '#include "panto/math/pose.hpp"\nTime turn() { return 1; }\n'}
        self.assertEqual(check(GOOD | sources, "--sources"), (0, "1 sources compile alone\n"))
        code, output = check(GOOD | sources | {"math/bad.cpp": "Time bad() { return 1; }\n"}, "--sources")
        self.assertEqual((code, "panto/math/bad.cpp does not compile alone:" in output, "turn.cpp does" in output), (1, True, False), output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
