"""Where the time of the tests goes, by folder: a plugin, for ``python -m pytest -p tests.times``."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

COLLECTION = "(collection)"
_SPENT = "wall and processor seconds"
_TICKS = os.sysconf("SC_CLK_TCK")
_BEGIN = pytest.StashKey[tuple[float, float]]()
_first: list[pytest.Item] = []
_tests, _wall, _processor = Counter[str](), Counter[str](), Counter[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEGIN] = _now()
    if not _first:
        _first.append(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give the last report of a test its time, and that of the first what went before it."""
    report = yield
    if call.when == "teardown":
        begin, end = item.stash[_BEGIN], _now()
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        spent = {folder: (end[0] - begin[0], end[1] - begin[1])}
        if item in _first:
            spent[COLLECTION] = (0.0, begin[1])
        report.user_properties.append((_SPENT, spent))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add the time of a test, which with pytest-xdist another process has run."""
    spent = dict(report.user_properties).get(_SPENT)
    if isinstance(spent, dict):
        for folder, (wall, processor) in spent.items():
            _tests[folder] += 1
            _wall[folder] += wall
            _processor[folder] += processor


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("seconds of each folder")
    terminalreporter.line(f"{'folder':20}{'tests':>7}{'wall':>9}{'processor':>11}")
    for name, processor in _processor.most_common():
        terminalreporter.line(f"{name:20}{_tests[name]:7}{_wall[name]:9.1f}{processor:11.1f}")


def _now() -> tuple[float, float]:
    return time.monotonic(), _processor_seconds(os.getpid())


def _processor_seconds(pid: int) -> float:
    """Return the time of a process, of its children that have ended, and of those that have not."""
    seconds = 0.0
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        seconds = sum(map(int, fields[11:15])) / _TICKS
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                seconds += _processor_seconds(int(child))
    return seconds
