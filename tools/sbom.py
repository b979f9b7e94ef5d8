#!/usr/bin/env python3
"""Writes the bill of materials of a build, in CycloneDX 1.5.

Usage: sbom.py VERSIONS OUT

VERSIONS has a line NAME=VERSION for Panto and every library that the build found (cmake/panto_dependencies.cmake); licences are
those of docs/dependencies.md, packages of the page those of viewer/package-lock.json. The same build gives the same bytes:
there is no date, and the serial number is made from the content.
"""
import base64
import json
import pathlib
import re
import sys
import uuid

PROJECT = pathlib.Path(__file__).resolve().parents[1]
ROW = re.compile(r"\| ([^|`]+?) \| ([0-9.]+) \| ([^|]+?) \| ([^|]+?) \|\s*$")
# names that purl and the page spell otherwise
PURL = {"Eigen": "eigen", "toml++": "tomlplusplus", "Boost": "boost", "OpenSSL": "openssl", "Cyclone DDS": "cyclonedds", "CLI11": "cli11"}


def table():
    """{name: (licence, what for)} of docs/dependencies.md."""
    lines = (PROJECT / "docs/dependencies.md").read_text(encoding="utf-8").splitlines()
    return {found[1]: (found[3], found[4]) for line in lines if (found := ROW.match(line))}


def licences(expression):
    """One licence by its id, or an expression of several."""
    return [{"license": {"id": expression}}] if " " not in expression else [{"expression": expression}]


def component(name, version, licence, purl, description=""):
    entry = {"type": "library", "bom-ref": purl, "name": name}
    if version:
        entry["version"] = version
    if description:
        entry["description"] = description
    return entry | {"licenses": licences(licence), "purl": purl}


def libraries(versions):
    known = table()
    for name, version in versions.items():
        licence, use = known[name]
        kind = "pypi" if name == "nanobind" else "generic"
        purl = f"pkg:{kind}/{PURL.get(name, name)}" + (f"@{version}" if version else "")
        yield component(name, version, licence, purl, use)


def packages():
    """What the page contains: no tool that only builds or tests it, no package of types alone."""
    locked = json.loads((PROJECT / "viewer/package-lock.json").read_text(encoding="utf-8"))["packages"]
    for path, package in sorted(locked.items()):
        name = path.rpartition("node_modules/")[2]
        if not name or package.get("dev") or name.startswith("@types/"):
            continue
        purl = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
        entry = component(name, package["version"], package["license"], purl, "the page")
        method, _, digest = package["integrity"].partition("-")
        yield entry | {"hashes": [{"alg": method.upper().replace("SHA", "SHA-"), "content": base64.b64decode(digest).hex()}]}


def bill(versions):
    own = versions.pop("panto")
    root = {
        "type": "application", "bom-ref": f"pkg:generic/panto@{own}", "name": "panto", "version": own,
        "licenses": licences("Apache-2.0"), "purl": f"pkg:generic/panto@{own}",
    }
    components = [*libraries(versions), *packages()]
    content = {
        "metadata": {"component": root},
        "components": components,
        "dependencies": [{"ref": root["bom-ref"], "dependsOn": sorted(one["bom-ref"] for one in components)}],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}", "version": 1} | content


def main(versions, out):
    lines = pathlib.Path(versions).read_text(encoding="utf-8").split("\n")
    found = dict(line.split("=", 1) for line in lines if line)
    pathlib.Path(out).write_text(json.dumps(bill(found), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
