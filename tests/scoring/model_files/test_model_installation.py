"""The files of a training are replaced atomically, whenever the program is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import ModelError
from focuscrawl.scoring.model_files import model_installation
from focuscrawl.scoring.model_files.model_installation import (
    INSTALL_FILE,
    install,
    installed,
    read_installed,
)

NAMES = ("links.json", "pages.json", "README.md")
OLD = {"links.json": "old links", "pages.json": "old pages", "README.md": "old card"}
NEW = {"links.json": "new links", "pages.json": None, "README.md": "new card"}
LAST = {"links.json": "last links", "pages.json": "last pages", "README.md": "last card"}
Files = dict[str, str | None]


def in_use(folder: Path) -> Files:
    found = {name: installed(folder, name) for name in NAMES}
    return {name: path.read_text("utf-8") if path else None for name, path in found.items()}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def kill_at(moment: int, folder: Path, files: Files) -> bool:
    """Install in a process that is killed before its n-th change on disk; return whether it was."""
    child = os.fork()
    if child == 0:
        left = moment

        def counted(change: Callable[..., Any]) -> Callable[..., Any]:
            def do(*arguments: Any, **options: Any) -> Any:
                nonlocal left
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                return change(*arguments, **options)

            return do

        for place, name in ((os, "replace"), (os, "unlink"), (os, "fsync"), (Path, "open")):
            setattr(place, name, counted(getattr(place, name)))
        Path.unlink = counted(Path.unlink)  # type: ignore[method-assign]
        try:
            install(folder, files)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_the_old_files_or_the_new_ones(tmp_path: Path) -> None:
    seen = []
    moment = 0
    while True:
        folder = tmp_path / str(moment)
        install(folder, OLD)
        was_killed = kill_at(moment, folder, NEW)
        seen.append(in_use(folder))
        if not was_killed:
            break
        assert seen[-1] in (OLD, NEW)
        # The next training removes the leftovers, even if it is killed itself.
        if kill_at(moment + 3, folder, LAST):
            assert in_use(folder) in (OLD, NEW, LAST)
        install(folder, LAST)
        assert in_use(folder) == LAST
        assert names(folder) == set(NAMES)
        moment += 1
    assert seen[-1] == NEW
    assert len(seen) > 12
    # After a certain change it is always the new one.
    assert seen == [OLD] * seen.count(OLD) + [NEW] * seen.count(NEW)
    assert min(seen.count(OLD), seen.count(NEW)) > 3


def test_a_first_training_that_is_killed_leaves_nothing_in_use(tmp_path: Path) -> None:
    assert kill_at(2, tmp_path / "t", NEW)
    assert in_use(tmp_path / "t") == dict.fromkeys(NAMES)


def test_a_file_that_gets_its_final_name_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, OLD)
    complete = model_installation._complete
    with monkeypatch.context() as slow:
        slow.setattr(model_installation, "_complete", lambda _: None)
        install(tmp_path, NEW)
    found = {name: installed(tmp_path, name) for name in NEW}
    complete(tmp_path)
    assert {name: path and read_installed(path) for name, path in found.items()} == NEW


def test_a_full_disk_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, OLD)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        with pytest.raises(ModelError, match="No space left on device"):
            install(tmp_path, NEW)
    assert in_use(tmp_path) == OLD
    assert names(tmp_path) == set(NAMES)
    install(tmp_path, NEW)
    assert in_use(tmp_path) == NEW
    assert names(tmp_path) == {"links.json", "README.md"}


@pytest.mark.parametrize("text", ["", "{", "[1]", "3"])
def test_a_damaged_list_raises_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / INSTALL_FILE).write_text(text)
    with pytest.raises(ModelError, match="delete it and retrain") as raised:
        installed(tmp_path, "links.json")
    assert "\n" not in str(raised.value)
