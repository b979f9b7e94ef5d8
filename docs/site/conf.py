"""Sphinx: the pages of the repository as they are. tools/docs_site.py stages them and runs this."""

import os
import pathlib
import posixpath
import re

STAGE = pathlib.Path(__file__).resolve().parent
REPOSITORY = pathlib.Path(os.environ["PANTO_SOURCE"])

project, author = "Panto", "The Panto authors"
copyright = "The Panto authors, Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["site", "reference/xml"]
templates_path = []

html_theme = "furo"  # fonts of the system, search without a server
html_title = "Panto"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
html_css_files = ["panto.css"]
html_static_path = ["static"]
pygments_style = "friendly"

myst_heading_anchors = 4
myst_links_external_new_tab = False
highlight_language = "none"
suppress_warnings = [
    "misc.highlighting_failure",  # shortened JSON and TOML, as pages show them
    "duplicate_declaration.cpp",  # a namespace on every page
]

default_role = "literal"  # single backticks, as docstrings have them
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": True}
python_use_unqualified_type_names = True
add_module_names = False

breathe_projects = {"panto": str(STAGE.parent / "reference" / "xml")}
breathe_default_project = "panto"
breathe_show_include = False
cpp_maximum_signature_line_length = 90

NAVIGATION = [  # caption, pages; a page that ends with / has its folder's pages below it
    ("Start", ["project/README", "choose"]),
    ("Tutorials", [f"tutorials/{page}" for page in (
        "README", "1_clip_to_mjlab", "2_your_robot", "3_imus_to_opensim", "4_amass_to_robots", "5_data_set_on_ray", "6_your_character")]),
    ("Guides", ["live", "batch", "character", "web", "real_time", "project/examples/README", "gallery/README"]),
    ("Formats", ["formats/"]),
    ("Reference", ["command", "reference/command", "python", "reference/python", "public_headers", "reference/cpp/"]),
    ("How it works", ["reading_guide", "notation", "fault_battery", "algorithms/"]),
    ("Decisions", ["decisions/"]),
    ("Results", ["results/", "project/benchmarks/retarget/README", "project/benchmarks/imu/README", "project/experiments/README"]),
    ("Project", ["project/CONTRIBUTING", "project/CHANGELOG", "project/SECURITY"]),
]
TITLES = {"project/README": "At a glance", "tutorials/README": "All six", "project/examples/README": "Examples", "gallery/README": "Gallery",
          "command": "The command by example", "python": "Python by example", "project/benchmarks/retarget/README": "Judge of robots",
          "project/benchmarks/imu/README": "Judge of sensors", "project/experiments/README": "Experiments"}  # fmt: skip


def place_of(docname):
    """Where in the repository a page of the site is."""
    return docname.removeprefix("project/") if docname.startswith("project/") else f"docs/{docname}"


def page_of(path):
    """Where on the site a file of the repository is."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"


def on_the_site(docname, text):
    """The page with its links as the site needs them: docs/ is its root; what is no page of it becomes its path in the repository."""

    def link(match):
        before, target, anchor = match.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(place_of(docname)), target))
        page = page_of(path)
        staged = STAGE.parent / page
        if staged.is_file():
            return f"{before}({posixpath.relpath(page, posixpath.dirname(docname) or '.')}{anchor or ''})"
        if not (REPOSITORY / path).exists():
            return match[0]  # MyST complains
        words = re.fullmatch(r"!?\[(.*)\]", before, re.S)[1]
        return words if f"`{path}`" in words else f"{words} (`{path}`)"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        for begin, words in ((r"!\[", r"[^\[\]]*"), (r"(?<!!)\[", r"(?:[^\[\]]|\[[^\]]*\])*")):  # pictures, then links, which may hold one
            parts[i] = re.sub(rf"({begin}{words}\])\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)", link, parts[i])
    return "".join(parts)


def entry(page):
    return f"{TITLES[page]} <{page}>" if page in TITLES else page


def tree(caption, pages):
    """A hidden table of contents: the sidebar."""
    lines = ["", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *pages, "```", ""]
    return "\n".join(lines)


def overview(folder):
    return folder + "index" if folder.startswith("reference") else folder + "README"


def read_page(app, docname, source):
    if not (STAGE.parent / f"{docname}.md").is_file():
        return
    text = on_the_site(docname, source[0])
    if docname == root_doc:
        for caption, pages in NAVIGATION:
            text += tree(caption, [entry(overview(page) if page.endswith("/") else page) for page in pages])
    folders = [page for _, pages in NAVIGATION for page in pages if page.endswith("/")]
    for folder in folders:
        if docname == overview(folder):
            names = sorted(path.stem for path in (STAGE.parent / folder).glob("*.*") if path.suffix in source_suffix and path.stem not in ("README", "index"))
            text += tree("", names)
    source[0] = text


def read_docstring(app, what, name, thing, options, lines):
    """Docstrings are plain words: an indented part is code, and every `name: ...` begins a paragraph."""
    text = []
    for i, line in enumerate(lines):
        if line.startswith("    ") and i and not lines[i - 1].strip():
            text += ["::", ""]
        elif re.match(r"[a-z][\w, ]*: |Raises |Returns ", line) and i and lines[i - 1].strip():
            text.append("")
        text.append(line if line.startswith("    ") else re.sub(r"(?<!`)\*", r"\\*", line))
    lines[:] = text


def setup(app):
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("source-read", read_page)
