"""``scrapy transfer``: what it says, and one sentence for every mistake."""

from __future__ import annotations

import argparse
import asyncio
import re
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focuscrawl.commands.transfer import Command
from focuscrawl.stores.store_urls import make_stores
from tests.servers.process import free_port
from tests.stores.record_examples import article, numbered
from tests.transfer.test_record_transfer import fill


def run(folder: Path, *urls: str, retry: float = 0.2) -> int:
    """Run the command as ``scrapy`` would; return the exit code."""
    command = Command()
    settings = {"FOCUSCRAWL_DATA": str(folder / "data"), "FOCUSCRAWL_STORE_RETRY": retry}
    command.settings = Settings(settings)
    command.run([*urls], argparse.Namespace())
    return command.exitcode


@pytest.fixture
def source(tmp_path: Path) -> str:
    """The URL of a database with some of everything."""
    url = f"sqlite:///{tmp_path}/a.sqlite"

    async def filled() -> None:
        (store,) = make_stores(url)
        await store.open()
        await fill(store)
        await store.close()

    asyncio.run(filled())
    return url


def test_it_says_in_a_few_lines_what_was_copied(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = f"sqlite:///{tmp_path}/b.sqlite"
    for written in (39, 0):
        assert run(tmp_path, source, target) == 0
        said, errors = capsys.readouterr()
        assert errors == ""
        first, *lines = said.splitlines()
        assert first == f"{source} -> {target}: all rows are equal, by their MD5"
        assert [line.split()[0] for line in lines[:-1]] == (
            "articles pages numbered_articles missing_numbers template_records seeds "
            "price_decisions items page_verdicts crawl_state article_revisions record_revisions crawl_runs"
        ).split()
        assert lines[-1].startswith(f"  {written} rows in ")


def test_an_empty_source_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (f"sqlite:///{tmp_path}/{name}.sqlite" for name in "ab")

    async def add(url: str, *records: object) -> None:
        (store,) = make_stores(url)
        await store.open()
        await store.write(records)  # type: ignore[arg-type]
        await store.close()

    asyncio.run(add(first))
    assert run(tmp_path, first, second) == 0
    assert "the source is empty" in capsys.readouterr().out
    asyncio.run(add(first, numbered(1)))
    asyncio.run(add(second, article(7), numbered(2)))
    assert run(tmp_path, first, second) == 0
    said = capsys.readouterr().out
    assert "1 rows, 1 of them written now; 1 more existed before" in said


@pytest.mark.parametrize(
    ("urls", "sentence"),
    [
        ([], "name two databases: scrapy transfer SOURCE DEST"),
        (["{source}"], "name two databases"),
        (["{source}", "{source}"], "is source and target; name another target"),
        (["{source}", "excel:///{folder}/x.xlsx"], "is a workbook, .* with scrapy report"),
        (["sqlite:///{folder}/none.sqlite", "{source}"], "there is no database .*none.sqlite"),
        (["{source}", "redis://x/1"], "unknown kind of store 'redis'; known are"),
        (["{source}", "mysql://me@127.0.0.1:{port}/db"], "does not answer"),
        (["mongodb://127.0.0.1:{port}/db?serverSelectionTimeoutMS=50", "{source}"], "not answer"),
        (["{source}", "mongodb://127.0.0.1:{port}"], "names no database; add one"),
    ],
)
def test_a_mistake_is_one_sentence(
    urls: list[str],
    sentence: str,
    source: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [url.format(source=source, folder=tmp_path, port=free_port()) for url in urls]
    assert run(tmp_path, *given) == 2
    said, errors = capsys.readouterr()
    assert said == ""
    assert len(errors.splitlines()) == 1
    assert re.match(f"error: .*{sentence}", errors)
