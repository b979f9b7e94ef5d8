"""The documents agree with the project: links lead somewhere, versions are one, verbs exist."""
import re
import subprocess

import pytest


def documents(project):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=project, capture_output=True, text=True, check=True).stdout.split()
    return [project / name for name in listed]


def version(project):
    return re.search(r"project\(panto VERSION (\S+)", (project / "CMakeLists.txt").read_text())[1]


def test_every_relative_link_leads_to_a_file(project):
    broken = []
    for page in documents(project):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(project)}: {target}")
    assert not broken


def test_every_page_is_reached_by_a_link(project):
    pages = documents(project)
    linked = {project / "README.md"}
    for page in pages:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                linked.add((page.parent / target).resolve())
    assert [str(page.relative_to(project)) for page in pages if page.resolve() not in linked] == []


def test_one_version_everywhere(project):
    assert f"version: {version(project)}" in (project / "CITATION.cff").read_text()
    assert f"## [{version(project)}]" in (project / "CHANGELOG.md").read_text()


def test_verbs_in_the_documents_exist(project):
    known = set(re.findall(r"^\./dev (\w[\w-]*)", subprocess.run([project / "dev", "help"], capture_output=True, text=True, check=True).stdout, re.M))
    assert {"demo", "test", "bench", "format", "clean", "help"} <= known
    for page in documents(project):
        used = set(re.findall(r"`\./dev (\w[\w-]*)", page.read_text(encoding="utf-8")))
        assert used <= known, page


def test_an_unknown_verb_is_a_usage_error(project):
    result = subprocess.run([project / "dev", "dance"], capture_output=True, text=True)
    assert result.returncode == 2
    assert "unknown command 'dance'" in result.stderr


@pytest.mark.parametrize("number", range(1, 14))
def test_a_decision_has_context_decision_and_consequences(project, number):
    (page,) = (project / "docs" / "decisions").glob(f"{number:04}-*.md")
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.M)
    assert headings[:3] == ["Context", "Decision", "Consequences"]
