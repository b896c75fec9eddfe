"""``scrapy why``, as a user runs it."""

from __future__ import annotations

import csv
import io
import os
import pty
import subprocess
import unicodedata
from pathlib import Path

import pytest
import yaml

from focuscrawl.labelling.label_collector import LabelWalk
from focuscrawl.labelling.label_store import LabelStore
from focuscrawl.pages.link import LabelledLink, Link
from tests.servers import warm_scrapy

PAGE, SOURCE = "http://good.test/fund", "http://home.test/"
LINKS = [
    Link(PAGE, "股票基金", "前面 \x1b[31m红", "后\t面", heading="理财"),
    Link(PAGE, "阅读更多", "基金经理"),
    Link(PAGE, "下一篇"),
    Link("http://other.test/", "别处"),
]
ASKED = ("why", PAGE, "--topic", "money")
ENVIRONMENT = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings", "COLUMNS": "100"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a topic, and links to a page of it."""
    (tmp_path / "topics").mkdir()
    (tmp_path / "data").mkdir()
    topic = {"name": "money", "lexicon": {"股票": 3, "基金": 2}}
    text = yaml.safe_dump(topic, allow_unicode=True)
    (tmp_path / "topics" / "money.yaml").write_text(text, encoding="utf-8")
    store = LabelStore(tmp_path / "data" / "labels-money.sqlite", "money")
    walk = LabelWalk(store, max_pages=9, max_per_site=9)
    walk.resume([SOURCE], lambda _: None)
    (seed,) = walk.take(1)
    label_of = {PAGE: True, "http://other.test/": None}
    store.add_page(seed.url, [LabelledLink(link, SOURCE, label_of[link.url]) for link in LINKS])
    store.close()
    return tmp_path


def why(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return warm_scrapy.run(["why", *arguments], cwd=folder, env=ENVIRONMENT)


def test_each_link_with_score_probability_and_words_that_add_up(folder: Path) -> None:
    run = why(folder, "HTTP://Good.test:80/fund#top", "--topic", "money")
    assert run.returncode == 0, run.stderr
    rows = list(csv.DictReader(io.StringIO(run.stdout), delimiter="\t"))
    assert [row["anchor"] for row in rows] == ["股票基金", "阅读更多", "下一篇"]
    assert {row["from"] for row in rows} == {SOURCE}
    assert {row["label"] for row in rows} == {"positive"}
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    for row in rows:
        weights = [float(part.rsplit(" ", 1)[1]) for part in row["words"].split(", ")]
        assert sum(weights) == pytest.approx(float(row["score"]), abs=0.02)
        assert 0 < float(row["probability"].rstrip("%")) < 100
    assert "anchor:股票 +3.00" in rows[0]["words"]
    assert (rows[0]["heading"], rows[0]["after"]) == ("理财", "后 面")
    assert "\x1b" not in run.stdout


def test_another_file_and_a_topic_by_path(folder: Path) -> None:
    (folder / "data" / "labels-money.sqlite").rename(folder / "mine.sqlite")
    run = why(
        folder, "http://other.test", "--topic", "topics/money.yaml", "--labels", "mine.sqlite"
    )
    assert run.returncode == 0, run.stderr
    (row,) = csv.DictReader(io.StringIO(run.stdout), delimiter="\t")
    assert (row["anchor"], row["label"]) == ("别处", "")


def test_columns_stand_one_below_the_other_on_a_terminal(folder: Path) -> None:
    leader, follower = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "dumb"}
    process = warm_scrapy.start(ASKED, cwd=folder, env=environment, output=follower)
    assert process.wait() == 0
    os.close(follower)
    shown = warm_scrapy.terminal_output(leader)
    lines = shown.replace("\r", "").splitlines()
    assert lines[:2] == [PAGE, "scored by money (lexicon, 2 terms)"]
    edges = {tuple(columns_of(line)) for line in lines if line.startswith("│")}
    assert len(edges) == 1
    assert "股票基金" in shown
    assert "under 理财" in shown
    assert "\x1b[31m" not in shown


def test_a_reader_of_a_pipe_who_has_enough_gets_no_traceback(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = warm_scrapy.start(ASKED, cwd=folder, env=ENVIRONMENT, output=writer)
    _, err = process.communicate(timeout=60)
    os.close(writer)
    assert (process.wait(), err) == (1, "")


def columns_of(line: str) -> list[int]:
    """Return where the edges of a table's columns are, wide characters counted as two."""
    widths = [2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line]
    return [sum(widths[:n]) for n, char in enumerate(line) if char == "│"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("http://good.test/nothing", "--topic", "money"), "no link to http://good.test/nothing"),
        (("nonsense", "--topic", "money"), "'nonsense' is not the URL of a page"),
        ((PAGE,), "scrapy why URL --topic NAME"),
        ((PAGE, "--topic", "monney"), "no topic 'monney'"),
        ((PAGE, "--topic", "money", "--labels", "none.sqlite"), "none.sqlite does not exist"),
        ((PAGE, "--topic", "money", "--labels", "topics/money.yaml"), "damaged or not a label file"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_sentence(folder: Path, arguments: tuple[str, ...], part: str) -> None:
    run = why(folder, *arguments)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("error: ")
    assert run.stderr.count("\n") == 1
    assert part in run.stderr
