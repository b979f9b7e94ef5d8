"""What the Python tests share."""
import os
import pathlib

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def project():
    """Root of the repository."""
    return PROJECT


@pytest.fixture(scope="session")
def panto():
    """Path of the built command."""
    command = os.environ.get("PANTO_COMMAND", "")
    if not pathlib.Path(command).is_file():
        pytest.fail("PANTO_COMMAND does not name the built command; run through ctest or ./dev test")
    return command


@pytest.fixture(scope="session")
def data_file():
    """Function from a path below the recordings' folder to its full path; skips, or fails in CI, where it is absent."""

    def find(relative):
        root = os.environ.get("PANTO_TEST_DATA") or os.environ.get("PANTO_TEST_DATA_DEFAULT") or PROJECT.parent / "shared" / "data"
        path = pathlib.Path(root) / relative
        if not path.exists():
            (pytest.fail if os.environ.get("PANTO_REQUIRE_DATA") else pytest.skip)(f"no test data at {path}; set PANTO_TEST_DATA")
        return path

    return find
