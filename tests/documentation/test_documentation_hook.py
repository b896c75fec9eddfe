"""The generated parts: those in the pages are of now, and pipes in tables end no cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import documentation_hook as hook

DOCS = Path(__file__).parents[2] / "docs"
GENERATED = [
    page for page in sorted(DOCS.rglob("*.md")) if "<!-- generated" in page.read_text("utf-8")
]


def test_a_pipe_ends_no_cell() -> None:
    assert hook._row(["x|y", "`a|b`", "`a` | `b|c`"]) == "| x&#124;y | `a|b` | `a` &#124; `b|c` |"


@pytest.mark.parametrize("page", GENERATED, ids=lambda page: page.stem)
def test_generated_parts_are_current(page: Path) -> None:
    text = page.read_text("utf-8")
    assert hook.written(text) == text, "run python -m tools.documentation_hook"
    assert text.count("<!-- generated") == text.count("<!-- end -->")


def test_a_part_replaces_only_itself() -> None:
    page = "a\n<!-- generated: arguments labels -->\nb\n<!-- generated: arguments list -->\n"
    once = hook.written(page)
    assert hook.written(once) == once
    assert once.startswith("a\n<!--")
    assert "\nb\n" in once


def test_an_unknown_part_is_an_error() -> None:
    with pytest.raises(KeyError, match="there is no generated part 'nonsense'"):
        hook.written("<!-- generated: nonsense -->\n")
