"""Tests of the MariaDB that tests start."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path

from tests.conftest import running
from tests.servers import mariadb


def test_a_server_that_starts_leaves_the_temporary_tables_of_others() -> None:
    table = Path(tempfile.gettempdir()) / f"#sql-temptable-{uuid.uuid4().hex}.MAI"
    table.touch()
    try:
        with running(mariadb.make):
            assert table.exists()
    finally:
        table.unlink(missing_ok=True)
