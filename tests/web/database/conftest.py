"""A database of the web views in MySQL, whose default is another encoding."""

from __future__ import annotations

import pytest

from tests.conftest import mysql_connection


@pytest.fixture
def mysql_web_url(mysql_url: str) -> str:
    """The URL of an empty database, which its administrator has created."""
    name = mysql_url.rpartition("/")[2]
    with mysql_connection(mysql_url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARSET latin1")
    return mysql_url
