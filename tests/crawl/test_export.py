"""Export of the records of crawls, read back by pandas, and Scrapy's own feeds."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler
from tests.crawl.test_list import plain_profile
from tests.servers import warm_scrapy

READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "csv": pd.read_csv,
    "jsonl": lambda path: pd.read_json(path, lines=True, dtype=False),
    "parquet": pd.read_parquet,
    "xlsx": pd.read_excel,
}


def export(crawl: Crawler, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    return warm_scrapy.run_bytes(["export", *arguments], cwd=crawl.folder, env=environment)


def test_quotes_and_articles_in_all_formats(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=6)
    assert crawl("-a", "site=demo").code == 0
    expected = crawl.rows(
        "select date, entity, province, price_yuan_per_ton_low, article_url from"
        " (select q.*, a.url article_url from quotes q join articles a on url_md5 = article_md5)"
        " order by date, article_md5, seq"
    )
    assert expected
    for suffix, read in READERS.items():
        done = export(crawl, "quotes", "-o", f"q.{suffix}")
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode() == f"q.{suffix}: {len(expected):,} rows\n"
        found = read(crawl.folder / f"q.{suffix}")
        assert found["date"].astype(str).tolist() == [row[0] for row in expected]
        assert found["entity"].tolist() == [row[1] for row in expected]
        assert found["province"].fillna("").tolist() == [row[2] for row in expected]
        assert found["price_yuan_per_ton_low"].tolist() == [row[3] for row in expected]
        assert found["article_url"].tolist() == [row[4] for row in expected]
    assert export(crawl, "articles", "-o", "a.parquet").returncode == 0
    texts = pd.read_parquet(crawl.folder / "a.parquet").sort_values("url")["text"].tolist()
    assert texts == [text for (text,) in crawl.rows("select text from articles order by url")]
    assert [path for path in crawl.folder.iterdir() if path.name.startswith(".q")] == []
    assert (crawl.folder / "q.csv").read_bytes().startswith(b"\xef\xbb\xbfdate,")
    assert export(crawl, "quotes").stdout == (crawl.folder / "q.csv").read_bytes()
    newest = max(row[0] for row in expected)
    export(crawl, "quotes", "-o", "new.csv", "--since", newest)
    found = pd.read_csv(crawl.folder / "new.csv")
    assert len(found) == sum(row[0] == newest for row in expected)
    done = export(crawl, "quotes", "-o", "no/a.xlsx")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: Cannot write no/a.xlsx: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "name what to export: one of quotes, articles, pages, records, numbered"),
        (("prices",), "name what to export"),
        (("quotes", "-o", "a.txt"), "a.txt has none of the endings .csv, .jsonl, .parquet, .xlsx"),
        (("quotes", "-o", "no/a.csv"), "there is no store"),
        (("quotes", "--since", "yesterday"), "'yesterday'"),
    ],
)
def test_mistakes_get_one_sentence(crawl: Crawler, arguments: tuple[str, ...], part: str) -> None:
    done = export(crawl, *arguments)
    assert done.returncode == 2
    assert part in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_feeds_of_scrapy_are_flat(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=3)
    run = crawl("-a", "site=demo", "-O", "q.csv", "-O", "q.jsonl", "-O", "q.json")
    assert run.code == 0, run.err
    ((count,),) = crawl.rows("select count(*) from quotes")
    rows = pd.read_csv(crawl.folder / "q.csv")
    assert len(rows) == count
    assert {"entity", "province", "article_url"} <= {*rows.columns}
    assert not any("Quote(" in str(cell) for cell in rows.iloc[0])
    assert (crawl.folder / "q.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    lines = (crawl.folder / "q.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert len(lines) == count
    assert json.loads((crawl.folder / "q.json").read_text(encoding="utf-8"))[0] == first
    assert isinstance(first["price_low"], float)
    assert "玉米" in lines[0]


def test_a_feed_of_articles_without_prices_has_their_texts(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=2)
    crawl.spider = "list"
    profile = plain_profile(crawl)
    run = crawl("-a", profile, "-O", "a.csv")
    assert run.code == 0, run.err
    found = pd.read_csv(crawl.folder / "a.csv").sort_values("url")
    rows = crawl.rows("select url, title, text from articles order by url")
    assert found[["url", "title", "text"]].to_numpy().tolist() == [[*row] for row in rows]
    assert found["quotes"].isna().all()


def test_a_feed_that_cannot_be_written_is_told(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=2)
    (crawl.folder / "full.csv").symlink_to("/dev/full")
    run = crawl("-a", "site=demo", "-o", "full.csv", "-o", "good.csv")
    assert run.code == 3
    assert "items are not in the file of -O or FEEDS: [Errno 28] No space left" in run.out
    assert (crawl.folder / "good.csv").stat().st_size > 1000


def test_an_export_that_is_terminated_leaves_nothing(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=8)
    assert crawl("-a", "site=demo").code == 0
    (crawl.folder / "q.xlsx").write_text("old")
    environment = os.environ | {
        "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
        "TMPDIR": str(crawl.folder / "spool"),
    }
    (crawl.folder / "spool").mkdir()
    command = ["export", "quotes", "-o", "q.xlsx"]
    process = warm_scrapy.start(command, cwd=crawl.folder, env=environment)
    while process.poll() is None and not [*crawl.folder.glob(".q.xlsx.*")]:
        time.sleep(0.001)
    process.terminate()
    assert process.wait() == 143
    assert [*crawl.folder.glob(".q.xlsx.*")] == []
    assert [*(crawl.folder / "spool").glob("openpyxl.*")] == []
    assert (crawl.folder / "q.xlsx").read_text() == "old"


def test_a_feed_that_another_crawl_writes_is_left_alone(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    page = b"<li><a href='/1.html'>1</a></li>"
    site = odd({"/": page, "/1.html": b"<div id='body'>1</div>"})
    feed = crawl.folder / "feed.csv"
    with feed.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write(b"rows")
        other.flush()
        run = crawl("-a", site, "-O", "feed.csv")
    assert run.code == 2
    # Scrapy logs where the error was raised.
    (line,) = (line for line in run.err.splitlines() if line.startswith("error:"))
    assert "another crawl is writing the feed feed.csv; wait" in line
    assert feed.read_bytes() == b"rows"
    assert crawl("-a", site, "-o", "feed.csv").code == 0
