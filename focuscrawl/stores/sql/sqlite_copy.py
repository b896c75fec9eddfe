"""A copy of a SQLite file, kept beside it until an upgrade has succeeded."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from focuscrawl.errors import StoreError
from focuscrawl.stores.schema_version import SCHEMA_VERSION
from focuscrawl.stores.sql.sql_errors import BadDataError
from focuscrawl.system.durable_files import sync_folder


def copy_path(database: Path) -> Path:
    """Return the path of the copy from before the upgrade to this program's version.

    With the version in its name, for an older program must not remove what a newer one needs.
    """
    return database.with_name(f"{database.name}.before-schema-{SCHEMA_VERSION}")


def keep_copy(database: Path, name: str) -> None:
    """Copy a database that no other program writes to; an earlier copy is removed first.

    A program that is killed leaves a whole copy, or ``COPY.part``. Raises StoreError if there is no
    space, or the folder is not writable; ``name`` is shown in errors.
    """
    copy = copy_path(database)
    part = copy.with_name(f"{copy.name}.part")
    try:
        # A failed upgrade has changed nothing, so its copy only takes space.
        for old in (copy, part):
            old.unlink(missing_ok=True)
        _copy(database, part)
        os.replace(part, copy)
        sync_folder(copy.parent)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        megabytes = database.stat().st_size / 1e6
        raise StoreError(
            f"{name} is not upgraded, for no copy of it can be made ({error}); free "
            f"{megabytes:,.1f} MB on its disk, and make its folder writable"
        ) from error


def _copy(database: Path, part: Path) -> None:
    # By SQLite's backup, for what was committed last may be in the write-ahead log.
    with (
        closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(part)) as target,
    ):
        source.backup(target)
    with part.open("rb") as file:
        os.fsync(file.fileno())


def discard_copy(database: Path) -> None:
    """Remove the copy of a database whose upgrade has succeeded, and what a kill left of one."""
    copy = copy_path(database)
    for path in (copy, copy.with_name(f"{copy.name}.part")):
        # Where it cannot be removed it does no harm.
        with suppress(OSError):
            path.unlink()


@contextmanager
def copy_named(database: Path) -> Iterator[None]:
    """Name the copy in the error of an upgrade that failed."""
    try:
        yield
    except (StoreError, BadDataError) as error:
        raise StoreError(
            f"{error}; nothing was upgraded, and a copy is kept: {copy_path(database)}"
        ) from error
