#!/usr/bin/env python3
"""Builds the site of the documents; any warning and any link that leads nowhere is an error.

    docs_site.py OUT      PANTO_COMMAND: the built command, PANTO_PACKAGE: the folder of the built Python package

Copies the pages of docs/ and of the repository to one folder, writes the references of the command and of C++ (by Doxygen)
beside them, and runs Sphinx on them with docs/site/conf.py.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "benchmarks/retarget/README.md",
         "benchmarks/imu/README.md", "experiments/README.md")  # beside those of docs/  # fmt: skip


def stage(folder):
    """Makes the folder that Sphinx reads: docs/ as its top, other pages below project/. Copies: MyST follows symbolic links."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for page in PAGES:
        (folder / "project" / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, folder / "project" / page)


def write_command(path, package):
    """All options of all commands, as `panto help` prints them: by the package, which brings some of them."""
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "80"}

    def run(*words):
        return subprocess.run([sys.executable, "-B", "-m", "panto", *words], capture_output=True, text=True, check=True, env=environment).stdout

    top = run("--help")
    names = re.findall(r"^  (\w+) {2,}\S", top.partition("Commands:")[2].partition("Examples:")[0], re.M)
    text = f"# The command, all options\n\nWhat `panto help` prints.\n\n```text\n{top.strip()}\n```\n"
    for name in names:
        text += f"\n## {name}\n\n```text\n{run(name, '--help').strip()}\n```\n"
    path.write_text(text, encoding="utf-8")


def write_cpp(folder, xml):
    """A page for each public header, from the table of docs/public_headers.md."""
    table = re.findall(r"^\| `(\S+\.hpp)` \| (.+) \|$", (ROOT / "docs" / "public_headers.md").read_text(encoding="utf-8"), re.M)
    headers = [ROOT / "src" / "panto" / name for name, _ in table]
    settings = {
        "INPUT": " ".join(map(str, headers)), "STRIP_FROM_PATH": ROOT / "src", "XML_OUTPUT": xml, "GENERATE_XML": "YES", "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO", "QUIET": "YES", "EXTRACT_ALL": "YES", "WARN_IF_UNDOCUMENTED": "NO", "MARKDOWN_SUPPORT": "YES",
        "MACRO_EXPANSION": "YES", "AUTOLINK_SUPPORT": "NO", "XML_PROGRAMLISTING": "NO", "WARN_IF_DOC_ERROR": "NO",
    }  # fmt: skip
    lines = "\n".join(f"{name} = {value}" for name, value in settings.items())
    subprocess.run(["doxygen", "-"], input=lines, text=True, check=True, cwd=xml.parent)
    for path in xml.glob("*.xml"):  # Sphinx reads no values of several strings, and none with names
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"<initializer>(?:=?\s*\{\.|[^<]{60}).*?</initializer>", "", text, flags=re.S), encoding="utf-8")
    folder.mkdir()
    index = "# C++, all of it\n\nOne page for each [public header](../../public_headers.md). `#include \"panto/NAME\"`.\n\n| header | what a program needs it for |\n|---|---|\n"
    for name, reason in table:
        page = name.replace("/", "_").removesuffix(".hpp")
        index += f"| [{name}]({page}.rst) | {reason} |\n"
        text = f"{name}\n{'=' * len(name)}\n\n{reason[0].upper()}{reason[1:]}.\n\n.. doxygenfile:: {name.rpartition('/')[2]}\n"
        (folder / f"{page}.rst").write_text(text.replace("`", "``"), encoding="utf-8")
    (folder / "index.md").write_text(index, encoding="utf-8")


def lacking_in_python(page, package):
    """Public names of the package that its reference leaves out."""
    public = re.findall(r'^    "(\w+)",$', (package / "panto" / "__init__.py").read_text(encoding="utf-8"), re.M)
    return [name for name in public if not name.startswith("_") and f":: panto.{name}\n" not in page.read_text(encoding="utf-8")]


class Page(html.parser.HTMLParser):
    """Collects what a page links to, what it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        loads = given.get("src") if tag in ("script", "img", "source", "iframe") else None
        if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon"):
            loads = given.get("href")
        self.loads += [loads] if loads else []


def broken(out):
    """Lines about links that lead nowhere and about what a page would load from the network."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in out.rglob("*.html")}
    for path, page in pages.items():
        where = path.relative_to(out.resolve())
        for target in page.links + page.loads:
            address = urllib.parse.urlsplit(target)
            if address.scheme or address.netloc:
                if target in page.loads and address.scheme != "data":
                    yield f"{where}: loads {target}"
                continue
            to = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            if not to.exists():
                yield f"{where}: {target} leads nowhere"
            elif address.fragment and to in pages and urllib.parse.unquote(address.fragment) not in pages[to].anchors:
                yield f"{where}: there is no {target}"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    out, stage_folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[1]).resolve().with_suffix(".stage")
    package = pathlib.Path(os.environ["PANTO_PACKAGE"])
    stage(stage_folder)
    reference = stage_folder / "reference"
    reference.mkdir()
    write_command(reference / "command.md", package)
    write_cpp(reference / "cpp", reference / "xml")
    shutil.copy(ROOT / "docs" / "site" / "python.rst", reference / "python.rst")
    problems = [f"docs/site/python.rst: panto.{name} is missing" for name in lacking_in_python(reference / "python.rst", package)]
    shutil.rmtree(out, ignore_errors=True)
    environment = {**os.environ, "PANTO_SOURCE": str(ROOT), "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-c", stage_folder / "site", "-d", stage_folder / ".doctrees"]
    if subprocess.run([*sphinx, stage_folder, out], env=environment, check=False).returncode:
        problems.append("Sphinx: see the warnings above")
    problems += [f"{page.name}: says nothing" for page in (out / "reference" / "cpp").glob("*_*.html") if 'class="cpp' not in page.read_text(encoding="utf-8")]
    problems += broken(out)
    print("\n".join(problems) if problems else f"{sum(1 for _ in out.rglob('*.html'))} pages, no warnings, no broken links: {out / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
