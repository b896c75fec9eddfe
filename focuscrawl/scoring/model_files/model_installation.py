"""Atomic replacement of the model files in the folder of a topic.

A training writes its files next to the ones in use, under temporary names, and then atomically a list
of them: from that moment they are in use, although not all have their final names yet. A program that
is killed at any moment leaves either all files of the earlier training in use, or all new ones.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from focuscrawl.errors import ModelError
from focuscrawl.system.durable_files import locked_folder, replace_text, sync_folder, write_text

INSTALL_FILE = ".install.json"
_NEW = ".{}.new"


def install(folder: Path, files: Mapping[str, str | None]) -> None:
    """Install the files of one training, texts by file name; None deletes the file.

    An installation that was killed is completed or rolled back first. Raises
    :class:`~focuscrawl.errors.ModelError` if the folder cannot be written; then the earlier
    training stays in use.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked_folder(folder):
            _complete(folder)
            _remove_leftovers(folder, files)
            for name, text in files.items():
                if text is not None:
                    write_text(folder / _NEW.format(name), text)
            sync_folder(folder)
            listed = {name: text is not None for name, text in files.items()}
            replace_text(folder / INSTALL_FILE, json.dumps(listed))
            _complete(folder)
    except OSError as error:
        with suppress(OSError):
            if not _listed(folder):
                _remove_leftovers(folder, files)
        raise ModelError(
            f"cannot write the model {folder}: {error.strerror}; give another folder"
        ) from None


def installed(folder: Path, name: str) -> Path | None:
    """Return the path of a file of the last installed training, None if it has no such file."""
    new, path = folder / _NEW.format(name), folder / name
    is_there = _listed(folder).get(name)
    if is_there is None or (is_there and not new.is_file()):
        return path if path.is_file() else None
    return new if is_there else None


def read_installed(path: Path) -> str:
    """Return the text of a file of :func:`installed`, which a training may have renamed since. Raises OSError."""
    with suppress(FileNotFoundError):
        return path.read_text("utf-8")
    name = path.name.removeprefix(".").removesuffix(".new")
    return path.with_name(name).read_text("utf-8")


def _listed(folder: Path) -> dict[str, bool]:
    """Return the files of an incomplete installation by name; False for a file to be deleted."""
    try:
        listed = json.loads((folder / INSTALL_FILE).read_text("utf-8"))
        if not isinstance(listed, dict):
            raise ValueError("not a list of files")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{folder / INSTALL_FILE} cannot be read ({error}); delete it and retrain"
        ) from None
    return listed


def _complete(folder: Path) -> None:
    """Rename the files of a listed installation, if there is one."""
    listed = _listed(folder)
    if not listed:
        return
    for name, is_there in listed.items():
        if is_there:
            # A missing one was renamed before the kill.
            with suppress(FileNotFoundError):
                os.replace(folder / _NEW.format(name), folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
    sync_folder(folder)
    (folder / INSTALL_FILE).unlink(missing_ok=True)
    sync_folder(folder)


def _remove_leftovers(folder: Path, files: Iterable[str]) -> None:
    for name in (f"{INSTALL_FILE}.part", *map(_NEW.format, files)):
        (folder / name).unlink(missing_ok=True)
