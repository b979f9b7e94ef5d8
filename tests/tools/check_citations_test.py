"""The check of citations must catch what is planted, and only that."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import check_citations  # noqa: E402

THERE = {
    "docs/algorithms/modular.md": "# Modular\n",
    "docs/decisions/0018-names.md": "# Names\n",
    "src/panto/ik/modular.hpp": "#pragma once\n",
    "src/panto/ik/modular.cpp": "int x;\n",
}


def found_in(files):
    """Violations in a project of these files beside those that are always there: {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**THERE, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(check_citations.violations(root))


class CheckCitations(unittest.TestCase):
    def planted(self, name, line, reason):
        found = found_in({name: "\n" + line + "\n"})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{name}:2: "), found)
        self.assertIn(reason, found[0])

    def test_a_path_that_does_not_exist_is_refused_in_comments_strings_and_pages(self):
        self.planted("src/panto/ik/a.cpp", "// see docs/algorithms/theory.md", "no docs/algorithms/theory.md")
        self.planted("src/panto/ik/a.hpp", 'fail("see docs/formats/bvh");', "no docs/formats/bvh")
        self.planted("docs/a.md", "`src/panto/ik/modular.{hpp,cpp,inl}`", "no src/panto/ik/modular.inl")
        self.planted("tools/a.py", '"""Writes docs/results/a*.md"""', "no docs/results/a*.md")

    def test_a_link_that_leads_nowhere_is_refused(self):
        self.planted("docs/a.md", "[law](algorithms/modula.md#law)", "the link to algorithms/modula.md leads nowhere")

    def test_a_page_that_the_repository_does_not_have_is_refused(self):
        self.planted("src/panto/ik/a.cpp", "// Every row of theory.md 5.1", "no page theory.md")
        for citation in ("[theory, section 1.1]", "[performance, section 3.2]", "[theory: N4; Rapetti 2020]", "[formats,"):
            self.planted("src/panto/ik/a.cpp", "// the law. " + citation, "is no page of this repository")

    def test_what_exists_passes_in_every_short_form(self):
        lines = ("docs/algorithms/modular.md", "src/panto/ik/modular", "src/panto/ik/modular.{hpp,cpp}", "src/panto/ik/",
                 "docs/decisions/0018", "src/panto/ik/mod*", "src/panto/*/modular.cpp", "src/panto/ik/NAME.cpp",
                 "[Rapetti 2020, section 3.1]", "modular.md", "../models/a.urdf", "/usr/src/panto/x", "[field](peers)")
        self.assertEqual(found_in({"src/panto/ik/a.cpp": "".join(f"// {line}\n" for line in lines)}), [])
        self.assertEqual(found_in({"docs/a.md": "[law](algorithms/modular.md#law) [site](https://a.b/docs) [here](#a)\n"}), [])


if __name__ == "__main__":
    unittest.main()
