"""The layer check must catch what is planted, and only that."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import check_layers  # noqa: E402


def found_in(files):
    """Violations in a project of these files: {path below src/panto: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / "src" / "panto" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(check_layers.violations(root))


class CheckLayers(unittest.TestCase):
    def planted(self, name, line, reason):
        found = found_in({name: "#pragma once\n" + line + "\n"})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"src/panto/{name}:2: "), found)
        self.assertIn(reason, found[0])

    def test_a_module_may_not_look_to_its_right(self):
        self.planted("math/so3.hpp", '#include "panto/model/model.hpp"', "math may not include model")
        self.planted("model/human.cpp", '#include "panto/sample/segment_sample.hpp"', "model may not include sample")

    def test_solvers_and_their_neighbours_do_not_know_each_other(self):
        neighbours = ("ik", "inertial", "synthesis", "evaluation")
        for module in neighbours:
            for other in neighbours:
                if other != module:
                    self.planted(f"{module}/a.cpp", f'#include "panto/{other}/b.hpp"', f"{module} may not include {other}")

    def test_nothing_in_the_core_may_know_files(self):
        for module in ("base", "motion", "ik", "evaluation", "tracking"):
            self.planted(f"{module}/a.cpp", '#include "panto/io/urdf.hpp"', f"{module} may not include io")

    def test_files_do_not_know_synthesis_nor_the_network(self):
        self.planted("io/a.cpp", '#include "panto/synthesis/walk.hpp"', "io may not include synthesis")
        self.planted("io/a.cpp", '#include "panto/live/mvn.hpp"', "io may not include live")

    def test_the_network_does_not_know_synthesis(self):
        self.planted("live/a.cpp", '#include "panto/synthesis/walk.hpp"', "live may not include synthesis")

    def test_the_core_may_not_touch_files_clocks_or_threads(self):
        for header in ("fstream", "iostream", "cstdio", "filesystem", "thread", "mutex", "chrono"):
            self.planted("tracking/run.cpp", f"#include <{header}>", "only io, live and bridge")

    def test_the_core_needs_eigen_and_nothing_else(self):
        self.planted("ik/a.cpp", "#include <fmt/core.h>", "Eigen and the standard library only")
        self.planted("model/a.cpp", "#  include <unistd.h>", "Eigen and the standard library only")

    def test_a_file_does_not_repeat_its_rooms_name(self):
        found = found_in({"report/report_json.hpp": "#pragma once\n", "report/report.hpp": "#pragma once\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("leave 'report_' out", found[0])

    def test_own_headers_are_named_from_the_root(self):
        self.planted("ik/a.cpp", '#include "targets.hpp"', "panto/module/file.hpp")
        self.planted("io/a.cpp", '#include "tests/support/test_data.hpp"', "panto/module/file.hpp")

    def test_the_command_may_not_reach_behind_the_api(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "apps" / "panto").mkdir(parents=True)
            (root / "src" / "panto").mkdir(parents=True)
            (root / "apps" / "panto" / "a.cpp").write_text('#include "panto/api/track.hpp"\n#include "panto/ik/solver.hpp"\n')
            (found,) = check_layers.violations(root)
            self.assertTrue(found.startswith("apps/panto/a.cpp:2: apps/panto may not include ik"), found)

    def test_includes_may_not_run_in_a_circle(self):
        found = found_in(
            {
                "math/a.hpp": '#include "panto/math/b.hpp"\n',
                "math/b.hpp": '#include "panto/math/c.hpp"\n',
                "math/c.hpp": '#include "panto/math/a.hpp"\n',
            }
        )
        self.assertEqual(len(found), 1, found)
        self.assertIn("form a cycle", found[0])

    def test_a_file_outside_the_modules_is_named(self):
        self.assertIn("not in a known room", found_in({"extras/a.cpp": ""})[0])

    def test_what_is_allowed_is_allowed(self):
        self.assertEqual(
            found_in(
                {
                    "ik/a.cpp": '#include "panto/ik/a.hpp"\n#include <Eigen/Core>\n#include <vector>\n#include "panto/targets/targets.hpp"',
                    "tracking/b.cpp": '#include "panto/ik/a.hpp"\n#include "panto/inertial/chain_ekf.hpp"',
                    "io/c.cpp": '#include <fstream>\n#include <expat.h>\n#include "panto/tracking/source.hpp"',
                    "live/d.cpp": '#include <thread>\n#include <sys/socket.h>\n#include "panto/tracking/run.hpp"',
                }
            ),
            [],
        )


if __name__ == "__main__":
    unittest.main()
