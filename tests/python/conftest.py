"""What the Python tests share."""
import os
import pathlib
import re
import subprocess

import pytest

pytest.register_assert_rewrite("command")
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE  # noqa: E402

TAKE = "mvnx/blender-mvnx-io_test_mocap.mvnx"
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


@pytest.fixture
def run(panto, tmp_path):
    """Runs the command in a folder of its own; a crash, a hang or an empty complaint fails every test."""

    def run(*arguments, **options):
        command = [panto, *map(str, arguments)]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, **options)
        result.stdout, result.stderr = result.stdout.decode(), result.stderr.decode()
        assert result.returncode in (GOOD, CHECK_FAILED, USAGE, UNUSABLE), (result.returncode, result.stderr)
        if result.returncode not in (GOOD, CHECK_FAILED):
            assert re.search(r"^panto: \S", result.stderr, re.M), "an error says who speaks and why"
            assert "unexpected:" not in result.stderr
        assert "\r" not in result.stderr and "\033" not in result.stderr, "progress is for terminals"
        return result

    return run


@pytest.fixture(scope="session")
def take(data_file):
    return data_file(TAKE)


@pytest.fixture(scope="session")
def walk(panto, tmp_path_factory):
    """Two seconds of walking as every kind of recording; made once."""
    folder = tmp_path_factory.mktemp("walk")
    subprocess.run(
        [panto, "synthesize", "walk", "--duration", "2", "-o", "walk.mvnx", "-o", "walk.bvh"], cwd=folder, check=True, capture_output=True
    )
    return folder / "walk.mvnx"
