"""The built Python package, for tests that import it: `from package import panto`."""

import os
import sys

import pytest

PACKAGE = os.environ.get("PANTO_PACKAGE", "")
if not PACKAGE:
    if os.environ.get("CI", "false") != "false":
        pytest.fail("PANTO_PACKAGE does not name the folder of the built package", pytrace=False)
    pytest.skip("the Python package is not built: ./dev test builds it where nanobind and Python.h are (PANTO_BUILD_PYTHON)", allow_module_level=True)
sys.path.insert(0, PACKAGE)
import panto  # noqa: E402, F401
