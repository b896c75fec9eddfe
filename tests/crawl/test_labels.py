"""``scrapy crawl labels``: every link with the label of its target, whatever happens on the way."""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date
from functools import partial
from typing import Any

import pytest
import yaml

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.communities.community_web import Communities, topic_of
from focuscrawl.labelling.label_store import LabelCounts, LabelStore
from focuscrawl.pages.link import LabelledLink
from focuscrawl.topics import Topic, load_topic
from tests.crawl.conftest import SHARED, TODAY, Crawler, Finished, Replay, wait_until
from tests.servers.blocking_server import blocking_server

COMMUNITIES = Communities(seed=6, count=14, articles=8, longest_chain=5)
TOPIC = topic_of(COMMUNITIES, "money")
ALL = ("-a", "topic=money", "-a", "max_pages=100000", "-a", "max_pages_per_site=100000")


@pytest.fixture
def labels(crawl: Crawler) -> Crawler:
    crawl.spider = "labels"
    write_topic(crawl, TOPIC)
    return crawl


@pytest.fixture
def web(labels: Crawler, demo: Callable[..., DemoWeb]) -> Callable[..., DemoWeb]:
    """Starts a demo web of communities."""
    return partial(demo, days=1, more_sites=COMMUNITIES)


def write_topic(crawl: Crawler, topic: Mapping[str, Any]) -> Topic:
    folder = crawl.folder / "topics"
    folder.mkdir(exist_ok=True)
    path = folder / f"{topic['name']}.yaml"
    path.write_text(yaml.safe_dump(topic, allow_unicode=True), encoding="utf-8")
    return load_topic(topic["name"], folder)


def beside(crawl: Crawler, name: str) -> Crawler:
    """Return a crawler in another folder, with the same topics."""
    other = Crawler(crawl.folder / name, crawl.environment, spider="labels")
    (other.folder).mkdir()
    (other.folder / "topics").symlink_to(crawl.folder / "topics")
    return other


@contextmanager
def stored(crawl: Crawler, topic: str = "money") -> Iterator[LabelStore]:
    store = LabelStore(crawl.folder / "data" / f"labels-{topic}.sqlite")
    yield store
    store.close()


def links_of(crawl: Crawler, topic: str = "money") -> list[LabelledLink]:
    with stored(crawl, topic) as store:
        return list(store.links())


def counts_of(crawl: Crawler, topic: str = "money") -> LabelCounts:
    with stored(crawl, topic) as store:
        return store.counts()


def states_of(crawl: Crawler, topic: str = "money") -> dict[str, tuple[str, str]]:
    path = crawl.folder / "data" / f"labels-{topic}.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT url, state, reason FROM pages").fetchall()
    return {url: (state, reason) for url, state, reason in rows}


def requested(web: DemoWeb) -> list[str]:
    urls = [request.url for request in web.log if not request.url.endswith("robots.txt")]
    web.log.clear()
    return urls


def in_summary(run: Finished, what: str) -> str:
    (line,) = [line for line in run.out.splitlines() if line.startswith(f"  {what} ")]
    return line.removeprefix(f"  {what} ").strip()


def test_every_link_of_the_web_is_there_with_the_label_of_its_domain(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    demo = web()
    run = labels(*ALL, "-L", "INFO")
    assert run.code == 0, run.err
    topic = load_topic("money", labels.folder / "topics")
    links = links_of(labels)
    assert all(entry.label is topic.label_of(entry.link.url) for entry in links)
    assert {entry.label for entry in links} == {True, False, None}
    states = states_of(labels)
    truth = {known.url: known.relevant for known in COMMUNITIES.truth()}
    assert {url for url, (state, _) in states.items() if state == "done"} == set(truth)
    forbidden = {url for url, (state, _) in states.items() if state == "forbidden"}
    asked = set(requested(demo))
    assert asked == set(states) - forbidden
    # Twisted repeats a request by itself if the connection that it reused is just being closed, as those
    # of files that are no text are.
    assert f"'frontier/leased': {len(asked | forbidden)}," in run.err
    found = {entry.link.url for entry in links}
    home = COMMUNITIES.map.communities[0].home
    # Seeds and targets of redirects need no link.
    assert set(truth) - found <= {url for url in truth if "/post/" in url or url == home}
    counts = counts_of(labels)
    assert in_summary(run, "links") == (
        f"{counts.links} new; {counts.links} in all: {counts.positive} positive, "
        f"{counts.negative} negative, {counts.unlabelled} unlabelled"
    )
    assert in_summary(run, "next") == "scrapy train money"
    assert str(labels.folder / "data/labels-money.sqlite") in in_summary(run, "results")
    # No stores of articles are made, and the frontier is empty.
    files = {path.name for path in (labels.folder / "data").iterdir()}
    assert files == {"labels-money.sqlite", "frontier-labels-money.sqlite.lock", "locks"}
    check_pages(labels, topic)
    check_failures(labels, run)
    again = labels(*ALL)
    assert again.code == 0
    assert requested(demo) == []
    assert in_summary(again, "links").startswith("0 new; ")
    assert in_summary(again, "next") == "scrapy train money"
    assert links_of(labels) == links


def check_pages(labels: Crawler, topic: Topic) -> None:
    """Check that the pages of listed domains are kept for the page classifier."""
    with stored(labels) as store:
        pages = {page.url: page for page in store.pages()}
    listed = {known.url for known in COMMUNITIES.truth() if topic.label_of(known.url) is not None}
    assert set(pages) == listed
    assert all(page.label is topic.label_of(page.url) for page in pages.values())
    post = next(page for url, page in pages.items() if url.endswith("/post/3.html"))
    assert post.title
    assert len(post.text) > 300


def check_failures(labels: Crawler, run: Finished) -> None:
    """Check that what is no page is counted with its reason."""
    reasons = {(state, reason) for state, reason in states_of(labels).values() if state != "done"}
    assert reasons == {
        ("redirect", ""),
        ("failed", "HTTP 404"),
        ("skipped", "no HTML"),
        ("forbidden", "robots.txt"),
    }
    assert "14 robots.txt" in in_summary(run, "dropped")
    assert "14 robots.txt" in in_summary(run, "no links")
    assert "no HTML" in in_summary(run, "no links")
    failed = counts_of(labels).pages["failed"]
    assert in_summary(run, "pages").endswith(f", {failed} failed")


def test_a_budget_buys_the_same_pages_however_fast_they_come_and_in_however_many_runs(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    seeds = ",".join(one.home for one in COMMUNITIES.map.communities)
    limits = ("-a", "topic=money", "-a", f"seeds={seeds}", "-a", "max_pages_per_site=12", "-a")
    demo = web()
    at_once, in_parts = beside(labels, "at_once"), beside(labels, "in_parts")
    run = at_once(*limits, "max_pages=130", "-s", "CONCURRENT_REQUESTS=1")
    assert run.code == 0, run.err
    assert "130 pages" in in_summary(run, "walk")
    assert "for more links, give a larger max_pages" in in_summary(run, "next")
    first = requested(demo)
    demo.latency_ms = 3
    for budget in (7, 60, 130):
        assert in_parts(*limits, f"max_pages={budget}").code == 0
    assert sorted(requested(demo)) == sorted(first)
    assert links_of(in_parts) == links_of(at_once)
    assert counts_of(in_parts) == counts_of(at_once)
    by_site = [url.split("/")[2] for url in states_of(at_once) if url in first]
    assert max(map(by_site.count, by_site)) <= 12


def test_depth_is_kept_and_can_be_raised(labels: Crawler, web: Callable[..., DemoWeb]) -> None:
    demo = web()
    assert labels(*ALL, "-a", "depth=0").code == 0
    home = COMMUNITIES.map.communities[0].home
    assert requested(demo) == [home]
    assert {entry.source for entry in links_of(labels)} == {home}
    assert labels(*ALL, "-a", "depth=1").code == 0
    assert home not in requested(demo)


def test_seeds_may_come_from_the_command_line_or_a_file(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    demo = web()
    homes = [one.home for one in COMMUNITIES.map.communities[3:6]]
    given = ",".join(homes).replace("/c003.", ":80/", 1).replace(":80/", "/C003.")
    assert labels(*ALL, "-a", "depth=0", "-a", f"seeds={given}").code == 0
    assert sorted(requested(demo)) == homes
    (labels.folder / "seeds.txt").write_text(
        f"# mine\n\n{homes[0]}\nhttp://c006.communities.demo.test\n"
    )
    assert labels(*ALL, "-a", "depth=0", "-a", "seeds=seeds.txt").code == 0
    assert requested(demo) == ["http://c006.communities.demo.test/"]


def test_nothing_is_requested_from_the_blacklist(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    demo = web()
    barred = (*COMMUNITIES.map.chains[0].sites, COMMUNITIES.map.communities[0].friends[-1])
    hosts = {COMMUNITIES.map.communities[number].host for number in barred}
    write_topic(labels, TOPIC | {"blacklist": sorted(hosts)})
    run = labels(*ALL)
    assert run.code == 0, run.err
    assert not hosts & {url.split("/")[2] for url in requested(demo)}
    assert f"{len(hosts)} of the blacklist" in in_summary(run, "left out")
    # The links are there all the same: where they lead is known.
    assert hosts & {entry.link.url.split("/")[2] for entry in links_of(labels)}


def test_apprentice_labels_are_the_relevance_of_the_targets(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    web()
    bare = {key: TOPIC[key] for key in ("name", "lexicon", "seeds")}
    write_topic(labels, bare)
    run = labels(*ALL, "-a", "labels=apprentice")
    assert run.code == 0, run.err
    truth = {known.url: known.relevant for known in COMMUNITIES.truth()}
    judged = [entry for entry in links_of(labels) if entry.link.url in truth]
    right = sum(entry.label is truth[entry.link.url] for entry in judged)
    assert all(entry.label is not None for entry in judged)
    assert right / len(judged) > 0.8
    assert in_summary(run, "judged by") == "money (page rule)"
    unknown = {entry.link.url for entry in links_of(labels) if entry.label is None}
    assert any(url.endswith("/admin/") for url in unknown)
    # Short links are redirected to posts: they are judged by these.
    assert not any("/p/" in url for url in unknown)
    assert run.code == 0
    assert labels(*ALL, "-a", "labels=domains").code == 2


# -- accidents ------------------------------------------------------------------------------------


def end_after(crawl: Crawler, web: DemoWeb, requests: int, number: int) -> Finished:
    """Start a crawl, and send it a signal after so many requests."""
    goal = len(web.log) + requests
    process = crawl.start(*ALL)
    wait_until(process, lambda: len(web.log) >= goal)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return Finished(process.wait(), out, err)


def everything(crawl: Crawler, topic: str = "money") -> tuple[object, ...]:
    with stored(crawl, topic) as store:
        return list(store.links()), list(store.pages()), store.counts(), store.failures()


def test_an_interrupted_and_a_killed_crawl_are_completed_by_the_next(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    demo = web()
    whole, disturbed = beside(labels, "whole"), beside(labels, "disturbed")
    assert whole(*ALL).code == 0
    demo.latency_ms = 20
    interrupted = end_after(disturbed, demo, 20, signal.SIGINT)
    assert interrupted.code == 130, interrupted.err
    assert "run it again to continue" in interrupted.out
    for requests in (60, 5):
        assert end_after(disturbed, demo, requests, signal.SIGKILL).code == -signal.SIGKILL
    demo.latency_ms = 0
    assert disturbed(*ALL).code == 0
    assert everything(disturbed) == everything(whole)


class OddSite:
    """What the web also holds."""

    PAGES: Mapping[str, tuple[int, dict[str, str], bytes]] = {
        "/": (200, {"Content-Type": "text/html"}, b"<title>odd</title>" + b"".join(
            f"<p>{name} <a href='{href}'>{name}</a>".encode("gb18030")
            for name, href in {
                "环": "/loop1", "刷新": "/refresh", "大": "/huge", "图": "/picture", "文": "/plain",
                "空": "/empty", "断": "/broken", "主机": "http://nowhere..test/", "口": "http://odd.test:99999/",
                "长": "/" + "a" * 3000, "外": "/out", "无": "/lost", "信": "mailto:a@b.c", "错": "http://[/",
            }.items()
        )),
        "/loop1": (302, {"Location": "/loop2"}, b""),
        "/loop2": (302, {"Location": "/loop1"}, b""),
        "/refresh": (200, {"Content-Type": "text/html"}, b"<meta http-equiv=refresh content='0;url=/found'>"),
        "/found": (200, {"Content-Type": "text/html"}, "<p>行情 <a href='/end'>股票</a>".encode("gb18030")),
        "/huge": (200, {"Content-Type": "text/html"}, b"<p>" + b"x" * (9 * 1024 * 1024)),
        "/picture": (200, {"Content-Type": "image/png"}, bytes(100)),
        "/plain": (200, {"Content-Type": "text/plain"}, b"no html"),
        "/empty": (200, {"Content-Type": "text/html"}, b""),
        "/broken": (200, {"Content-Type": "text/html"}, bytes(range(256)) * 20),
        "/out": (301, {"Location": "ftp://odd.test/file"}, b""),
        "/lost": (301, {}, b""),
    }  # fmt: skip

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        status, named, body = self.PAGES.get(path, (404, {}, b""))
        return Response(status, dict(named), body)


def test_odd_pages_end_no_crawl(labels: Crawler, web: Callable[..., DemoWeb]) -> None:
    web().sites["odd.test"] = OddSite()
    write_topic(labels, TOPIC | {"positive_domains": ["odd.test"], "seeds": ["http://odd.test/"]})
    run = labels(*ALL, "-s", "RETRY_ENABLED=False")
    assert run.code == 0, run.err
    states = {
        url.removeprefix("http://odd.test"): found for url, found in states_of(labels).items()
    }
    assert states["/loop1"] == states["/loop2"] == states["/refresh"] == ("redirect", "")
    assert states["/found"] == states["/empty"] == states["/broken"] == ("done", "")
    assert states["/picture"] == states["/plain"] == ("skipped", "no HTML")
    assert states["/out"] == ("skipped", "leads to no page")
    assert states["/huge"][0] == "failed"
    assert states["/lost"] == ("failed", "HTTP 301")
    assert states["/end"] == ("failed", "HTTP 404")
    assert not {state for state, _ in states.values()} & {"waiting", "taken"}
    assert "股票" in {entry.link.anchor for entry in links_of(labels)}


class SilentSite:
    """A page that does not answer until one two levels deeper has been fetched."""

    def __init__(self) -> None:
        self.deep = threading.Event()
        self.was_in_time = False

    def turn_to(self, today: date) -> None:
        """Every day is the same."""

    def truth(self) -> Mapping[str, Any]:
        return {}

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/silent":
            self.was_in_time = self.deep.wait(60)
        elif path == "/2":
            self.deep.set()
        links = {"/": '<a href="/silent">a</a><a href="/1">b</a>', "/1": '<a href="/2">c</a>'}
        body = f"<title>页</title>{links.get(path, '文')}".encode()
        return Response(200, {"Content-Type": "text/html; charset=utf-8"}, body)


def test_a_silent_page_does_not_hold_up_the_levels_below(labels: Crawler) -> None:
    site = SilentSite()
    write_topic(labels, TOPIC | {"positive_domains": ["odd.test"], "seeds": ["http://odd.test/"]})
    with blocking_server(DemoWeb(1, 1, TODAY, more_sites={"odd.test": site})) as environment:
        labels.environment |= environment
        run = labels(*ALL, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=4")
    assert run.code == 0, run.err
    assert site.was_in_time
    assert {state for state, _ in states_of(labels).values()} == {"done"}


def test_no_page_at_all_is_no_success_and_the_next_run_tries_again(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    run = labels(*ALL)
    assert run.code == 2
    assert "connection refused by the proxy 127.0.0.1:9)" in run.err
    web()
    assert labels(*ALL, "-a", "depth=0").code == 0
    assert counts_of(labels).pages["done"] == 1


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("-a", "topic=money", "-a", "maxpages=3"), ["no argument 'maxpages'", "topic, seeds"]),
        ((), ["needs the argument topic", "-a topic="]),
        (("-a", "topic=monney"), ["no topic 'monney'", "money"]),
        (("-a", "topic=money", "-a", "seeds=seeds.txt"), ["seeds='seeds.txt'", "UTF-8 file"]),
        (("-a", "topic=money", "-a", "seeds=ftp://host/"), ["'ftp://host/' is not the URL"]),
        (("-a", "topic=money", "-a", "labels=mine"), ["labels='mine'", "apprentice"]),
        (("-a", "topic=barred", "-a", "seeds=http://c001.communities.demo.test"), ["blacklist of"]),
        (("-a", "topic=bare"), ["labels=domains needs positive_domains and negative_domains in topic 'bare'"]),
        (("-a", "topic=bare", "-a", "labels=apprentice"), ["'bare' has no seeds"]),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_sentence_and_nothing_is_written(
    labels: Crawler, arguments: tuple[str, ...], parts: list[str]
) -> None:
    write_topic(labels, {"name": "bare", "lexicon": {"股票": 3}})
    write_topic(labels, TOPIC | {"name": "barred", "blacklist": ["c001.communities.demo.test"]})
    run = labels(*arguments)
    assert run.code == 2, run.err
    (sentence,) = [line for line in run.err.splitlines() if line.startswith("error:")]
    assert all(part in sentence for part in parts), sentence
    assert "Traceback" not in run.err
    assert not list(labels.folder.glob("data/*.sqlite"))


def test_a_file_that_is_none_of_ours_gets_one_sentence(labels: Crawler) -> None:
    (labels.folder / "data").mkdir()
    file = labels.folder / "data" / "labels-money.sqlite"
    file.write_bytes("这是文章".encode() * 1000)
    run = labels(*ALL)
    assert run.code == 2
    assert "error: data/labels-money.sqlite is damaged or not a label file" in run.err
    assert "Traceback" not in run.err
    assert file.read_bytes() == "这是文章".encode() * 1000


# -- the recorded blogs ---------------------------------------------------------------------------

BLOGS = {
    "name": "blogs",
    "lexicon": {"机器学习": 3},
    "positive_domains": ["www.hankcs.com", "snaildove.github.io", "www.itbob.cn"],
    "negative_domains": ["threezh1.com", "adaning.github.io", "foochane.cn"],
    "seeds": ["http://www.itbob.cn/", "http://adaning.github.io/", "http://foochane.cn/"],
}


@pytest.mark.skipif(not SHARED.exists(), reason=f"the recorded sites are not here ({SHARED})")
def test_recorded_blogs_are_labelled_by_their_domains(
    labels: Crawler, blogs_replay: Callable[..., Replay]
) -> None:
    blogs_replay()
    topic = write_topic(labels, BLOGS)
    run = labels("-a", "topic=blogs", "-a", "max_pages=300", "-a", "max_pages_per_site=40")
    assert run.code == 0, run.err
    links = links_of(labels, "blogs")
    assert all(entry.label is topic.label_of(entry.link.url) for entry in links)
    assert {entry.label for entry in links} == {True, False, None}
