"""panto view: pages of any file for the browser of this computer, and for nobody else."""
import re

import pytest
from command import GOOD, UNUSABLE, USAGE, viewing


@pytest.fixture(scope="module")
def bundled(project):
    return project / "examples/data/walk.bvh"


def test_one_file_is_the_first_page(panto, bundled):
    with viewing(panto, bundled, "--robot", "g1") as ask:
        status, page = ask("/")
        assert status == 200 and "unitree_g1" in page and 'id="panto-run"' in page
        assert ask("/nothing")[0] == 404


def test_several_files_are_listed_and_a_broken_one_says_why(panto, bundled, run, tmp_path):
    assert run("retarget", bundled, "--robot", "g1", "-o", "g1.npz").returncode == GOOD
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT")
    with viewing(panto, bundled, tmp_path / "g1.npz", broken) as ask:
        status, page = ask("/")
        assert status == 200 and "3 files" in page and page.count("Good: ") == 2
        assert "unitree_g1" in ask("/2")[1]
        assert re.search(r"broken\.bvh:\d", ask("/3")[1])


def test_nobody_else_is_answered(panto, bundled):
    with viewing(panto, bundled) as ask:
        assert ask("/", Host="evil.example")[0] == 403
        assert ask("/", Origin="http://evil.example")[0] == 403
        assert ask("/", method="POST", Origin="http://evil.example")[0] == 403
        assert ask("/", method="POST")[0] == 405
        assert ask("/../../etc/passwd")[0] == 404


def test_words_that_are_wrong_are_refused_before_it_listens(run, bundled, tmp_path):
    assert run("view").returncode == USAGE
    refused = run("view", bundled, "--robot", "g2")
    assert refused.returncode == USAGE and "'g2'" in refused.stderr and refused.stdout == ""
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT")
    refused = run("view", "broken.bvh")
    assert refused.returncode == UNUSABLE and "broken.bvh:2" in refused.stderr and refused.stdout == ""
    assert run("view", bundled, "--robot", "g1", "--model", "human48").returncode == USAGE
    refused = run("view", "nothing.bvh")
    assert refused.returncode == UNUSABLE and "nothing.bvh: cannot be read" in refused.stderr and refused.stdout == ""
    refused = run("view", "a.bvh", "--port", "70000")
    assert refused.returncode == USAGE and "--port" in refused.stderr
