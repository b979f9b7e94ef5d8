"""`panto picture`, `panto.picture` and `panto.film`: pictures of report pages by a browser without a window."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys

import pytest

from package import panto

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
PROJECT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("pictures") / "walk.html"
    walk = PROJECT / "examples/data/walk.bvh"
    done = subprocess.run([os.environ["PANTO_COMMAND"], "track", walk, "--report", made], capture_output=True, text=True)
    if "no report can be written" in done.stderr:
        if os.environ.get("CI", "false") != "false":
            pytest.fail(done.stderr.strip(), pytrace=False)
        pytest.skip(f"the command was built without the page's packages of npm: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return made


def command(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    folder = str(pathlib.Path(panto.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": folder, **environment}
    return subprocess.run([sys.executable, "-m", "panto", "picture", *map(str, words)], capture_output=True, text=True, env=env)


def png_size(file: pathlib.Path) -> tuple[int, ...]:
    head = file.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:])


@needs_browser
def test_the_command_writes_a_picture_of_the_size_asked_for(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "walk.png"
    done = command(page, "--at", "1.5", "--size", "640x400", "--theme", "dark", "-o", out)
    assert (done.returncode, done.stdout) == (0, f"wrote {out}\n"), done.stderr
    assert png_size(out) == (640, 400)
    assert [file.name for file in tmp_path.iterdir()] == ["walk.png"]


@needs_browser
def test_python_writes_pictures_that_differ_by_instant_and_view(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def drawn(name: str, **options: object) -> bytes:
        return panto.picture(page, tmp_path / f"{name}.png", size=(320, 240), verdict=False, **options).read_bytes()

    first = drawn("first", at=1.0)
    assert drawn("again", at=1.0) == first
    others = {"later": {"at": 1.4}, "top": {"at": 1.0, "view": "top"}, "near": {"at": 1.0, "zoom": 2.0}, "mass": {"at": 1.0, "show": ["balance"]}}
    assert len({first, *(drawn(name, **options) for name, options in others.items())}) == 5
    with pytest.raises(panto.Error, match="show masses: it is none of trails, balance, uncertainty"):
        drawn("masses", show=["masses"])


@needs_browser
def test_the_ending_says_which_film_is_written(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    gif = panto.film(page, tmp_path / "walk.gif", start=1.0, stop=1.5, fps=10, size=(160, 120), verdict=False)
    assert gif.read_bytes()[:6] == b"GIF89a"
    done = command(page, "--from", "1", "--to", "1.5", "--size", "160x120", "--no-verdict", "-o", tmp_path / "walk.webm")
    assert done.returncode == 0, done.stderr
    head = (tmp_path / "walk.webm").read_bytes()[:64]
    assert head[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in head  # EBML


@needs_browser
def test_what_the_page_refuses_is_said_and_leaves_the_old_file(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "walk.webm"
    out.write_bytes(b"old")
    done = command(page, "--from", "4", "--to", "2", "-o", out)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "a film from 4 s to 2 s shows nothing: the run lasts from 0 s to 4.9" in done.stderr
    assert out.read_bytes() == b"old"


@needs_browser
def test_a_damaged_page_is_refused(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    damaged = tmp_path / "damaged.html"
    text = page.read_bytes()
    damaged.write_bytes(text[: text.index(b'id="panto-run"') + 4000])
    done = command(damaged, "-o", tmp_path / "out.png")
    assert done.returncode == 3
    assert "an older Panto, or a damaged one; write it again with --report" in done.stderr


@needs_browser
def test_a_browser_that_takes_too_long_is_ended(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(panto.Error, match=r"did not finish within 0\.05 s"):
        panto.picture(page, tmp_path / "out.png", timeout=0.05)


def test_what_is_no_page_or_no_browser_is_named_with_what_to_do(tmp_path: pathlib.Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<p>hello</p>")
    for words, code, said in (
        ((other, "-o", "x.png"), 3, "other.html: no report page of Panto; `--report other.html` of panto track"),
        ((tmp_path / "none.html", "-o", "x.png"), 3, "none.html: cannot be read: No such file"),
        ((other, "-o", "x.jpg"), 2, "'x.jpg' must end in .png, .webm or .gif"),
        ((other, "-o", "x.png", "--fps", "3"), 2, "--fps does not apply to a PNG"),
        ((other, "-o", "x.gif", "--at", "3"), 2, "--at does not apply to a film"),
        ((other, "-o", "x.png", "--size", "10"), 2, "'10' is not WIDTHxHEIGHT, as 1280x720"),
        ((other,), 2, "required: -o"),
    ):
        done = command(*words)
        assert done.returncode == code and said in done.stderr, done.stderr
    page = tmp_path / "page.html"
    page.write_text('<script id="panto-run"></script>')
    done = command(page, "-o", "x.png", PANTO_BROWSER="no-such-browser")
    assert done.returncode == 2 and "browser 'no-such-browser': no program of this name" in done.stderr
    done = command(page, "-o", "x.png", PANTO_BROWSER="/bin/true")
    assert done.returncode == 3 and "the browser ended by itself" in done.stderr
