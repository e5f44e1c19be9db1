"""Builds the website of docs/ strictly, and checks that it loads nothing from other hosts and that links have targets."""

import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import python_environment  # noqa: E402

python_environment.require_modules("mkdocs")

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
# The attributes by which an element loads a resource when the page opens. A link that a reader follows (a href) loads nothing.
LOADS = {"script": ("src",), "img": ("src", "srcset"), "link": ("href",), "iframe": ("src",), "source": ("src", "srcset"),
         "video": ("src", "poster"), "audio": ("src",), "object": ("data",), "embed": ("src",), "use": ("href",),
         "image": ("href",)}
MAX_README_LINES = 150
OUTSIDE = re.compile(r"^\s*(?:[a-z][a-z+.-]*:)?//", flags=re.IGNORECASE)
STYLE = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")]+)")


class Page(html.parser.HTMLParser):
    """The links, the ids and the loaded resources of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loads = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = {name: value or "" for name, value in attributes}
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        self.loads += [found[name] for name in LOADS.get(tag, ()) if name in found]
        self.loads += STYLE.findall(found.get("style", ""))


def outside_loads(site):
    """Returns `page: URL` for each resource of another host that a page or a style sheet loads."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".svg"):
            found += [f"{path.name}: {address}" for address in Page(path.read_text()).loads if OUTSIDE.match(address)]
        if path.suffix in (".html", ".css", ".svg"):
            found += [f"{path.name}: {address}" for address in STYLE.findall(path.read_text())]
    return found


def broken_links(site):
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in page.links:
            address, _, anchor = link.partition("#")
            if OUTSIDE.match(link) or link.startswith(("mailto:", "javascript:")) or path.name in ("404.html", "search.html"):
                continue
            target = path if not address else (path.parent / address).resolve()
            if target not in pages and not target.is_file():
                found.append(f"{path.relative_to(site)}: {link}")
            elif anchor and target in pages and anchor not in pages[target].ids:
                found.append(f"{path.relative_to(site)}: {link}: no such anchor")
    return found


def markdown_links():
    """Yields (page, link) for the links of README.md, CONTRIBUTING.md and SECURITY.md, except in code blocks."""
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"):
        text = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(), flags=re.DOTALL | re.MULTILINE)
        yield from ((ROOT / name, link) for link in re.findall(r"\]\(([^)\s]+)\)", text))


def heading_anchors(path):
    headings = re.findall(r"^#+ (.*)$", path.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="vrp-site-")
        cls.site = pathlib.Path(cls.folder.name).resolve() / "site"
        # --quiet would hide warnings from --strict too.
        cls.build = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", cls.site],
                                   cwd=ROOT, capture_output=True, text=True, check=False)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_builds_without_a_warning(self):
        self.assertEqual(self.build.returncode, 0, self.build.stderr)
        self.assertNotIn("WARNING", self.build.stderr)

    def test_loads_nothing_from_other_hosts(self):
        self.assertGreater(len(list(self.site.rglob("*.html"))), 40)
        self.assertEqual(outside_loads(self.site), [])

    def test_has_only_links_to_existing_pages_and_anchors(self):
        self.assertEqual(broken_links(self.site), [])

    def test_would_notice_resources_of_other_hosts(self):
        page = Page('<script src="//x.test/a.js"></script><a href="https://x.test">a</a><img src="b.png">')
        self.assertEqual([address for address in page.loads if OUTSIDE.match(address)], ["//x.test/a.js"])
        self.assertEqual(STYLE.findall("a { b: url('https://x.test/f.woff') }"), ["https://x.test/f.woff"])

    def test_files_outside_docs_have_only_valid_links(self):
        broken = []
        for page, link in markdown_links():
            if OUTSIDE.match(link):
                continue
            address, _, anchor = link.partition("#")
            target = (page.parent / address) if address else page
            if not target.exists() or (anchor and anchor not in heading_anchors(target)):
                broken.append(f"{page.name}: {link}")
        self.assertEqual(broken, [])

    def test_readme_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), MAX_README_LINES)

    def test_readme_table_has_only_figures_of_the_benchmarks(self):
        readme = (ROOT / "README.md").read_text()
        table = readme[readme.index("| | vrpd | HGS-CVRP |"):readme.index("We are behind here")]
        cells = [cell for line in table.splitlines()[2:] if line.startswith("|") for cell in line.split("|")[2:-1]]
        figures = {number for cell in cells for number in re.findall(r"\d[\d,.]*", cell)}
        self.assertGreater(len(figures), 10)
        benchmarks = set(re.findall(r"\d[\d,]*(?:\.\d+)?", (ROOT / "docs" / "benchmarks.md").read_text()))
        self.assertEqual(figures - benchmarks, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
