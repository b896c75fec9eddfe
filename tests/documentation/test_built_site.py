"""The documentation builds without a warning, and the built site needs no other host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.documentation.console_sessions import ROOT

# What a browser loads by itself; a link that a reader may follow is none of it.
_LOADED = {
    ("script", "src"), ("link", "href"), ("img", "src"), ("img", "srcset"), ("iframe", "src"),
    ("source", "src"), ("video", "src"), ("audio", "src"), ("object", "data"), ("form", "action"),
}  # fmt: skip
_ELSEWHERE = re.compile(r"(?:https?:)?//[^/\s]")


def build(configuration: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the documentation as ``make docs`` does."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict",
         "--config-file", str(configuration), "--site-dir", str(site)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )  # fmt: skip


class _References(HTMLParser):
    """Collects what a page loads, and the texts of its inline styles."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.has_diagram = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and ((tag, name) in _LOADED or name == "style"):
                self.loaded.append(value)
            # The theme loads the program for these from elsewhere.
            self.has_diagram |= name == "class" and "mermaid" in (value or "")


def references_elsewhere(html: str) -> list[str]:
    """Return what a page loads from other hosts."""
    page = _References()
    page.feed(html)
    styles = re.findall(r"<style[^>]*>(.*?)</style>", html, re.DOTALL)
    found = [value for value in page.loaded if _ELSEWHERE.match(value.strip())]
    found += [text for text in page.loaded + styles if "url(" in text and _ELSEWHERE.search(text)]
    return [*found, "mermaid"] if page.has_diagram else found


def test_the_built_site_needs_no_other_host_and_is_also_chinese(tmp_path: Path) -> None:
    done = build(ROOT / "mkdocs.yml", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {page: page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html")}
    assert len(pages) > 30
    for page, text in pages.items():
        assert references_elsewhere(text) == [], page
        # Nothing generated is left out.
        assert "generated:" not in text, page
    for sheet in tmp_path.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", text), sheet
    index = json.loads((tmp_path / "search/search_index.json").read_text(encoding="utf-8"))
    assert index["config"]["lang"] == ["en", "zh"]
    words = " ".join(entry["text"] for entry in index["docs"]).split("\u200b")
    assert {"爬虫", "价格"} <= {word.strip() for word in words}
    assert '<html lang="zh"' in pages[tmp_path / "zh/getting-started.html"]
    assert '<html lang="en"' in pages[tmp_path / "getting-started.html"]


@pytest.mark.parametrize(
    "html",
    [
        '<link rel="stylesheet" href="https://fonts.googleapis.com/css">',
        '<script src="//unpkg.com/x.js"></script>',
        '<img src="http://elsewhere.test/a.png">',
        '<p style="background: url(https://elsewhere.test/a.png)">',
        '<style>@import url("https://elsewhere.test/a.css")</style>',
        '<pre class="mermaid">',
    ],
)
def test_a_reference_to_another_host_is_seen(html: str) -> None:
    assert references_elsewhere(html)
    assert not references_elsewhere('<a href="https://scrapy.org">Scrapy</a><img src="a.png">')


def test_a_fault_of_a_page_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("[a](nowhere.md)")
    configuration = tmp_path / "mkdocs.yml"
    configuration.write_text(
        f"site_name: x\nstrict: true\nhooks: [{ROOT / 'tools/documentation_hook.py'}]\n"
    )
    done = build(configuration, tmp_path / "site")
    assert done.returncode != 0
    assert "nowhere.md" in done.stdout + done.stderr
