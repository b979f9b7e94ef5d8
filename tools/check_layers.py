#!/usr/bin/env python3
"""Checks which room may include which in src/panto and apps, that includes form no cycles, and that only io, live and bridge use
files, sockets, clocks and threads. No file begins with its room's name.

Usage: check_layers.py [ROOT]     Prints every violation as path:line: and exits 1 if there is one.
"""
import pathlib
import re
import sys

CORE = ["base", "math", "model", "sample", "motion"]  # each may include those to its left
MAY = {room: set(CORE[:i]) for i, room in enumerate(CORE)}
CORE = set(CORE)
MAY["stream"] = {"base", "math", "model", "sample"}
MAY["targets"] = {"base", "math", "model", "sample"}
MAY["rig"] = {"base", "math", "model", "sample"}
MAY["keypoints"] = MAY["rig"] | {"rig"}
MAY["robot"] = CORE | {"targets"}
MAY["tree_qp"] = {"base", "math", "model"}
MAY["ik"] = {"base", "math", "model", "sample", "targets", "tree_qp"}
MAY |= {room: CORE for room in ("inertial", "synthesis", "evaluation")}
MAY["recording"] = CORE | {"targets", "rig", "evaluation"}
MAY["tracking"] = CORE | {"targets", "ik", "inertial", "recording", "evaluation"}
MAY["retarget"] = MAY["tracking"] | {"robot", "tracking"}
MAY["io"] = set(MAY) - {"synthesis", "retarget", "stream"}
MAY["live"] = CORE | {"ik", "recording", "tracking", "stream"}
MAY["api"] = set(MAY) - {"synthesis", "stream", "live"}
MAY["report"] = set(MAY) - {"synthesis", "stream", "live"}
MAY["bridge"] = set(MAY) - {"synthesis"}  # runs as a whole: what they read, do and write
# The command turns words into values and values into words; understanding and solving is done below the api. Of other rooms it
# has what jobs take and give (recording, tracking, evaluation), what `replay` sends (stream), and `synthesize` is a task.
APPS = {
    "panto": {"api", "report", "io", "live", "bridge", "recording", "tracking", "synthesis", "evaluation", "stream", "base"},
    "web": {"api", "report", "io", "recording", "robot", "model", "motion", "math", "evaluation", "base"},
    "support": {"base", "model", "sample", "motion", "targets", "ik", "evaluation", "tracking", "synthesis"},
}
OUTSIDE = {"io", "live", "bridge"}  # only these use the outside world
LIBRARIES = {"report": {"nlohmann/json.hpp", "fmt/core.h", "fmt/format.h"}}  # further libraries that a room may use
WORLD = set(
    "cstdio fstream iostream filesystem syncstream thread mutex shared_mutex condition_variable future stop_token "
    "semaphore latch barrier chrono ctime".split()
)


def problem(module, include):
    """Returns why `module` may not have this include, or None."""
    ours = re.match(r'"panto/(\w+)/', include)
    if ours and ours[1] != module and ours[1] not in MAY[module]:
        return f"{module} may not include {ours[1]}; it may include {', '.join(sorted(MAY[module])) or 'nothing'}"
    if include[0] == '"' and not ours:
        return f'include our own headers as "panto/module/file.hpp", not {include}'
    name = include[1:-1]
    if module in OUTSIDE or ours:
        return None
    if name in WORLD:
        return f"only io, live and bridge may use files, clocks and threads; {module} may not include <{name}>"
    if not name.startswith("Eigen/") and re.search(r"[./]", name) and name not in LIBRARIES.get(module, ()):
        return f"{module} may use Eigen and the standard library only, not <{name}>"
    return None


INCLUDE = re.compile(r'\s*#\s*include\s*(<[^>]+>|"[^"]+")')


def includes(path):
    """Yields (line number, included header) of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := INCLUDE.match(line):
            yield number, found[1]


def violations_of_apps(root):
    for path in sorted((root / "apps").rglob("*.?pp")):
        program = path.relative_to(root / "apps").parts[0]
        for number, include in includes(path):
            ours = re.match(r'"panto/(\w+)/', include)
            if ours and ours[1] not in APPS.get(program, ()):
                yield f"{path.relative_to(root)}:{number}: apps/{program} may not include {ours[1]}; it may include " + ", ".join(
                    sorted(APPS.get(program, ()))
                )


def circles(root):
    """Yields cycles of files that include each other, each cycle once."""
    files = {f'"{path.relative_to(root / "src")}"': path for path in (root / "src").rglob("*.hpp")}
    files |= {f'"{path.relative_to(root)}"': path for path in (root / "apps").rglob("*.hpp")}
    # a header may end with its own inline part
    edges = {
        name: [i for _, i in includes(path) if i in files and i != name.replace(".hpp", "_inline.hpp")] for name, path in files.items()
    }
    state = {}

    def visit(name, way):
        state[name] = "open"
        for after in edges[name]:
            if state.get(after) == "open":
                circle = way[way.index(after):]
                yield f"{files[after].relative_to(root)}:1: includes form a cycle: " + " -> ".join([*circle, after])
            elif after not in state:
                yield from visit(after, [*way, after])
        state[name] = "done"

    for name in sorted(edges):
        if name not in state:
            yield from visit(name, [name])


def violations(root):
    yield from violations_of_rooms(root)
    yield from violations_of_apps(root)
    yield from circles(root)


def violations_of_rooms(root):
    source = root / "src" / "panto"
    for path in sorted(source.rglob("*.?pp")):
        parts = path.relative_to(source).parts
        if parts[0] not in MAY or len(parts) < 2:
            yield f"{path.relative_to(root)}:1: not in a known room ({', '.join(MAY)})"
            continue
        if path.name.startswith(parts[0] + "_"):
            yield f"{path.relative_to(root)}:1: the room's name is said twice: leave '{parts[0]}_' out of the file's"
        for number, include in includes(path):
            if why := problem(parts[0], include):
                yield f"{path.relative_to(root)}:{number}: {why}"


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) or "layers: all includes are allowed")
    sys.exit(1 if found else 0)
