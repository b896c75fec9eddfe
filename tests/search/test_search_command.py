"""Command ``scrapy search``."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focuscrawl.commands.search import Command
from focuscrawl.errors import ArgumentError
from focuscrawl.stores.store_urls import make_stores
from tests.servers import warm_scrapy
from tests.stores.record_examples import numbered

ENVIRONMENT = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings", "COLUMNS": "100"}
COMMAND = [sys.executable, "-m", "scrapy", "search"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store of four articles."""

    async def fill() -> None:
        (store,) = make_stores(f"sqlite:///{tmp_path}/data/focuscrawl.sqlite")
        await store.open()
        texts = ["機器\x1b[31m學習", "机器，学习", "养猫", "狗"]
        entries = [numbered(n, title=text, body_text=text) for n, text in enumerate(texts)]
        entries[3].tags = ["学习"]
        await store.write(entries)
        await store.close()

    asyncio.run(fill())
    return tmp_path


def search(folder: Path, *arguments: str) -> int:
    """Run the command in this process, which is ten times as fast."""
    command = Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    command.add_options(parser)
    store = f"sqlite:///{folder}/data/focuscrawl.sqlite"
    try:
        options = parser.parse_args(["--store", store, *arguments])
    except ArgumentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    command.run(options.words, options)
    return command.exitcode


def test_results_line_by_line(folder: Path) -> None:
    run = subprocess.run(
        [*COMMAND, "机器", "学习"],
        cwd=folder,
        env=ENVIRONMENT,
        text=True,
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    head, *rows = (line.split("\t") for line in run.stdout.splitlines())
    assert head == ["score", "published", "title", "url", "snippet", "kind"]
    assert {row[2] for row in rows} == {"機器 [31m學習", "机器，学习"}
    assert "\x1b" not in run.stdout


def test_json_contains_the_spans_of_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search(folder, "学习", "--json", "--limit", "1", "--series", numbered().series)
    (found,) = map(json.loads, capsys.readouterr().out.splitlines())
    text, spans = found["title"]["text"], found["title"]["spans"]
    assert [text[start:end] for start, end in spans] in (["學習"], ["学习"])


def test_words_are_marked_on_a_terminal(folder: Path) -> None:
    leader, follower = pty.openpty()
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm", "CI": ""}
    subprocess.run([*COMMAND, "养猫"], cwd=folder, env=environment, stdout=follower, check=True)
    os.close(follower)
    shown = warm_scrapy.terminal_output(leader)
    assert "31m养猫\x1b[0m" in shown


def test_related_articles(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search(folder, "--related", numbered(3).url, "--json")
    urls = [json.loads(line)["url"] for line in capsys.readouterr().out.splitlines()]
    assert numbered(1).url in urls
    assert numbered(3).url not in urls


def test_no_results_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(folder, "没有") == 1
    assert capsys.readouterr().err == "nothing found; try fewer or other words\n"


@pytest.mark.parametrize("fixture", ["mysql_url", "mongo_url"])
def test_a_missing_database_is_reported_and_not_created(
    folder: Path,
    fixture: str,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = request.getfixturevalue(fixture)
    for _ in range(2):
        assert search(folder, "猫", "--store", url) == 2
        assert "there is no database" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), 'scrapy search "WORDS" or --related URL'),
        (("%_",), "give letters or digits"),
        (("猫", "--limit", "0"), "1 to 1000"),
        (("猫", "--limit", "十"), "argument --limit: '十' is not a whole number from 1 to 1000"),
        (("--related", "http://nowhere/"), "http://nowhere/ is not in the store"),
        (("猫", "--store", "sqlite:///none.sqlite"), "there is no store"),
        (("猫", "--site", "\udcff"), "is not UTF-8"),
        (("猫", "--series", "\udcff"), "is not UTF-8"),
        (("--related", "http://x/\udcff"), "is not UTF-8"),
    ],
)
def test_an_invalid_argument_is_reported_in_one_sentence(
    folder: Path, arguments: tuple[str, ...], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert search(folder, *arguments) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.startswith("error: ")
    assert part in shown.err
