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
from focuscrawl.pages.site_hosts import host_of
from tests.evaluation.small_web import html, moved, small_web, write_warc

REPLAY = Path(__file__).resolve().parents[4] / "shared" / "replay"
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
    return read_recorded_web(recording, truth)


def test_labels_are_those_of_the_targets_behind_redirects(web: RecordedWeb) -> None:
    labels = {entry.link.anchor: entry.label for entry in web.links}
    assert labels["神经网络"] is True
    assert labels["标签"] is False
    assert labels["别处"] is None
    assert labels["另一篇"] is True
    assert "到顶" not in labels


def test_hosts_are_those_behind_redirects(web: RecordedWeb) -> None:
    data = web.data_set()
    hosts = dict(zip((link.anchor for link in data.links), data.hosts, strict=True))
    assert hosts["神经网络"] == "b.test"
    assert set(data.sources) == {"a.test"}
    assert "别处" not in hosts


def test_pages_come_with_text_and_label(web: RecordedWeb) -> None:
    labels = {page.title: page.label for page in web.pages}
    assert labels == {"甲": False, "乙": False, "丙": True, "标签": False}


def test_what_stands_on_every_page_counts_once(tmp_path: Path) -> None:
    recording = write_warc(
        tmp_path / "web.warc", [html(f"http://a.test/{n}", "", MENU) for n in range(5)]
    )
    truth = tmp_path / "truth.csv"
    truth.write_text("url,relevant\nhttp://a.test/tags/,1\n", "utf-8")
    steps: list[int] = []
    web = read_recorded_web(recording, truth, step=lambda: steps.append(1))
    (only,) = web.links
    assert (web.seen, only.source, only.label) == (5, "http://a.test/0", True)
    assert len(steps) == 5
    assert str(web) == (
        "0 pages (0 relevant), 5 links, 1 distinct, 1 labelled, 1 relevant (100.0%)"
    )


def test_a_subset_of_hosts(tmp_path: Path) -> None:
    web = read_recorded_web(*small_web(tmp_path), hosts={"blog1.test", "blog3.test"})
    assert {host_of(page.url) for page in web.pages} == {"blog1.test", "blog3.test"}


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


def test_the_recorded_blogs() -> None:
    recording = REPLAY / "blogs-2026.warc.gz"
    if not recording.exists():
        pytest.skip(f"the recorded blogs are not there: {recording}")
    hosts = {"adaning.github.io", "lilianweng.github.io", "akilar.top"}
    truth = REPLAY / "blogs" / "truth_machine-learning.csv"
    data = read_recorded_web(recording, truth, hosts=hosts).data_set()
    assert set(data.sources) == hosts
    assert 1000 < data.labels.sum() < len(data.links) < 3000
    assert len({page.label for page in data.pages}) == 2
