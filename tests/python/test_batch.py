"""Data sets: complete, none lost or doubled whatever dies; failures are rows; what is up to date is not done again."""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

from package import PACKAGE, panto

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: the index of data sets is NOT tested")
WALK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "walk.bvh"


def clips(folder, count, name=WALK):
    """Copies of a clip, each of a content of its own."""
    folder.mkdir(exist_ok=True)
    text = name.read_text()
    for i in range(count):
        (folder / f"{i:03}.bvh").write_text(text + "\n" * i)
    return folder


def rows(out):
    return {row["clip"]: row for row in parquet.read_table(out / "index.parquet").to_pylist()}


def command(*words, **options):
    """`python -m panto batch`."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, options.pop("paths", [])), PACKAGE])}
    return subprocess.Popen(
        [*options.pop("before", []), sys.executable, "-m", "panto", "batch", *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options,
    )  # fmt: skip


def test_a_folder_becomes_motions_with_the_bits_of_single_jobs_an_index_and_a_page(tmp_path):
    (tmp_path / "in" / "a b").mkdir(parents=True)
    shutil.copy(WALK, tmp_path / "in" / "a b" / "wälk.bvh")
    shutil.copy(WALK, tmp_path / "in" / "walk.bvh")
    (tmp_path / "in" / "notes.txt").write_text("no recording")
    batch = panto.batch(tmp_path / "in", "g1", tmp_path / "out", workers=2, reports=1)
    assert (batch.done, batch.failed, batch.kept, batch.problems) == (2, 0, 0, [])
    table = rows(tmp_path / "out")
    assert list(table) == ["a b/wälk", "walk"]
    single = panto.retarget(WALK, "g1")
    for row in table.values():
        assert (tmp_path / "out" / row["motion"]).read_bytes() == single.motion.to_bytes("walk.npz"), "the same bits"
        assert row["grade"] == single.verdict.grade and row["verdict"] == single.verdict.sentence
        for name, value in single.figures.items():
            if isinstance(value, (int, float)):
                assert row[name] == value, name
        assert row["frames_solved"] == 150
    assert [row["report"] is not None for row in table.values()].count(True) == 1, "one report was asked for"
    page = (tmp_path / "out" / "index.html").read_text()
    assert "2 clips on unitree_g1" in page and page.count("<svg") >= 5 and 'href="reports/' in page
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".lock", "batch.json", "index.html", "index.parquet", "motions", "reports", "rows"]


def test_what_is_up_to_date_is_kept_and_what_changed_is_done_again(tmp_path):
    folder, out = clips(tmp_path / "in", 3), tmp_path / "out"
    panto.batch(folder, "g1", out, workers=1, reports=0)
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.npz")}
    again = panto.batch(folder, "g1", out, workers=1, reports=0)
    assert (again.done, again.kept) == (3, 3) and times == {path: path.stat().st_mtime_ns for path in out.rglob("*.npz")}
    os.utime(folder / "000.bvh")  # another time, the same content
    assert panto.batch(folder, "g1", out, workers=1, reports=0).kept == 3
    (folder / "001.bvh").write_text(WALK.read_text() + " \n")
    (out / "motions" / "002.npz").unlink()
    assert panto.batch(folder, "g1", out, workers=1, reports=0).kept == 1, "one has other content, one lost its motion"
    assert panto.batch(folder, "g1", out, workers=1, reports=0, feet="soft").kept == 0, "other options"


def test_clips_that_cannot_be_used_are_rows_with_the_reason(tmp_path):
    folder = clips(tmp_path / "in", 2)
    text = WALK.read_bytes()
    (folder / "cut.bvh").write_bytes(text[:200])
    (folder / "empty.bvh").write_bytes(b"")
    (folder / "noise.bvh").write_bytes(random.Random(3).randbytes(5000))
    (folder / "gone.bvh").symlink_to(folder / "nowhere.bvh")
    (folder / "late.bvh").write_bytes(text[: len(text) * 2 // 3])
    out = tmp_path / "out"
    batch = panto.batch(folder, "g1", out, workers=2)
    table = rows(out)
    assert (batch.done, batch.failed) == (3, 4) and len(table) == 7
    for name in ("cut", "empty", "noise"):
        assert table[name]["error"] == "FormatError" and f"{name}.bvh" in table[name]["reason"]
    assert table["gone"]["error"] == "FileNotFoundError"
    assert table["late"]["status"] == "done" and "98 frames could be used" in table["late"]["verdict"], "what could be read is used"
    page = (out / "index.html").read_text()
    assert page.index(">noise<") < page.index(">late<") < page.index(">000<"), "worst first"
    assert str(tmp_path) not in page, "a page is shared: no path of this machine"
    again = panto.batch(folder, "g1", out, workers=2)
    assert again.kept == 6, "only the file that could not be read is tried again"
    shutil.copy(WALK, folder / "nowhere.bvh")
    assert panto.batch(folder, "g1", out, workers=2).failed == 3


def test_a_killed_worker_loses_nothing_and_doubles_nothing(tmp_path):
    folder, out = clips(tmp_path / "in", 60), tmp_path / "out"
    run = command(folder, "--robot", "g1", "-o", out, "--workers", "2", "--reports", "0")
    killed = set()
    while len(killed) < 2 and run.poll() is None:
        for work in out.glob(".work/*"):
            pid = int(work.name.rpartition(".")[2])
            if pid not in killed and len(killed) < 2 and len(list(out.glob("rows/[!.]*.json"))) > 5 * (len(killed) + 1):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        time.sleep(0.01)
    output, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    assert len(killed) == 2, "the run was too short to be disturbed"
    table = rows(out)
    assert len(table) == 60 and all(row["status"] == "done" for row in table.values()) and "60 done" in output
    assert len(list(out.glob("motions/*.npz"))) == 60 and not list(out.rglob("*.part")) and not (out / ".work").exists()
    begin = time.perf_counter()
    assert panto.batch(folder, "g1", out, reports=0).kept == 60
    assert time.perf_counter() - begin < 5


def test_a_clip_that_ends_its_worker_is_a_row(tmp_path):
    folder, out = clips(tmp_path / "in", 6), tmp_path / "out"
    (folder / "003.bvh").rename(folder / "deadly.bvh")
    (tmp_path / "site").mkdir()  # workers import it; what it does stands for memory that runs out, or a crash
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import os, panto\nfirst = panto.open\n"
        "def open(path, **words):\n    if 'deadly' in str(path): os.kill(os.getpid(), 11)\n    return first(path, **words)\n"
        "panto.open = open\n"
    )
    run = command(folder, "--robot", "g1", "-o", out, "--workers", "2", "--reports", "0", paths=[tmp_path / "site"])
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 1, errors
    table = rows(out)
    assert table["deadly"]["error"] == "WorkerDied" and "SIGSEGV" in table["deadly"]["reason"]
    assert sum(row["status"] == "done" for row in table.values()) == 5
    assert panto.batch(folder, "g1", out, reports=0).kept == 5, "it is tried again, and here it lives"


def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(tmp_path):
    folder, out = clips(tmp_path / "in", 60), tmp_path / "out"
    run = command(folder, "--robot", "g1", "-o", out, "--workers", "2", "--reports", "0")
    while len(list(out.glob("rows/[!.]*.json"))) < 5:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    begin = time.perf_counter()
    _, errors = run.communicate(timeout=20)
    assert run.returncode == 130 and "goes on" in errors and time.perf_counter() - begin < 5
    made = len(list(out.glob("rows/[!.]*.json")))
    assert 5 <= made < 60
    again = panto.batch(folder, "g1", out, reports=0)
    assert again.done == 60 and made <= again.kept < 60


def test_a_full_disk_is_rows_and_the_run_goes_on_when_there_is_room(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", small], capture_output=True).returncode != 0:
        pytest.skip("no right to mount: a full disk is NOT tested")
    folder = clips(tmp_path / "in", 20)
    script = (
        'mount -t tmpfs -o size=1M none "$1"; cd "$1"; status=0; "${@:2}" || status=$?; '
        'cp -r "$1" "$1.full"; mount -o remount,size=100M "$1"; "${@:2}"; cp -r "$1" "$1.roomy"; exit $status'
    )
    run = command(folder, "--robot", "g1", "-o", "out", "--workers", "1", "--reports", "0", before=["unshare", "-m", "bash", "-c", script, "_", small])
    output, errors = run.communicate(timeout=120)
    assert run.returncode in (1, 3), (output, errors)
    first, second = [line for line in output.splitlines() if "done" in line]
    done, failed = (int(words.split()[0]) for words in first.split(",")[:2])
    assert done + failed == 20 and 0 < done < 20
    if run.returncode == 1:
        table = rows(pathlib.Path(f"{small}.full") / "out")
        assert len(table) == 20 and sum(row["status"] == "failed" for row in table.values()) == failed
        assert all("No space" in row["reason"] for row in table.values() if row["status"] == "failed")
    else:
        assert "No space" in errors, "where even rows have no room, each is named"
    assert second.startswith(f"20 done, 0 failed, {done} of them up to date")
    assert len(rows(pathlib.Path(f"{small}.roomy") / "out")) == 20


def test_shards_are_of_similar_size_and_together_the_whole(tmp_path):
    folder, out = clips(tmp_path / "in", 10), tmp_path / "out"
    (folder / "009.bvh").write_text(WALK.read_text() + "\n" * 4_000_000)  # as large as several of the others
    counts = [panto.batch(folder, "g1", out, shard=(i, 3), reports=0, workers=1).done for i in (1, 2, 3)]
    assert sum(counts) == 10 and min(counts) == 1, "the large one has a part of its own"
    assert len(rows(out)) == 10
    apart = tmp_path / "elsewhere"  # parts of other machines are merged by copying them together
    for i in (1, 2, 3):
        panto.batch(folder, "g1", tmp_path / f"part{i}", shard=(i, 3), reports=0, workers=1)
        shutil.copytree(tmp_path / f"part{i}", apart, dirs_exist_ok=True)
    run = command("--index", "-o", apart)
    assert run.communicate(timeout=60)[0].startswith("10 done, 0 failed") and set(rows(apart)) == set(rows(out))
    with pytest.raises(panto.ConfigError, match="shard 4/3"):
        panto.batch(folder, "g1", out, shard=(4, 3))


def test_motions_of_a_data_set_begin_at_rest_or_loop(tmp_path):
    single = panto.retarget(WALK, "g1").motion
    assert panto.batch(WALK, "g1", tmp_path / "led", layout="mujoco", lead_in=0.5, workers=1, reports=0).done == 1
    single.save(tmp_path / "led.npz", layout="mujoco", lead_in=0.5)
    assert (tmp_path / "led" / "motions" / "walk.npz").read_bytes() == (tmp_path / "led.npz").read_bytes()
    looped = command(WALK, "--robot", "g1", "--for", "unitree", "--loop", "-o", tmp_path / "loops", "--workers", 1)
    assert looped.communicate(timeout=60)[0].startswith("1 done, 0 failed")
    single.save(tmp_path / "loop.csv", layout="unitree", loop=True)
    assert (tmp_path / "loops" / "motions" / "walk.csv").read_bytes() == (tmp_path / "loop.csv").read_bytes()


@pytest.mark.parametrize(
    "words, expected",
    [
        (dict(feet="planted"), "did you mean 'plant'"),
        (dict(layout="mjlb"), "did you mean 'mjlab'"),
        (dict(fps=30.0), "needs a layout"),
        (dict(workers=0), "1 or more"),
        (dict(lead_in=61.0), "give 0 to 60"),
        (dict(lead_out=1.0, loop=True), "never begins or ends"),
        (dict(reports="some"), "'all' or 'none'"),
        (dict(height=190.0), "height is 190"),
        (dict(mass=-1.0), "mass"),
        (dict(settle=-1.0), "settle"),
        (dict(clean="foo"), "light"),
        (dict(limits="scale", smooth=True), "exclude each other"),
        (dict(lead_in=1.0), "lead_in needs a layout"),
        (dict(layout="mjlab", fps=5000.0), "1 to 1000"),
    ],
)
def test_wrong_options_are_refused_before_the_first_clip(tmp_path, words, expected):
    with pytest.raises(panto.ConfigError, match=expected):
        panto.batch(WALK, "g1", tmp_path / "out", **words)
    assert not (tmp_path / "out").exists()
    with pytest.raises(TypeError, match="unknown option 'foot'"):
        panto.batch(WALK, "g1", tmp_path / "out", foot="plant")


def test_the_command_says_why_no_clip_could_be_done(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.bvh").write_text("no recording")
    run = command(tmp_path / "in", "--robot", "g1", "-o", tmp_path / "out")
    output, errors = run.communicate(timeout=60)
    assert run.returncode == 1 and output.startswith("0 done, 2 failed")
    assert "a.bvh:1: a BVH file begins with HIERARCHY" in errors and "other reason" not in errors, errors
    # the first clip's words, whichever clip was the first to fail
    batch = panto.batch(tmp_path / "in" / "b.bvh", "g1", tmp_path / "late")
    assert len(batch.reasons) == 1 and "b.bvh:1:" in batch.reasons[0]
    batch = panto.batch(tmp_path / "in", "g1", tmp_path / "late")
    assert batch.kept == 1 and len(batch.reasons) == 1 and "a.bvh:1:" in batch.reasons[0], batch.reasons
    run = command(WALK, "--robot", "g1", "-o", tmp_path / "tall", "--height", "190")
    assert "height" in run.communicate(timeout=60)[1] and run.returncode == 2 and not (tmp_path / "tall").exists()


def test_two_clips_of_one_name_keep_both_and_two_paths_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(WALK, tmp_path / folder / "walk.bvh")
    with pytest.raises(panto.ConfigError, match="would both be 'walk.bvh'"):
        panto.batch([tmp_path / "a" / "walk.bvh", tmp_path / "b" / "walk.bvh"], "g1", tmp_path / "out")
    (tmp_path / "a" / "walk.csv").write_text("x\n1\n")
    batch = panto.batch(tmp_path / "a" / "walk.*", "g1", tmp_path / "out")
    assert (batch.done, batch.failed) == (1, 1) and set(rows(tmp_path / "out")) == {"walk_bvh", "walk_csv"}
    with pytest.raises(panto.ConfigError, match="no recordings"):
        panto.batch(tmp_path / "out", "g1", tmp_path / "out")


def test_the_memory_of_a_worker_does_not_grow_with_the_clips(tmp_path):
    from panto._batch_clip import Clip, Worker

    job = panto._batch._job("g1", tmp_path / "out", None, None, "none", {})
    worker = Worker(job)

    def some(count, name):
        for i in range(count):
            assert worker.clip(Clip(f"{name}{i}", str(WALK), 0))["status"] == "done"
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    before = some(20, "a")
    assert some(60, "b") < before + 5, "[MB] 60 clips of 150 frames, 0.3 MB each, would be 18 MB"


def test_every_layout_is_written_for_a_data_set(tmp_path):
    folder = clips(tmp_path / "in", 2)
    for layout in panto.layouts():
        batch = panto.batch(folder, "g1", tmp_path / layout, layout=layout, workers=1, reports=0)
        failed = [row["reason"] for row in rows(tmp_path / layout).values() if row["status"] == "failed"]
        if failed and all("pip install" in reason for reason in failed):
            continue  # a layout whose library is not installed says so
        assert (batch.done, failed) == (2, []), layout


def test_ray_does_a_data_set_on_two_nodes_and_survives_a_killed_worker(tmp_path):
    ray = pytest.importorskip("ray", reason="ray is not installed: clusters are NOT tested")
    from ray.cluster_utils import Cluster

    folder, out = clips(tmp_path / "in", 100), tmp_path / "out"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        run = command(folder, "--robot", "g1", "-o", out, "--ray", cluster.address, "--reports", "0")
        killed = False
        while not killed and run.poll() is None:
            works = list(out.glob(".work/*"))
            if works and len(list(out.glob("rows/[!.]*.json"))) > 10:
                os.kill(int(works[0].name.rpartition(".")[2]), signal.SIGKILL)
                killed = True
            time.sleep(0.01)
        _, errors = run.communicate(timeout=300)
        assert run.returncode == 0 and killed, errors
        table = rows(out)
        assert len(table) == 100 and all(row["status"] == "done" for row in table.values())
        assert len(list(out.glob("motions/*.npz"))) == 100
        run = command(folder, "--robot", "g1", "-o", out, "--ray", cluster.address, "--reports", "0")
        assert "100 of them up to date" in run.communicate(timeout=60)[0]
    finally:
        cluster.shutdown()
    del ray
