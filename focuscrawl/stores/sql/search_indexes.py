"""Full-text indexes over the search terms of numbered articles, updated by the database itself.

On MySQL this is one index over all four columns: four indexes would cost a fifth more per article. On
SQLite it is an FTS5 table without a copy of the terms, updated by triggers; queries only need to know
which terms an article has, so the table contains neither positions nor lengths.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

_FORGET = """
    INSERT INTO numbered_search(
        numbered_search, rowid, terms_title, terms_tags, terms_description, terms_body
    ) VALUES (
        'delete', old.rowid, old.terms_title, old.terms_tags, old.terms_description, old.terms_body
    );
"""
_REMEMBER = """
    INSERT INTO numbered_search(rowid, terms_title, terms_tags, terms_description, terms_body)
    VALUES (new.rowid, new.terms_title, new.terms_tags, new.terms_description, new.terms_body);
"""
_SQLITE = (
    # What is left where the table of the articles was dropped, and the triggers with it.
    "DROP TABLE IF EXISTS numbered_search",
    """
    CREATE VIRTUAL TABLE numbered_search USING fts5(
        terms_title, terms_tags, terms_description, terms_body,
        content='numbered_articles', detail=none, columnsize=0,
        tokenize="unicode61 remove_diacritics 0"
    )
    """,
    "CREATE TRIGGER numbered_search_insert AFTER INSERT ON numbered_articles "
    f"BEGIN {_REMEMBER} END",
    f"CREATE TRIGGER numbered_search_delete AFTER DELETE ON numbered_articles BEGIN {_FORGET} END",
    f"""
    CREATE TRIGGER numbered_search_update
    AFTER UPDATE OF terms_title, terms_tags, terms_description, terms_body ON numbered_articles
    WHEN old.terms_title <> new.terms_title OR old.terms_tags <> new.terms_tags
        OR old.terms_description <> new.terms_description OR old.terms_body <> new.terms_body
    BEGIN {_FORGET} {_REMEMBER} END
    """,
    "INSERT INTO numbered_search(numbered_search) VALUES ('rebuild')",
)
# By a copy of the table: MariaDB 10.11 would omit the rows of a table that had such an index before.
_BY_COPY = "ALGORITHM=COPY"
_MYSQL = f"""
    CREATE FULLTEXT INDEX numbered_search
    ON numbered_articles (terms_title, terms_tags, terms_description, terms_body)
    {_BY_COPY}
"""
_SQLITE_HAS = "SELECT 1 FROM sqlite_master WHERE name = 'numbered_search_update'"
_MYSQL_HAS = """
    SELECT 1 FROM information_schema.statistics
    WHERE table_schema = database() AND table_name = 'numbered_articles'
        AND index_name = 'numbered_search'
    LIMIT 1
"""


def is_there(engine: Engine) -> bool:
    """Return whether a database has its index."""
    with engine.connect() as connection:
        return _is_there(connection)


def create(engine: Engine) -> None:
    """Create the index of a database whose tables exist, including the articles in it.

    Raises the errors of the driver.
    """
    try:
        # On SQLite this locks immediately; MySQL has no such option.
        with engine.execution_options(begin="IMMEDIATE").begin() as connection:
            _create(connection)
    except DBAPIError:
        # Another program may have created it first.
        if not is_there(engine):
            raise


def postpone(connection: Connection) -> bool:
    """Drop MySQL's index if there is no article yet, and return whether it was dropped.

    Creating it once for many articles takes a tenth of the time; SQLite's takes the same time.
    """
    is_empty = connection.execute(text("SELECT 1 FROM numbered_articles LIMIT 1")).first() is None
    if connection.dialect.name == "sqlite" or not is_empty or not _is_there(connection):
        return False
    # By a copy of the table, which leaves no trace of an earlier index.
    connection.exec_driver_sql(
        "ALTER TABLE numbered_articles DROP INDEX numbered_search, FORCE, ALGORITHM=COPY"
    )
    return True


def create_postponed(connection: Connection) -> None:
    """Create the index that :func:`postpone` dropped; after a crash :func:`create` does, more slowly."""
    if not _is_there(connection):
        connection.exec_driver_sql(_MYSQL.replace(_BY_COPY, ""))


def _create(connection: Connection) -> None:
    for statement in _SQLITE if connection.dialect.name == "sqlite" else (_MYSQL,):
        connection.exec_driver_sql(statement)


def _is_there(connection: Connection) -> bool:
    question = _SQLITE_HAS if connection.dialect.name == "sqlite" else _MYSQL_HAS
    return connection.execute(text(question)).first() is not None
