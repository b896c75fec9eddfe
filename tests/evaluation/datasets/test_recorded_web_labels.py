"""Links of recorded webs and their labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.datasets.recorded_web_labels import (
    RecordedWeb,
    read_recorded_web,
    read_truth,
)
from tests.evaluation.small_web import html, moved, small_web
from tests.replay.warcs import halves, write_warc

MENU = ("/tags/", "标签")


@pytest.fixture
def web(tmp_path: Path) -> RecordedWeb:
    recording = write_warc(
        tmp_path / "web.warc.gz",
        [
            html("http://a.test/", "甲", MENU, ("/old", "神经网络"), ("http://else.test/", "别处")),
            html("http://a.test/2", "乙", MENU, ("/2#top", "到顶"), ("/new?b=2&a=1", "另一篇")),
            moved("http://a.test/old", "/older"),
            moved("http://a.test/older", "http://b.test/new"),
            html("http://b.test/new", "丙"),
            html("http://a.test/tags/", "标签"),
        ],
    )
    truth = tmp_path / "truth.csv"
    truth.write_text(
        "url,relevant,page_type\nhttp://a.test/,0,hub\nhttp://a.test/2,0,post\n"
        "http://b.test/new,1,post\nhttp://a.test/tags/,0,hub\nhttp://a.test/new?b=2&a=1,1,post\n",
        "utf-8",
    )
    return read_recorded_web([recording], truth)


def test_labels_and_hosts_are_those_of_the_targets_behind_redirects(web: RecordedWeb) -> None:
    labels = {entry.link.anchor: entry.label for entry in web.links}
    found = [labels[anchor] for anchor in ("神经网络", "标签", "别处", "另一篇")]
    assert found == [True, False, None, True]
    assert "到顶" not in labels
    data = web.data_set()
    hosts = dict(zip((link.anchor for link in data.links), data.hosts, strict=True))
    assert hosts["神经网络"] == "b.test"
    assert set(data.sources) == {"a.test"}
    assert "别处" not in hosts
    pages = {page.title: page.label for page in web.pages}
    assert pages == {"甲": False, "乙": False, "丙": True, "标签": False}


def test_what_stands_on_every_page_counts_once(tmp_path: Path) -> None:
    recording = write_warc(
        tmp_path / "web.warc", [html(f"http://a.test/{n}", "", MENU) for n in range(5)]
    )
    truth = tmp_path / "truth.csv"
    truth.write_text("url,relevant\nhttp://a.test/tags/,1\n", "utf-8")
    steps: list[int] = []
    web = read_recorded_web([recording], truth, step=lambda: steps.append(1))
    (only,) = web.links
    assert (web.seen, only.source, only.label) == (5, "http://a.test/0", True)
    assert len(steps) == 5
    assert str(web) == (
        "0 pages (0 relevant), 5 links, 1 distinct, 1 labelled, 1 relevant (100.0%)"
    )


def test_several_recordings_are_one_web(tmp_path: Path) -> None:
    """Links and redirects lead from one to another; what both have counts once, as the first has it."""
    whole, truth = small_web(tmp_path, hosts=3, posts=4)
    web = read_recorded_web([whole], truth)
    # The posts of a host are in another file than its home page, which links to them.
    first, second = halves(whole)
    assert read_recorded_web([first, second], truth) == web
    changed = write_warc(
        tmp_path / "changed.warc.gz",
        [html(page.url, "改", ("http://else.test/", "别处")) for page in web.pages]
        + [moved("http://old.test/", "http://blog1.test/"), moved("http://blog9.test/", "/gone")],
    )
    linking = write_warc(
        tmp_path / "linking.warc.gz", [html("http://new.test/", "新", ("http://old.test/", "旧址"))]
    )
    assert read_recorded_web([first, second, changed], truth) == web
    more = read_recorded_web([linking, first, second, changed, linking], truth)
    assert (more.pages, more.seen) == (web.pages, web.seen + 1)
    assert more.final_url == {"http://old.test/": "http://blog1.test/"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("page,relevant\nx,1\n", r"has no column 'url'; add columns url and relevant"),
        ("url,relevant\nhttp://a.test/,ja\n", r"line 2 has relevant='ja'; write 0 or 1"),
        ("", r"has no column"),
    ],
)
def test_a_truth_that_is_none_is_one_sentence(tmp_path: Path, content: str, message: str) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text(content, "utf-8")
    with pytest.raises(ArgumentError, match=message):
        read_truth(truth)


def test_a_truth_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"cannot read .*; give a CSV file"):
        read_truth(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"url,relevant\n\xff\xfe,1\n")
    with pytest.raises(ArgumentError, match=r"not a CSV file in UTF-8"):
        read_truth(tmp_path / "binary.csv")
