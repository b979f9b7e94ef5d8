"""The check of functions must catch what is planted, and only that."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import check_bits  # noqa: E402


def found_in(files, allowed=()):
    """Violations in a project of these files: {path below src/panto: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / "src" / "panto" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(check_bits.violations(root, allowed))


class CheckBits(unittest.TestCase):
    def planted(self, line, reason):
        found = found_in({"ik/a.cpp": "#include <cmath>\n" + line + "\n"})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("src/panto/ik/a.cpp:2: "), found)
        self.assertIn(reason, found[0])

    def test_the_c_library_is_refused_in_every_spelling(self):
        for call in ("std::sin(x)", "std::expm1(x)", "std::pow(x, 2)", "::exp(x)", "std :: log (x)", "Eigen::numext::tan(x)"):
            self.planted(f"double y = {call};", "is the C library's")
        for call in ("sin(x)", "pow(x, 0.25)", "atan2f(y, x)", "-cos (x)"):
            self.planted(f"double y = {call};", "is the C library's")
        self.planted("double y = __builtin_cos(x);", "the compiler's function")
        self.planted("std::transform(a, b, c, std::cosf);", "is the C library's")

    def test_our_own_needs_its_header_or_the_c_librarys_is_found(self):
        self.planted("double y = atan2(a, b);", 'without #include "panto/math/vector_math.hpp"')
        self.planted("double y = exp(a);", 'without #include "panto/math/elementary.hpp"')
        self.assertEqual(
            found_in(
                {
                    "ik/a.cpp": '#include "panto/math/vector_math.hpp"\ndouble y = atan2(a, b) + sincos(a).sin;',
                    "ik/b.cpp": '#include "panto/math/elementary.hpp"\ndouble y = exp(a) + log1p(b);',
                    "math/elementary.cpp": '#include "panto/math/elementary.hpp"\ndouble exp(double x) { return x; }',
                }
            ),
            [],
        )

    def test_eigens_functions_are_refused(self):
        for call in ("v.array().exp()", "v.array().pow(2)", "v.array().sin()", "p->log()"):
            self.planted(f"auto y = {call};", "Eigen's")
        self.planted("R = Eigen::AngleAxisd(a, u);", "so3::exp")
        self.planted("q = a.slerp(0.5, b);", "calls the C library")
        self.planted("solver.computeDirect(A);", "calls the C library")

    def test_what_the_standard_leaves_open_is_refused(self):
        self.planted("std::normal_distribution<double> d;", "random_numbers.hpp")
        self.planted("std::shuffle(a, b, engine);", "differs between standard libraries")
        self.planted("auto r = std::polar(1.0, a);", "complex")

    def test_what_is_exact_is_allowed(self):
        self.assertEqual(
            found_in(
                {
                    "ik/a.cpp": "\n".join(
                        (
                            "double y = std::sqrt(x) + std::floor(x) + std::remainder(x, 2.0) + std::ldexp(x, 3);",
                            "const auto t = so3::exp(v) * so3::log(R) * pose.sin().chunk(0);  // std::sin(x)",
                            '/* sin(x)\n exp(x) */ throw Error("log(x) of " + name);',
                            "double z = std::numbers::log2e + sine(x) + log_of(x) + error.angle().mean();",
                            "const LaneArray<3>& sin() const;",
                        )
                    )
                }
            ),
            [],
        )

    def test_what_is_allowed_by_name_must_be_there(self):
        line = "double y = std::sin(x);"
        entry = ("ik/a.cpp", "std::sin(x)", "a reason")
        self.assertEqual(found_in({"ik/a.cpp": line}, [entry]), [])
        self.assertIn("which does not occur", found_in({"ik/a.cpp": "int i;"}, [entry])[0])

    def test_line_numbers_count_comments(self):
        found = found_in({"ik/a.cpp": "/* one\n two */\n// three\ndouble y = std::sin(x);"})
        self.assertTrue(found[0].startswith("src/panto/ik/a.cpp:4: "), found)


if __name__ == "__main__":
    unittest.main()
