"""Only 64-bit little-endian machines are configured; others are refused with a reason. Usage: machines_test.py CLANG++"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
CLANG = sys.argv.pop(1)


def configured(target):
    """The core alone, for a machine whose linker and libraries need not be there."""
    with tempfile.TemporaryDirectory() as folder:
        rooms = [f"-DPANTO_BUILD_{room}=OFF" for room in ("IO", "LIVE", "APPS", "TESTS")]
        return subprocess.run(
            ["cmake", "-S", PROJECT, "-B", folder, "-G", "Ninja", *rooms, "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
             f"-DCMAKE_C_COMPILER={CLANG.removesuffix('++')}", f"-DCMAKE_CXX_COMPILER={CLANG}",
             f"-DCMAKE_C_FLAGS=--target={target}", f"-DCMAKE_CXX_FLAGS=--target={target}"],
            capture_output=True, text=True)  # fmt: skip


class Machines(unittest.TestCase):
    def test_sixty_four_bits_with_the_low_byte_first_are_configured(self):
        for target in ("x86_64-linux-gnu", "aarch64-linux-gnu"):
            run = configured(target)
            self.assertEqual(run.returncode, 0, target + run.stderr)

    def test_other_machines_are_refused_with_the_reason(self):
        for target in ("i686-linux-gnu", "armv7-linux-gnueabihf", "powerpc64-linux-gnu", "s390x-linux-gnu"):
            run = configured(target)
            self.assertNotEqual(run.returncode, 0, target)
            self.assertIn("64-bit little-endian", run.stderr, target)


if __name__ == "__main__":
    unittest.main()
