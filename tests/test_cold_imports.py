"""Commands and modules work in a process that has imported only Scrapy.

Most tests run commands in forks of a process that has imported all modules, which hides what a
module needs and does not import, and circles of imports that only one order survives.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "focuscrawl"
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
)
COMMANDS = [path.stem for path in sorted((PACKAGE / "commands").glob("[a-z]*.py"))]
# What Scrapy loads by its name, with what each of these needs.
LOADED_BY_NAME = ("addon", "extensions.", "middlewares.", "pipelines.", "spiders.")


def failures(*jobs: str) -> str:
    """Return the jobs that fail in forks of a process without ours, and why."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.servers.cold_forks", *jobs],
        cwd=ROOT,
        env=os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout and done.stdout + done.stderr


def test_each_command_explains_itself_in_a_cold_process() -> None:
    assert not failures(*(f"scrapy {name}" for name in COMMANDS))


def test_each_module_that_scrapy_loads_can_be_imported_alone() -> None:
    prefixes = tuple(f"focuscrawl.{name}" for name in LOADED_BY_NAME)
    assert not failures(*(name for name in MODULES if name.startswith(prefixes)))


@pytest.mark.exhaustive
def test_each_module_can_be_imported_alone() -> None:
    assert not failures(*MODULES)


def test_what_fails_is_found() -> None:
    found = failures("json", "focuscrawl.no_such", "scrapy no-such")
    assert found.startswith("focuscrawl.no_such\nscrapy no-such\n")
    assert "ModuleNotFoundError" in found
