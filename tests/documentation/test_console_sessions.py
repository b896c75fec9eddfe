"""Every session that the documentation shows, executed against the demo web."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawl.drawn_site import need_chromium
from tests.documentation.console_sessions import PAGES, ROOT, is_alike, run, steps_of


def _pages_by_commands() -> dict[tuple[str, ...], list[Path]]:
    """Return the pages with sessions; pages with the same commands run once."""
    found: dict[tuple[str, ...], list[Path]] = {}
    for page in PAGES:
        if steps := steps_of(page.read_text(encoding="utf-8")):
            found.setdefault(tuple(step.command for step in steps), []).append(page)
    return found


_SESSIONS = _pages_by_commands()


@pytest.mark.parametrize(
    "commands",
    _SESSIONS,
    ids=[str(pages[0].relative_to(ROOT)) for pages in _SESSIONS.values()],
)
def test_a_session_gives_what_is_shown(commands: tuple[str, ...]) -> None:
    if any("crawls need Chromium" in page.read_text("utf-8") for page in _SESSIONS[commands]):
        need_chromium()
    outputs = run(commands)
    for page in _SESSIONS[commands]:
        shown = steps_of(page.read_text(encoding="utf-8"))
        for step, real in zip(shown, outputs, strict=True):
            assert is_alike(step.output, real), (
                f"{page.relative_to(ROOT)}: $ {step.command}\n"
                f"--- shown\n{step.output}--- real\n{real}\n"
                f"If the page is out of date: python -m tests.documentation.console_sessions {page.relative_to(ROOT)}"
            )


@pytest.mark.parametrize(
    ("shown", "real", "expected"),
    [
        ("3 new\n", "12 new\n", True),
        ("3 new\n", "12 old\n", False),
        ("3 new\n", "3 new\n1 failed\n", False),
        ("3 new\n", "", False),
        ("first\n…\nlast\n", "first\na\nb\nlast\n", True),
        ("first\n…\nlast\n", "first\na\nb\n", False),
        ("demo, version 98ec10f1\n", "demo, version abcdef01\n", True),
        ("demo, version 98ec10f1\n", "demo, decade 98ec10f1\n", False),
        ("bias -2.20, …\n", "bias +1.10, 行情 1\n", True),
    ],
)
def test_numbers_may_differ_and_words_may_not(shown: str, real: str, expected: bool) -> None:
    assert is_alike(shown, real) is expected


def test_a_shell_keeps_its_folder_variables_and_exit_codes() -> None:
    commands = ["mkdir a && cd a", "x=1", "echo $x; pwd", "(exit 3)", "echo $?"]
    assert run(commands)[2:] == ["1\n/srv/focuscrawl/a\n", "", "3\n"]
