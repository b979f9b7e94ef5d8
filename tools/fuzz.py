#!/usr/bin/env python3
"""Runs fuzz targets by libFuzzer, prints executions and coverage, and keeps what breaks them.

    fuzz.py PROGRAM [TARGET] [SECONDS]     SECONDS: of each target, 60 by default; without a target all of them

Inputs grow in build/fuzz/corpus and serve the next run. An input that breaks a target is kept beside the targets, where
the tests test_fuzz and test_fuzz_solvers try it from then on. All targets together write the page `reliability` of the
results. Exits 1 if any target broke. PANTO_FUZZ_JOBS: targets at a time; default: one a core.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORPUS = ROOT / "build/fuzz/corpus"
KEPT = ROOT / "tests" / "fuzz" / "kept"
PAGE = ROOT / "docs" / "results" / "reliability"
LONGEST = 65536  # bytes of an input
OPTIONS = ["-print_final_stats=1", "-timeout=20", "-rss_limit_mb=2048", "-malloc_limit_mb=512", f"-max_len={LONGEST}"]


def covered(log):
    """Returns the edges covered at the start and at the end, as libFuzzer counts them."""
    edges = [int(number) for number in re.findall(r"^#\d+\s.*?\bcov: (\d+)", log, re.M)]
    first = re.search(r"^#\d+\s+INITED cov: (\d+)", log, re.M)
    return (int(first[1]) if first else 0), (edges[-1] if edges else 0)


def run(program, target, seconds):
    """Fuzzes one target. Returns a row of the table."""
    corpus, kept, seeds = CORPUS / target, KEPT / target, CORPUS / "seeds" / target
    corpus.mkdir(parents=True, exist_ok=True)
    subprocess.run([program, target, "--seeds", seeds], check=True)
    known = set(kept.glob("*"))
    folders = [corpus, seeds] + ([kept] if known else [])
    kept.mkdir(parents=True, exist_ok=True)
    command = [program, target, *OPTIONS, f"-max_total_time={seconds}", f"-artifact_prefix={kept}/", *folders]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    log = done.stderr.decode(errors="replace")
    (CORPUS / f"{target}.log").write_text(log, encoding="utf-8")
    found = sorted(set(kept.glob("*")) - known)
    if not any(kept.iterdir()):
        kept.rmdir()
    counted = re.search(r"stat::number_of_executed_units:\s*(\d+)", log)
    last = re.findall(r"^#(\d+)\s", log, re.M)
    executions = int(counted[1]) if counted else int(last[-1]) if last else 0
    first, final = covered(log)
    return {"target": target, "executions": executions, "first": first, "final": final, "broken": done.returncode != 0, "found": found}


def grouped(number):
    return f"{number:,}".replace(",", " ")


def show(row):
    line = f"{row['target']:18} {grouped(row['executions']):>12} executions, {grouped(row['final']):>7} edges ({row['final'] - row['first']:+})"
    print(line + (f"  BROKEN: {', '.join(str(path.relative_to(ROOT)) for path in row['found']) or 'see build/fuzz/corpus'}" if row["broken"] else ""), flush=True)


def write_page(rows, seconds):
    """Writes the table of all targets, and the page with its sums."""
    table = ["target,executions,edges_by_seeds_and_earlier_runs,edges,open"]
    table += [f"{row['target']},{row['executions']},{row['first']},{row['final']},{int(row['broken'])}" for row in rows]
    PAGE.with_suffix(".csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    executions = [row["executions"] for row in rows]
    lines = [
        "# Reliability",
        "",
        f"`./dev fuzz {seconds}`: readers, decoders, solvers under sanitizers, on libFuzzer's inputs. By target:",
        "[reliability.csv](reliability.csv).",
        "",
        "| targets | executions | fewest of a target | open findings |",
        "|---|---|---|---|",
        f"| {len(rows)} | {sum(executions)} | {min(executions)} | {sum(row['broken'] for row in rows)} |",
    ]
    PAGE.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(program, words):
    targets = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout.split()
    chosen = [words.pop(0)] if words and not words[0].isdigit() else targets
    seconds = int(words.pop(0)) if words and words[0].isdigit() else 60
    if words or not set(chosen) <= set(targets):
        sys.exit(f"./dev fuzz: TARGET is one of: {' '.join(targets)}")
    jobs = int(os.environ.get("PANTO_FUZZ_JOBS") or os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = []
        for row in pool.map(lambda target: run(program, target, seconds), chosen):
            show(row)
            rows.append(row)
    if len(chosen) == len(targets):
        write_page(rows, seconds)
    sys.exit(any(row["broken"] for row in rows))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:])
