"""The file of labelled links, and the walk that fills it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import LabelError
from focuscrawl.labelling.label_collector import MOST_HOSTS, LabelWalk
from focuscrawl.labelling.label_store import MOST_REDIRECTS, LabelStore, PageState, target_relevance
from focuscrawl.pages.link import LabelledLink, Link, Position

GOOD, BAD, UNKNOWN = "http://good.test/", "http://bad.test/", "http://unknown.test/"


def label_of(url: str) -> bool | None:
    return {"good.test": True, "bad.test": False}.get(url.split("/")[2])


def link(url: str, anchor: str = "标题", source: str = GOOD, **more: str) -> LabelledLink:
    return LabelledLink(Link(url, anchor, **more), source, label_of(url))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LabelStore]:
    opened = LabelStore(tmp_path / "labels.sqlite", "finance")
    yield opened
    opened.close()


def walk_of(store: LabelStore, **limits: int) -> LabelWalk:
    walk = LabelWalk(store, **{"max_pages": 1000, "max_per_site": 1000, **limits})
    walk.resume([GOOD], label_of)
    return walk


def fetch(store: LabelStore, *links: LabelledLink, **more: object) -> LabelWalk:
    """Store one page, the seed, with these links."""
    walk = walk_of(store)
    (page,) = walk.take(10)
    store.add_page(page.url, links, **more)
    return walk


def test_links_come_back_as_they_went_in(store: LabelStore) -> None:
    given = LabelledLink(
        Link(BAD, "锚", "前", "后", "题", "栏", Position.FOOTER, "nofollow"), GOOD, False
    )
    fetch(store, given, link(UNKNOWN))
    assert set(store.links()) == {given, link(UNKNOWN)}
    assert store.links_to(BAD) == [given]
    assert store.links_to("http://elsewhere.test/") == []


def test_a_link_is_kept_once_by_url_anchor_and_context(store: LabelStore) -> None:
    fetch(store, link(BAD), link(BAD, heading="栏"), link(BAD, "别"), link(BAD, before="前"))
    assert len(store.links_to(BAD)) == 3
    (page,) = walk_of(store).take(1)
    store.add_page(page.url, [link(BAD, source=page.url)])
    assert len(store.links_to(BAD)) == 3
    assert {entry.source for entry in store.links()} == {GOOD}


def test_texts_of_pages_come_back_with_the_label_of_their_domain(store: LabelStore) -> None:
    fetch(store, link(UNKNOWN), title="题", text="一 二")
    (page,) = walk_of(store).take(1)
    store.add_page(page.url, [], title="无", text="三")
    assert list(store.pages()) == [(GOOD, "题", "一 二", True)]


def test_counts(store: LabelStore) -> None:
    fetch(store, link(f"{GOOD}1"), link(BAD), link(BAD, "别"), link(UNKNOWN))
    walk = walk_of(store)
    pages = walk.take(3)
    store.add_failure(pages[0].url, PageState.FAILED, "404")
    store.add_failure(pages[1].url, PageState.FAILED, "404")
    store.add_redirect(pages[2].url, f"{BAD}new", False, barred=False)
    counts = store.counts()
    assert (counts.positive, counts.negative, counts.unlabelled, counts.links) == (1, 2, 1, 4)
    assert store.link_count() == 4
    assert counts.pages == {"done": 1, "failed": 2, "redirect": 1, "waiting": 1}
    assert store.failures() == {"404": 2}
    assert walk.requested == 4


@given(st.lists(st.tuples(*[st.text() for _ in range(6)]), max_size=4))
def test_any_text_can_be_kept(rows: list[tuple[str, ...]]) -> None:
    store = LabelStore(Path(":memory:"), "finance")
    links = [
        LabelledLink(Link(f"{BAD}{n}{url}", *texts), GOOD, None)
        for n, (url, *texts) in enumerate(rows)
    ]
    fetch(store, *links, title="\udfff", text="\ud800")
    kept = {str(entry.link.url)[: len(BAD) + 1]: entry.link[1:] for entry in store.links()}
    assert kept == {f"{BAD}{n}": entry.link[1:] for n, entry in enumerate(links)}
    store.close()


# -- the walk -------------------------------------------------------------------------------------


def test_levels_come_one_after_the_other(store: LabelStore) -> None:
    walk = walk_of(store)
    (seed,) = walk.take(10)
    assert (seed.url, seed.depth) == (GOOD, 0)
    assert walk.take(10) == []
    store.add_page(GOOD, [link(BAD), link(UNKNOWN)])
    (first,) = walk.take(1)
    (second,) = walk.take(1)
    assert {first.url, second.url} == {BAD, UNKNOWN}
    store.add_page(first.url, [link(f"{first.url}deeper")])
    assert walk.take(10) == [], "a page of the level before is out"
    store.add_page(second.url, [])
    assert walk.take(10) == [(f"{first.url}deeper", 2)]


def test_a_redirect_stays_on_its_level(store: LabelStore) -> None:
    walk = fetch(store, link(BAD), link(f"{BAD}barred"), barred={f"{BAD}barred"})
    (page,) = walk.take(5)
    store.add_redirect(page.url, UNKNOWN, None, barred=False)
    assert walk.take(5) == [(UNKNOWN, 1)]
    store.add_redirect(UNKNOWN, f"{UNKNOWN}barred", None, barred=True)
    assert walk.take(5) == []


def test_a_page_that_waits_comes_earlier_by_a_shorter_way(store: LabelStore) -> None:
    walk = fetch(store, link(BAD), link(UNKNOWN))
    first, second = walk.take(2)
    store.add_page(first.url, [link(f"{GOOD}far")])
    store.add_redirect(second.url, f"{GOOD}far", True, barred=False)
    assert walk.take(5) == [(f"{GOOD}far", 1)]


def test_budget_depth_and_share_of_a_site_are_kept(store: LabelStore) -> None:
    links = [link(f"{GOOD}{n}") for n in range(9)] + [link(BAD)]
    fetch(store, *links)
    capped = walk_of(store, max_per_site=4).take(100)
    assert sorted(page.url.split("/")[2] for page in capped) == ["bad.test"] + ["good.test"] * 3
    assert store.counts().pages == {"done": 1, "taken": 4, "capped": 6}
    assert len(walk_of(store, max_pages=6).take(100)) == 5
    assert walk_of(store, max_depth=0).take(100) == []
    assert len(walk_of(store).take(100)) == 10


def test_the_walk_goes_on_without_pages_that_are_late(store: LabelStore) -> None:
    walk = fetch(store, link(UNKNOWN), link(BAD))
    first, late = walk.take(2)
    store.add_page(first.url, [link(f"{first.url}deeper")])
    assert walk.take(10) == []
    walk.stop_waiting()
    assert walk.take(10) == [(f"{first.url}deeper", 2)]
    store.add_page(late.url, [link(f"{late.url}deeper")])
    assert walk.take(10) == [(f"{late.url}deeper", 2)]


def test_a_late_page_is_fetched_again_by_the_next_run(store: LabelStore) -> None:
    fetch(store, link(BAD)).take(1)
    walk = walk_of(store)
    walk.take(1)
    walk.stop_waiting()
    assert walk.take(1) == []
    assert walk_of(store).take(1) == [(BAD, 1)]


def test_host_names_without_end_are_capped_but_those_of_seeds_are_not(store: LabelStore) -> None:
    hosts = [f"http://n{n}.x.trap.test:8080/" for n in range(MOST_HOSTS + 20)]
    fetch(store, *(link(url) for url in [*hosts, UNKNOWN]))
    taken = walk_of(store).take(1000)
    assert len(taken) == MOST_HOSTS + 1
    assert store.counts().pages["capped"] == 20
    capped = sorted(set(hosts) - {page.url for page in taken})
    walk = LabelWalk(store, max_pages=1000, max_per_site=9)
    walk.resume(capped[:5], label_of)
    assert set(capped[:5]) < {page.url for page in walk.take(1000)}
    assert store.counts().pages["capped"] == 15


def test_what_failed_for_now_is_tried_again(store: LabelStore) -> None:
    walk = fetch(store, *(link(f"{BAD}{n}") for n in range(4)))
    reasons = {}
    for page, reason in zip(
        walk.take(4), ("HTTP 404", "HTTP 503", "TimeoutError", ""), strict=True
    ):
        reasons[reason] = page.url
        if reason:
            store.add_failure(page.url, PageState.FAILED, reason)
    again = {page.url for page in walk_of(store).take(10)}
    assert again == set(reasons.values()) - {reasons["HTTP 404"]}
    assert store.failures() == {"HTTP 404": 1}


def test_the_domain_lists_of_today_count(store: LabelStore) -> None:
    fetch(store, link(BAD), link(UNKNOWN))
    walk = LabelWalk(store, max_pages=1, max_per_site=1)
    walk.resume([], lambda url: True if url == UNKNOWN else None)
    assert {entry.link.url: entry.label for entry in store.links()} == {BAD: None, UNKNOWN: True}


def test_apprentice_labels_follow_the_judge_and_redirects(tmp_path: Path) -> None:
    store = LabelStore(tmp_path / "judged.sqlite", "finance", "apprentice")
    urls = [f"{UNKNOWN}{name}" for name in ("yes", "no", "moved", "never")]
    walk = fetch(store, *map(link, urls), link(GOOD), relevant=False)
    for page in walk.take(10):
        if page.url.endswith("moved"):
            store.add_redirect(page.url, urls[0], None, barred=False)
        elif not page.url.endswith("never"):
            store.add_page(page.url, [], relevant=page.url.endswith("yes"))
    found = {entry.link.url: entry.label for entry in store.links()}
    assert found == dict(zip([*urls, GOOD], [True, False, True, None, False], strict=True))
    assert store.counts()[:3] == (2, 2, 1)
    store.close()


def test_a_redirect_has_the_judgement_of_its_last_target() -> None:
    judged = {"http://c.test/": True}
    redirects = {"http://a.test/": "http://b.test/", "http://b.test/": "http://c.test/"}
    assert target_relevance(judged, redirects) == dict.fromkeys({*redirects, *judged}, True)


def test_redirects_that_go_in_a_circle_or_nowhere_say_nothing() -> None:
    redirects = {
        "http://a.test/": "http://b.test/",
        "http://b.test/": "http://a.test/",
        "http://self.test/": "http://self.test/",
        "http://lost.test/": "http://nowhere.test/",
    }
    assert target_relevance({"http://c.test/": False}, redirects) == {"http://c.test/": False}


# -- a crawl of a made-up web ---------------------------------------------------------------------


def outlinks(url: str) -> list[str]:
    """Twelve hosts with some pages each, linked by chance."""
    chance = random.Random(url)
    return [f"http://h{chance.randrange(12)}.test/{chance.randrange(25)}" for _ in range(12)]


def answer(store: LabelStore, url: str) -> None:
    targets = outlinks(url)
    if targets[0].endswith("7"):
        store.add_redirect(url, targets[1], None, barred=False)
    elif targets[0].endswith("9"):
        store.add_failure(url, PageState.FAILED, "500")
    else:
        store.add_page(url, [link(to, f"文{n % 2}", url) for n, to in enumerate(targets)], text=url)


def crawl(store: LabelStore, order: Callable[[list[str]], None]) -> None:
    walk = LabelWalk(store, max_pages=120, max_per_site=9)
    walk.resume(["http://h0.test/0"], label_of)
    out: list[str] = []
    while taken := out + [page.url for page in walk.take(8)]:
        order(taken)
        out = taken[1:]
        answer(store, taken[0])


def everything(store: LabelStore) -> tuple[object, ...]:
    return list(store.links()), store.counts(), store.failures()


def test_the_order_of_answers_does_not_matter(tmp_path: Path) -> None:
    results = []
    for number, order in enumerate((list.sort, list.reverse, random.Random(3).shuffle)):
        store = LabelStore(tmp_path / f"{number}.sqlite", "finance")
        crawl(store, order)
        results.append(everything(store))
        assert store.counts().pages["capped"] > 0
        assert store.counts().pages["redirect"] > 0
        store.close()
    assert results[0] == results[1] == results[2]


WORKER = """
import sys
from pathlib import Path
from focuscrawl.labelling.label_store import LabelStore
from tests.labelling import test_label_store as here

def announced(urls):
    print(len(urls), flush=True)

here.crawl(LabelStore(Path(sys.argv[1]), "finance"), announced)
"""


def test_a_killed_crawl_goes_on_to_the_same_end(tmp_path: Path) -> None:
    whole, killed = (LabelStore(tmp_path / name, "finance") for name in ("whole", "killed"))
    crawl(whole, list.sort)
    for after in (1, 5, 20, 2):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, tmp_path / "killed"], stdout=subprocess.PIPE, text=True
        )
        assert worker.stdout
        for _ in range(after):
            assert worker.stdout.readline()
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate()
    assert killed.counts().pages["done"] > 0
    crawl(killed, list.sort)
    assert everything(killed) == everything(whole)
    whole.close()
    killed.close()


# -- files that are none --------------------------------------------------------------------------


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE articles (url TEXT)")
    connection.close()


def of_the_future(path: Path) -> None:
    LabelStore(path, "finance").close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def of_another_topic(path: Path) -> None:
    LabelStore(path, "cooking").close()


def of_another_source(path: Path) -> None:
    LabelStore(path, "finance", "apprentice").close()


def no_database(path: Path) -> None:
    path.write_bytes("这是文章".encode() * 1000)


def cut_short(path: Path) -> None:
    store = LabelStore(path, "finance")
    fetch(store, *(link(f"{BAD}{n}") for n in range(2000)))
    store.close()
    path.write_bytes(path.read_bytes()[:3000])


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (foreign, "is not a label file"),
        (of_the_future, "has format 99, this version reads 1"),
        (of_another_topic, "is of topic 'cooking'"),
        (of_another_source, "labels=apprentice"),
        (no_database, "damaged or not a label file"),
        (cut_short, "damaged or not a label file"),
        (a_folder, "cannot be read"),
    ],
)
def test_a_file_that_is_none_of_ours_gets_a_sentence(
    tmp_path: Path, spoil: Callable[[Path], None], part: str
) -> None:
    path = tmp_path / "labels.sqlite"
    spoil(path)
    with pytest.raises(LabelError, match=part) as caught:
        LabelStore(path, "finance")
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_reading_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="scrapy crawl labels"):
        LabelStore(tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_is_read_without_naming_the_topic(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    store = LabelStore(path, "finance")
    fetch(store, link(BAD))
    store.close()
    again = LabelStore(path)
    assert (again.topic, again.labels) == ("finance", "domains")
    assert list(again.links()) == [link(BAD)]
    again.close()


def test_redirects_without_end_do_not_eat_the_budget(store: LabelStore) -> None:
    walk = LabelWalk(store, max_pages=100, max_per_site=100)
    walk.resume([GOOD], lambda url: None)
    taken = []
    while pages := walk.take(5):
        taken += pages
        for number, page in enumerate(pages):
            store.add_redirect(page.url, f"http://h{len(taken)}-{number}.test/", None, barred=False)
    assert len(taken) == 1 + MOST_REDIRECTS
    assert store.failures() == {"too many redirects": 1}
    assert store.counts().pages == {"redirect": MOST_REDIRECTS, "skipped": 1}
