from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import create_engine, event, text

from focuscrawl.stores.sql.creation_lock import alone
from tests.conftest import mysql_connection


@pytest.mark.server
def test_the_next_holder_sees_what_the_last_one_wrote(mysql_url: str) -> None:
    name = mysql_url.rsplit("/", 1)[1]
    with mysql_connection(mysql_url, database=None) as connection:
        connection.cursor().execute(f"CREATE DATABASE {name}")
        connection.cursor().execute(f"CREATE TABLE {name}.versions (number INTEGER)")
    engine, other = create_engine(mysql_url), create_engine(mysql_url)
    seen = []

    def look(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        if "RELEASE_LOCK" in statement:
            with other.connect() as connection:
                seen.extend(connection.scalars(text("SELECT number FROM versions")))

    event.listen(engine, "before_cursor_execute", look)
    with alone(engine, "a", 10) as connection:
        connection.execute(text("INSERT INTO versions VALUES (3)"))
    engine.dispose()
    other.dispose()
    assert seen == [3]
