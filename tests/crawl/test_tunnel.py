"""``scrapy crawl tunnel`` as a user runs it, over a small recorded web."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from focuscrawl.crawling.run_harvest import RunHarvest
from focuscrawl.errors import ArgumentError, FrontierError
from focuscrawl.frontier import Outcome, State, read_frontier
from focuscrawl.replay.recorded_pages import Recorded
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.model_files.classifier_files import links_text
from focuscrawl.scoring.model_files.scorer_loading import version_of
from focuscrawl.spider_arguments import TunnelArguments, parse_arguments
from focuscrawl.spiders.tunnel import TunnelSpider
from focuscrawl.summary.run_series import RunPoint
from focuscrawl.topics import Topic, load_topic
from focuscrawl.workers.crawl_keys import CrawlKeys
from tests.crawl.conftest import Crawler, Finished, wait_until
from tests.evaluation.small_web import html, moved
from tests.replay.warcs import write_warc
from tests.servers import warm_scrapy

pytestmark = pytest.mark.usefixtures("no_workbook")

TOPIC = """
name: nets
lexicon: {神经网络: 3, 梯度下降: 3, 類神經網路: 3}
seeds: [http://start.test/]
blacklist: [black.test]
"""
NETS = "神经网络 的 训练 用 梯度下降 " * 5
FOOD = "红烧 排骨 要 小火 慢炖 " * 5
START, GOOD, SHOP = "http://start.test/", "http://good.test/", "http://shop.test/"
POSTS = {f"{GOOD}post/{number}" for number in range(5)}
FOUND = {GOOD, *POSTS, f"{GOOD}here", "http://gbk.test/", "http://big5.test/"}
ITEMS = [f"{SHOP}item/{number}" for number in range(9)]


def monotonous_web(title: str, text: str) -> Iterator[Recorded]:
    """Yield 60 pages that have the same words."""
    yield html(
        START, title, *((f"/{number}", f"{title} {number}") for number in range(59)), text=text
    )
    for number in range(59):
        yield html(f"{START}{number}", title, text=text)


def in_charset(url: str, charset: str, title: str, text: str) -> Recorded:
    page = f'<html><head><meta charset="{charset}"><title>{title}</title></head><body><p>{text}</p>'
    return Recorded(url, 200, "text/html", "", page.encode(charset))


def web() -> Iterator[Recorded]:
    """Yield a start page, a way of three pages to a community, a shop in which one gets lost."""
    yield html(START, "美食", ("http://way.test/", "朋友"), (SHOP, "商店"), (f"{START}gone", "旧文"),
               ("http://black.test/", "广告"), text=FOOD)  # fmt: skip
    yield html("http://way.test/", "路人", ("/friends", "友情链接"), text=FOOD)
    yield html("http://way.test/friends", "友情链接", (GOOD, "小王的主页"), text=FOOD)
    others = ["http://gbk.test/", "http://big5.test/", f"{GOOD}moved", f"{GOOD}out", f"{GOOD}data"]
    posts = [(url, f"第 {number} 篇") for number, url in enumerate([*sorted(POSTS), *others])]
    yield html(GOOD, "神经网络 笔记", *posts, text=NETS)
    for url in POSTS:
        yield html(url, "梯度下降 讲解", (GOOD, "首页"), text=NETS)
    yield moved(f"{GOOD}moved", "HTTP://GOOD.test:80/here#top")
    yield html(f"{GOOD}here", "神经网络 新家", (f"{GOOD}gone", "没了"), text=NETS)
    yield moved(f"{GOOD}out", "http://black.test/")
    yield Recorded(f"{GOOD}data", 200, "text/plain", "", NETS.encode())
    yield in_charset("http://gbk.test/", "gbk", "神经网络 与 国标", NETS)
    yield in_charset("http://big5.test/", "big5", "類神經網路 筆記", "類神經網路 與 梯度下降 " * 5)
    yield html("http://black.test/", "神经网络 特价", text=NETS)
    yield html(SHOP, "商店", *((url, f"商品 {url[-1]}") for url in ITEMS), text=FOOD)
    for url in ITEMS:
        yield html(url, "商品", *((url, "商品") for url in ITEMS), text=FOOD)


@pytest.fixture
def tunnel(crawl: Crawler) -> Crawler:
    crawl.spider = "tunnel"
    write_warc(crawl.folder / "web.warc.gz", web())
    (crawl.folder / "topics").mkdir()
    (crawl.folder / "topics" / "nets.yaml").write_text(TOPIC, "utf-8")
    return crawl


def run(
    crawl: Crawler,
    *arguments: str,
    topic: str = "nets",
    fails: bool = False,
    settings: Sequence[str] = (),
) -> Finished:
    given = [part for argument in (f"topic={topic}", *arguments) for part in ("-a", argument)]
    every = ("FOCUSCRAWL_REPLAY=web.warc.gz", "CONCURRENT_REQUESTS=1", *settings)
    done = crawl(*given, *(part for setting in every for part in ("-s", setting)))
    assert bool(done.code) is fails, done.err
    assert "Traceback" not in done.out + done.err, done.err
    return done


def in_summary(done: Finished, what: str) -> str:
    (line,) = [line for line in done.out.splitlines() if line.startswith(f"  {what} ")]
    return line.removeprefix(f"  {what} ").strip()


def frontier_file(crawl: Crawler) -> Path:
    return crawl.folder / "data" / "frontier-tunnel-nets.sqlite"


def pages(crawl: Crawler) -> set[str]:
    found = [url for (url,) in crawl.rows("select url from pages")]
    assert len(found) == len(set(found))
    return set(found)


def test_no_more_pages_are_judged_than_max_pages(tunnel: Crawler) -> None:
    arguments = ["-a", "topic=nets", "-a", "keep=all", "-a", "text=plain", "-a", "mode=best-first"]
    arguments += ["-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16"]
    first = tunnel(*arguments, "-a", "max_pages=5", "-s", "FOCUSCRAWL_EAGERNESS=1")
    assert first.count("pages, ") == 5
    second = tunnel(*arguments)
    assert len(tunnel.rows("select url from pages")) == 5 + second.count("pages, ")
    assert {url for (url,) in tunnel.rows("select url from pages")} >= FOUND


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("神经网络", NETS, "60 of 60 pages relevant: if its words are on every page"),
        (
            "美食",
            FOOD,
            "0 of 60 pages relevant: do these sites use the words of the topic? A page needs 2 of its 3",
        ),
    ],
)
def test_a_topic_that_fits_all_or_nothing_is_doubted(
    tunnel: Crawler, title: str, text: str, said: str
) -> None:
    write_warc(tunnel.folder / "web.warc.gz", monotonous_web(title, text))
    assert said in run(tunnel, "entries=60", "patience=60").out


def test_the_trace_of_urls_is_what_the_simulated_cache_reads(tunnel: Crawler) -> None:
    # The second run appends.
    for _ in range(2):
        run(tunnel, "mode=best-first", "keep=all", settings=("FOCUSCRAWL_URL_TRACE=trace.txt",))
        frontier_file(tunnel).unlink()
    links = (tunnel.folder / "trace.txt").read_text("utf-8").split()
    half = len(links) // 2
    assert sorted(links[:half]) == sorted(links[half:])
    # The links of the good pages to each other are looked up, too.
    assert links[:half].count(GOOD) > 5
    done = warm_scrapy.run(["urlcache", "trace.txt"], cwd=tunnel.folder)
    assert f"{len(links)} links to {len({*links})} URLs" in done.stdout
    refused = tunnel("-a", "topic=nets", "-s", "FOCUSCRAWL_URL_TRACE=no/such/file")
    assert refused.code == 2
    assert "FOCUSCRAWL_URL_TRACE=no/such/file cannot be written: No such file" in refused.err


def judge(crawl: Crawler, *arguments: str, code: int = 0, name: str = "tunnel-nets") -> str:
    environment = os.environ | crawl.environment
    command = ["judge", "--crawl", name, *arguments]
    done = warm_scrapy.run(command, cwd=crawl.folder, env=environment)
    assert done.returncode == code, done.stderr
    return str(done.stdout if code == 0 else done.stderr)


def test_people_judge_a_sample_and_their_figure_is_in_the_next_summary(tunnel: Crawler) -> None:
    run(tunnel, "keep=all", "max_pages=8")
    assert "above 0, at most 1" in judge(tunnel, "-o", "s.csv", "--share", "0", code=2)
    assert "1.5" in judge(tunnel, "-o", "s.csv", "--share", "1.5", code=2)
    assert "no page of tunnel-nest is stored" in judge(tunnel, "-o", "s.csv", name="tunnel-nest", code=2)  # fmt: skip
    assert "nobody has judged pages of tunnel-nets" in judge(tunnel, code=2)
    assert judge(tunnel, "-o", "s.csv", "--share", "0.5") == "s.csv: 4 of 8 pages, for 3 judges\n"
    sample = tunnel.folder / "s.csv"
    head, *rows = sample.read_text("utf-8-sig").splitlines()
    assert head == "url,title,text,judge 1,judge 2,judge 3"
    marks = ["1,1,", "1,0,", "0,0,", "0,0,"]
    filled = [row.removesuffix(",,") + mark for row, mark in zip(rows, marks, strict=True)]
    sample.write_text("\n".join([head, *filled]), "utf-8")
    said = judge(tunnel, "--read", "s.csv")
    assert "s.csv: 8 verdicts, 8 new or changed; 4 cells are empty" in said
    assert "judge 1: 4 pages, .500 [" in said
    assert "agreement: Krippendorff's alpha 0.53" in said
    assert "harvest: .375 [" in said
    sample.write_text(sample.read_text("utf-8").replace(",1,1,", ",1,0,"), "utf-8")
    assert "1 verdicts contradict earlier ones, first that of judge 2" in judge(tunnel, "--read", "s.csv", code=2)  # fmt: skip
    assert "8 verdicts, 1 new or changed" in judge(tunnel, "--read", "s.csv", "--replace")
    done = run(tunnel, "keep=all")
    assert ".250 [" in done.out
    assert "by people: 4 pages, 2 judges" in done.out
    assert "no estimate" not in done.out
    ((details,),) = tunnel.rows("select details from crawl_runs order by began_at desc limit 1")
    assert json.loads(details)["harvest"]["people"]["rate"] == 0.25


def test_a_model_card_or_the_truth_corrects_the_harvest(tunnel: Crawler) -> None:
    """A card without figures, and one that is damaged, are said to be so."""
    folder = tunnel.folder / "models" / "nets"
    folder.mkdir(parents=True)
    (folder / "links.json").write_text(links_text(LinkClassifier(LinkFeatures(["神经网络"])), "nets", "x"), "utf-8")  # fmt: skip
    card = folder / "quality.json"
    rule: dict[str, Any] = {"hosts": 9, "found": 8, "missed": 2, "false_alarms": 2, "rejected": 88}
    rule |= {"weights": [0.0, 0.5, 0.0], "covariance": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]]}
    rule = {"clustering": 0.5} | rule
    topic = load_topic("nets", tunnel.folder / "topics")
    whole = {"format": 1, "topic_version": version_of(topic), "judges": {"rule": rule}}
    cases = [
        (json.dumps(whole), "corrected for the errors of that judge on held-out hosts"),
        (json.dumps(whole | {"judges": {}}), "has no figures of the rule as a judge; retrain it"),
        (json.dumps(whole | {"topic_version": "x"}), "the words of nets are not those of the model card"),
    ]  # fmt: skip
    for text, said in cases:
        card.write_text(text, "utf-8")
        shutil.rmtree(tunnel.folder / "data", ignore_errors=True)
        assert said in run(tunnel, "max_pages=4").out
    card.write_text("{}", "utf-8")
    assert "has no valid figures" in run(tunnel, "max_pages=4", fails=True).err
    card.unlink()
    truth = tunnel.folder / "truth.csv"
    truth.write_text(f"url,relevant\n{START},1\n", "utf-8")
    shutil.rmtree(tunnel.folder / "data")
    done = run(tunnel, "max_pages=4", "truth=truth.csv")
    assert ".250 by the truth" in done.out
    assert "no estimate" not in done.out


def test_of_all_hosts_but_one_that_are_dead_in_a_replay_none_holds_up_the_one(
    tunnel: Crawler,
) -> None:
    dead = [(f"http://dead{number}.test/", "神经网络") for number in range(9)]
    own = [(f"/{number}", "神经网络") for number in range(9)]
    pages = [html(START, "神经网络", *dead, *own, text=NETS)]
    pages += [html(f"{START}{number}", "神经网络", text=NETS) for number in range(9)]
    write_warc(tunnel.folder / "web.warc.gz", pages)
    given = [
        "-a",
        "topic=nets",
        "-s",
        "FOCUSCRAWL_REPLAY=web.warc.gz",
        "-s",
        "DOWNLOAD_TIMEOUT=0.2",
    ]
    done = tunnel(*given, "-s", "FOCUSCRAWL_REPLAY_DEAD=1", "-s", "FOCUSCRAWL_RETRY_PAUSE=0")
    assert done.count("pages, ") == 10
    assert done.out.count("note      robots.txt of dead") == 9
    assert "9 URLs wait in" in done.out
    refused = tunnel(*given, "-s", "FOCUSCRAWL_REPLAY_DEAD=2")
    assert "FOCUSCRAWL_REPLAY_DEAD" in refused.err
    assert refused.code == 2


@pytest.mark.parametrize("name", ["FOCUSCRAWL_REPLAY_DEAD", "FOCUSCRAWL_REPLAY_OFF_TOPIC"])
def test_a_share_of_hosts_that_were_not_recorded_needs_a_replay(tunnel: Crawler, name: str) -> None:
    alone = tunnel("-a", "topic=nets", "-s", f"{name}=0.5")
    assert alone.err == f"error: {name} is for replays; give FOCUSCRAWL_REPLAY, too\n"
    none = tunnel("-a", "topic=nets", "-s", f"{name}=0", "-a", "max_pages=0")
    assert name not in none.err


def test_in_a_replay_hosts_that_were_not_recorded_can_have_pages_off_the_topic(
    tunnel: Crawler,
) -> None:
    others = [(f"http://other{number}.test/", "神经网络") for number in range(3)]
    pages = [html(START, "神经网络", *others, ("/1", "神经网络"), text=NETS)]
    pages.append(html(f"{START}1", "神经网络", text=NETS))
    write_warc(tunnel.folder / "web.warc.gz", pages)
    given = ["-a", "topic=nets", "-a", "keep=all", "-s", "FOCUSCRAWL_REPLAY=web.warc.gz"]
    assert tunnel(*given, "-s", "FOCUSCRAWL_REPLAY_OFF_TOPIC=1").code == 0
    rows = tunnel.rows("select url, is_relevant from pages")
    assert {url for url, is_relevant in rows if not is_relevant} == {url for url, _ in others}
    assert len(rows) == 5


def test_a_seed_that_redirects_in_a_circle_has_failed(tunnel: Crawler) -> None:
    to, fro = "http://circle.test/a", "http://circle.test/b"
    web = [html(START, "神经网络", text=NETS), moved(to, fro), moved(fro, to)]
    write_warc(tunnel.folder / "web.warc.gz", web)
    seeds = f"seeds={START},{to}"
    done = tunnel("-a", "topic=nets", "-a", seeds, "-s", "FOCUSCRAWL_REPLAY=web.warc.gz")
    assert f"seeds     failed: {to} (too many redirects)" in done.out
    assert in_summary(done, "failed") == "1 too many redirects"
    assert in_summary(done, "judged").startswith("1 pages")


def test_a_community_behind_irrelevant_pages_is_found_and_kept(tunnel: Crawler) -> None:
    limits = ("entries=4", "patience=3")
    done = run(tunnel, *limits)
    assert pages(tunnel) == FOUND
    assert in_summary(done, "judged") == "16 pages, 9 relevant"
    assert in_summary(done, "harvest") == ".562 by its own judge, nets (page rule)"
    assert "no estimate: nets has no model card; train it: scrapy train nets" in done.out
    assert in_summary(done, "sites") == "3 relevant, 2 unknown, 1 irrelevant"
    assert in_summary(done, "kept") == "9 new, 0 changed, 0 unchanged"
    # Of the shop 4 may wait: 5, 4, 3 are refused, then it is given up with 3 waiting and 3 unseen.
    # The blacklist is linked once, and once redirected to.
    assert in_summary(done, "dropped") == (
        "2 blacklist, 6 irrelevant site, 1 no HTML, 12 site quota"
    )
    assert tunnel.rows("select title, via, steps, is_relevant, site from pages"
                       " where url like 'http://%5.test/' or url like '%here' order by url") == [
        ("類神經網路 筆記", GOOD, 0, 1, "big5.test"),
        ("神经网络 新家", GOOD, 0, 1, "good.test"),
    ]  # fmt: skip
    ((text, relevance, score),) = tunnel.rows(
        "select text, relevance, score from pages where url = 'http://gbk.test/'"
    )
    assert text == NETS.strip()
    assert relevance > 0.9
    assert score
    ((details,),) = tunnel.rows("select details from crawl_runs")
    last = RunPoint(*json.loads(details)["series"][-1])
    assert (last.judged, last.relevant) == (16, 9)
    assert 0 < last.promised < 16
    with read_frontier(frontier_file(tunnel)) as frontier:
        counts = frontier.counts()
    assert (counts.total().waiting, counts.total().leased) == (0, 0)
    assert {f"{state} {reason}": number for (state, reason), number in counts.outcomes.items()} == {
        "done relevant": 9,
        "done irrelevant": 7,
        "done redirected": 1,
        "done no HTML": 1,
        "failed 404": 2,
        "dropped irrelevant site": 3,
        "dropped not asked for": 1,
    }
    before = tunnel.rows("select * from pages order by url")
    again = run(tunnel, *limits)
    assert in_summary(again, "kept") == "0 new, 0 changed, 9 unchanged"
    assert in_summary(again, "judged") == in_summary(done, "judged")
    assert tunnel.rows("select * from pages order by url") == before


def test_a_short_tunnel_does_not_reach_it(tunnel: Crawler) -> None:
    done = run(tunnel, "length=1", "keep=all", "text=plain")
    assert "no trained model for nets: links are scored by its lexicon\n" in done.out
    assert pages(tunnel) == {START, "http://way.test/", SHOP}
    assert in_summary(done, "dropped") == "1 blacklist, 10 tunnel too long"


def test_a_crawl_that_was_cut_short_goes_on_to_the_same_pages(tunnel: Crawler) -> None:
    every = ("entries=4", "patience=3", "keep=all", "text=plain")
    first = run(tunnel, *every, "max_pages=4")
    assert in_summary(first, "judged").startswith("4 pages, ")
    steps = dict(tunnel.rows("select url, steps from pages"))
    assert steps == {START: 1, "http://way.test/": 2, SHOP: 2, "http://way.test/friends": 3}
    barred = beside(tunnel, "barred")
    second = run(tunnel, *every)
    assert in_summary(second, "judged").startswith("12 pages, ")
    assert in_summary(second, "sites") == "3 relevant, 2 unknown, 1 irrelevant"
    assert "continues with 6 waiting URLs" in second.out
    others = {START, "http://way.test/", "http://way.test/friends", SHOP}
    assert pages(tunnel) == FOUND | others | {*ITEMS[:3]}
    # A site can be blacklisted between two runs: what waits of it is dropped.
    topic = TOPIC.replace("black.test", "black.test, shop.test")
    (barred.folder / "topics" / "nets.yaml").write_text(topic, "utf-8")
    run(barred, *every)
    assert pages(barred) == FOUND | others


def test_breadth_first_takes_all_links_as_they_come(tunnel: Crawler) -> None:
    run(tunnel, "mode=breadth", "keep=all", "text=plain")
    in_order = [url for (url,) in tunnel.rows("select url from pages order by fetched_at, rowid")]
    assert set(in_order) == {
        *FOUND,
        START,
        "http://way.test/",
        "http://way.test/friends",
        SHOP,
        *ITEMS,
    }
    depth = {START: 0, "http://way.test/": 1, SHOP: 1, "http://way.test/friends": 2, GOOD: 3}
    depth |= dict.fromkeys(ITEMS, 2)
    depths = [depth.get(url, 4) for url in in_order]
    assert depths == sorted(depths)


def test_what_a_user_gets_wrong_ends_in_one_line(tunnel: Crawler) -> None:
    folder = tunnel.folder / "models" / "nets"
    folder.mkdir(parents=True)
    (folder / "links.json").write_text("{")
    wrong: list[tuple[str, list[str], str]] = [
        ("nets", ["patiance=3"], "no argument 'patiance'"),
        ("money", [], "there is no topic 'money'"),
        ("nets", [], "links.json"),
        ("nets", ["order=oracle", "truth=none.csv", "judge=rule"], "none.csv"),
    ]
    for topic, arguments, said in wrong:
        done = run(tunnel, *arguments, topic=topic, fails=True)
        errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, done.err
        assert said in errors[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"length": "31"}, "argument length='31'"),
        ({"mode": "depth"}, "argument mode='depth'"),
        ({"order": "oracle"}, "need -a truth=pages.csv"),
        ({"order": "random", "learn": "true"}, "order=random cannot learn"),
        ({"mode": "breadth", "learn": "true"}, "mode=breadth does not use what it learns"),
        ({"seeds": "nowhere.txt"}, "the path of a UTF-8 file"),
        ({"seeds": "http://"}, "'http://' is not the URL of a page"),
        ({"seeds": "  "}, "seeds"),
        ({"entries": "0"}, "argument entries='0'"),
        ({"max_pages": "all"}, "argument max_pages='all'"),
        ({"keep": "none"}, "argument keep='none'"),
        ({"topic": ""}, "argument topic=''"),
    ],
)
def test_arguments_are_checked(given: dict[str, str], said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_arguments(TunnelArguments, {"topic": "nets"} | given, "tunnel")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_learning_is_on_where_it_is_of_use() -> None:
    def learns(**given: str) -> bool:
        return parse_arguments(TunnelArguments, {"topic": "nets"} | given, "tunnel").learns

    assert learns()
    assert learns(mode="best-first")
    assert learns(order="lexicon", learn="true")
    assert not learns(learn="false")
    assert not learns(order="lexicon")
    assert not learns(mode="breadth")
    assert not learns(order="random")


@pytest.mark.parametrize(
    ("seeds", "said"),
    [((), "topic 'nets' has no seeds"), (("http://a.test:x/",), "a seed is not the URL of a page")],
)
def test_seeds_are_checked(seeds: tuple[str, ...], said: str) -> None:
    topic = Topic(name="nets", lexicon={"神经网络": 3.0}, seeds=seeds)
    with pytest.raises(ArgumentError, match=said):
        TunnelSpider(TunnelArguments(topic="nets"), topic, {}, {}, None, RunHarvest("", {}))


def test_a_file_of_seeds_must_be_text(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ArgumentError, match="the path of a UTF-8 file"):
        parse_arguments(TunnelArguments, {"topic": "nets", "seeds": str(path)}, "tunnel")


KILLED = ("mode=best-first", "learn=false", "text=plain", "keep=all")


def beside(crawl: Crawler, name: str) -> Crawler:
    """Return a crawler in another folder, with the same web and topic."""
    other = replace(crawl, folder=crawl.folder.with_name(f"{crawl.folder.name}-{name}"))
    shutil.copytree(crawl.folder, other.folder)
    return other


def has_ended(crawl: Crawler, count: int) -> bool:
    """Return whether so many URLs of a crawl have ended."""
    try:
        with read_frontier(frontier_file(crawl)) as frontier:
            return sum(frontier.counts().total()[2:]) >= count
    except FrontierError:
        return count == 0


def test_a_crawl_that_is_killed_again_and_again_finds_the_same(tunnel: Crawler) -> None:
    """Compare with a crawl of its own; benchmarks/kills.py does it a hundred times."""
    calm, killed = beside(tunnel, "calm"), beside(tunnel, "killed")
    run(calm, *KILLED)
    given = [part for argument in ("topic=nets", *KILLED) for part in ("-a", argument)]
    given += ["-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-s", "FOCUSCRAWL_REPLAY_LATENCY=0.1"]
    # Also twice in a row, while it starts.
    for moment in (0, 3, 8, 8, 14):
        process = killed.start(*given)
        wait_until(process, partial(has_ended, killed, moment))
        process.kill()
        process.communicate()
        assert process.wait() == -signal.SIGKILL
    run(killed, *KILLED)
    query = "select url, title, content_md5, is_relevant from pages order by url"
    assert killed.rows(query) == calm.rows(query)
    judged = []
    for crawl in (killed, calm):
        with read_frontier(frontier_file(crawl)) as frontier:
            ends = [end for end in frontier.each_ended() if end.outcome.reason.endswith("relevant")]
            judged.append((sorted(end.url for end in ends), frontier.counts().total()))
    assert judged[0] == judged[1]
    assert judged[0][1][:2] == (0, 0)


DAMAGE = [
    "payload = substr(payload, 1, length(payload) / 2)",
    "payload = '[]'",
    "payload = cast(x'7b22ff227d' as text)",
    "payload = '{\"headers\": 5}'",
    "url = 'ttp'",
]


def test_damaged_rows_of_the_frontier_fail_and_the_others_go_on(tunnel: Crawler) -> None:
    every = ("keep=all", "text=plain", "order=lexicon")
    run(tunnel, *every, "max_pages=3")
    path = frontier_file(tunnel)
    with closing(sqlite3.connect(path)) as connection, connection:
        for item, damage in zip(ITEMS, DAMAGE, strict=False):
            query = f"update urls set {damage} where url = ?"  # noqa: S608
            changed = connection.execute(query, (item,))
            assert changed.rowcount == 1
        # Why a URL stands where it stands is of less weight: it is requested all the same.
        connection.execute("update urls set sources = '[[1,' where url = ?", (ITEMS[8],))
    done = run(tunnel, *every, fails=True)
    assert done.code == 3, done.err
    count = len(DAMAGE)
    assert f"not done  {count} damaged rows of data/{path.name} were marked as failed" in done.out
    assert pages(tunnel) >= FOUND | set(ITEMS[count:])
    assert not pages(tunnel) & set(ITEMS[:count])
    with read_frontier(path) as frontier:
        counts = frontier.counts()
    assert counts.outcomes[Outcome(State.FAILED, "damaged row")] == count
    assert (counts.total().waiting, counts.total().leased) == (0, 0)


def test_a_worker_knows_the_sites_that_another_has_crawled(
    tunnel: Crawler, valkey_url: str
) -> None:
    limits = ["-a", "topic=nets", "-a", "entries=4", "-a", "patience=3", "-a", "keep=all"]
    settings = ["-s", "FOCUSCRAWL_REPLAY=web.warc.gz", "-s", f"LEARNING_LOG={valkey_url}"]
    settings += ["-s", "SCHEDULER=tests.crawl.sharing_scheduler.SharingScheduler"]
    done = []
    for name in ("one", "other"):
        frontier = ("-s", f"FOCUSCRAWL_FRONTIER=data/{name}.sqlite", "-s", "CONCURRENT_REQUESTS=1")
        done.append(tunnel(*limits, *settings, *frontier))
        assert "Traceback" not in done[-1].out + done[-1].err, done[-1].err
    one, other = done
    assert in_summary(one, "sites") == "3 relevant, 2 unknown, 1 irrelevant"
    with closing(Redis.from_url(valkey_url)) as client:
        assert client.xlen(CrawlKeys("tunnel-nets").of_all("learned")) == 2
    assert in_summary(one, "judged").startswith("16 pages, 9 relevant")
    # The shop, which was given up after four pages, is not entered again.
    assert in_summary(other, "judged").startswith("12 pages, 9 relevant")
    assert in_summary(other, "dropped").startswith("2 blacklist, 1 irrelevant site, ")
