"""The quick form of the experiments that need no other program: they must not rot."""
import os
import subprocess
import sys

import pytest


EXPERIMENTS = [
    "a1_convergence", "a4_limits", "a4_robot_limits", "a6_frames", "a7_frame_regression", "b1_regularisation", "b2_singularities",
    "b4_noise", "b5_gestures", "b6_elbow_limit", "b7_scaling", "b8_modular_dynamical", "c2_squares", "c3_circle",
    "c8_tree_filter", "c9_walks", "c10_swapped",
]  # fmt: skip


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_reaches_what_it_must(project, panto, name):
    pages = project / "docs" / "results"
    before = {path: path.stat().st_mtime_ns for path in pages.rglob("*")}
    result = subprocess.run(
        [sys.executable, "-B", project / "experiments" / f"{name}.py", "--quick"],
        env=os.environ | {"PANTO_COMMAND": str(panto)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert " ok " in result.stdout and "MISSED" not in result.stdout
    assert {path: path.stat().st_mtime_ns for path in pages.rglob("*")} == before, "the quick form writes nothing"


def test_an_experiment_that_misses_says_what_and_fails(project, panto, tmp_path):
    """A command that ignores the gain is no command that converges faster with it."""
    fake = tmp_path / "panto"
    change = 'for i in "${!args[@]}"; do [[ ${args[i]} == --gain ]] && args[i+1]=1; done'
    fake.write_text(f'#!/bin/bash\nargs=("$@")\n{change}\nexec {panto} "${{args[@]}}"\n')
    fake.chmod(0o755)
    result = subprocess.run(
        [sys.executable, "-B", project / "experiments" / "a1_convergence.py", "--quick"],
        env=os.environ | {"PANTO_COMMAND": str(fake)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 1
    assert "not reached" in result.stderr and "MNTE below 0.001" in result.stderr


def test_an_experiment_without_the_command_says_how_to_get_it(project):
    result = subprocess.run(
        [sys.executable, "-B", project / "experiments" / "a7_frame_regression.py", "--quick"],
        env=os.environ | {"PANTO_COMMAND": "/nowhere/panto"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 1 and "./dev experiments" in result.stderr


def test_the_reference_filter_beats_what_is_asked_on_real_data(project, data_file):
    data_file("inertial/broad")
    result = subprocess.run(
        [sys.executable, "-B", project / "experiments" / "c0_broad_reference.py", "--quick"], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count(" ok ") == 2 and result.stdout.count("MISSED") == 1  # the known one: at the samples' own stamps
