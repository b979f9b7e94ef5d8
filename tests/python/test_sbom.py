"""The bill of materials that a build writes: valid by CycloneDX's own library, and it names whatever the command is linked to."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

# what a library's file is called, and what we call it
LIBRARIES = {
    "libexpat": "expat", "libpugixml": "pugixml", "libtomlplusplus": "toml++", "libfmt": "fmt", "libzip": "libzip", "libzmq": "libzmq",
    "libhiredis": "hiredis", "libqrencode": "libqrencode", "libssl": "OpenSSL", "libcrypto": "OpenSSL", "libddsc": "Cyclone DDS",
}
SYSTEM = {"libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64", "libpthread", "libdl", "librt", "ld-linux-aarch64"}
HEADERS_ALONE = {"Eigen", "nlohmann-json", "Boost", "CLI11"}


@pytest.fixture(scope="module")
def command():
    return pathlib.Path(os.environ["PANTO_COMMAND"])


@pytest.fixture(scope="module")
def bill(command):
    return json.loads((command.parents[2] / "sbom.cdx.json").read_text(encoding="utf-8"))


def test_it_is_valid_cyclonedx(bill):
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(json.dumps(bill)) is None


def test_it_names_every_library_that_the_command_is_linked_to(command, bill):
    dynamic = subprocess.run(["readelf", "-d", command], capture_output=True, text=True, check=True).stdout
    linked = {name.split(".so")[0].split("-")[0] if name.startswith("libfmt") else name.split(".so")[0]
              for name in re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic)} - SYSTEM
    assert linked <= LIBRARIES.keys(), "a library that the table of this test does not know"
    named = {one["name"] for one in bill["components"]}
    assert {LIBRARIES[name] for name in linked} | HEADERS_ALONE <= named
    versions = {one["name"]: one.get("version") for one in bill["components"]}
    assert all(versions[name] for name in named - {"libqrencode"})


def test_the_page_is_in_it_and_no_tool_that_only_builds_it(bill, project):
    named = {one["name"] for one in bill["components"]}
    package = json.loads((project / "viewer/package.json").read_text(encoding="utf-8"))
    assert package["dependencies"].keys() <= named
    assert not package["devDependencies"].keys() & named


def test_the_same_build_gives_the_same_bytes(command, project, tmp_path):
    for name in ("one.json", "two.json"):
        subprocess.run([sys.executable, project / "tools/sbom.py", command.parents[2] / "sbom_versions.txt", tmp_path / name], check=True)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert (tmp_path / "one.json").read_bytes() == (command.parents[2] / "sbom.cdx.json").read_bytes()


def test_every_library_of_the_table_has_a_licence_that_spdx_knows(project):
    sys.path.insert(0, str(project / "tools"))
    import sbom
    from cyclonedx.spdx import is_expression, is_supported_id

    table = sbom.table()
    assert len(table) == 15
    for name, (licence, _) in table.items():
        assert is_supported_id(licence) or is_expression(licence), f"{name}: {licence}"
