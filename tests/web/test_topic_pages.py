"""Pages of topical crawls: lists, single pages, and the chain of links to each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from focuscrawl.frontier.frontier_entries import Candidate
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.items import Page
from focuscrawl.scheduling.page_keys import key_of_page
from focuscrawl.web.topic_pages import MOST_STEPS
from tests.stores.record_examples import page
from tests.web.conftest import fill

HOSTILE = "<script>alert(1)</script>\u202e"
SEED, LIST, POST = (f"http://blog.example/{name}" for name in ("", "list", "post"))
CHAIN = [(SEED, ""), (LIST, SEED), (POST, LIST)]


def kept(url: str, via: str, **fields: Any) -> Page:
    return page(1, url=url, via=via, title=f"题 {url}", topic="money", **fields)


PAGES = [kept(url, via) for url, via in CHAIN]


def write_frontier(
    folder: Path, links: Sequence[tuple[str, str]], words: str = "友情链接", topic: str = "money"
) -> Path:
    """Write the frontier of a topic with some links, each a URL and the page that has it."""
    path = folder / f"frontier-tunnel-{topic}.sqlite"
    with closing(SqliteFrontier(path)) as frontier:
        for url, via in links:
            meta = {"trail": [via, words, f"{words}前", f"{words}后", "body"]}
            payload = {"meta": meta}
            frontier.push([Candidate(key_of_page(url), url, "blog.example", 1.25, payload)])
    return path


def chain_of(client: TestClient, one: Page = PAGES[-1]) -> str:
    text = client.get(f"/pages/{one.key}").text
    (chain,) = re.findall(r'<ol class="chain">(.*?)</ol>', text, re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", chain).split())


def test_a_page_tells_the_chain_of_links_to_it(
    store_url: str, client: TestClient, tmp_path: Path
) -> None:
    # The page between was not stored: the frontier knows it all the same.
    fill(store_url, [PAGES[0], PAGES[2]])
    write_frontier(tmp_path, CHAIN)
    assert chain_of(client) == (
        f"种子 题 {SEED} 相关 {SEED} "
        f"链接 友情链接前 友情链接 友情链接后 得分 +1.25 {LIST} "
        f"链接 友情链接前 友情链接 友情链接后 得分 +1.25 本页 题 {POST} 相关 {POST}"
    )
    text = client.get(f"/pages/{PAGES[2].key}").text
    assert f'href="/pages/{PAGES[0].key}"' in text
    assert "没有这个主题的待抓队列" not in text


def test_without_a_frontier_the_chain_is_that_of_stored_pages(
    store_url: str, client: TestClient
) -> None:
    fill(store_url, PAGES)
    assert chain_of(client) == (
        f"种子 题 {SEED} 相关 {SEED} 链接文字未知 题 {LIST} 相关 {LIST} "
        f"链接文字未知 本页 题 {POST} 相关 {POST}"
    )
    assert "没有这个主题的待抓队列" in client.get(f"/pages/{PAGES[2].key}").text


def test_a_redirected_page_is_followed_through_the_store(
    store_url: str, client: TestClient, tmp_path: Path
) -> None:
    fill(store_url, PAGES)
    write_frontier(tmp_path, [CHAIN[0], CHAIN[2]])
    assert "链接文字未知 题 http://blog.example/list" in chain_of(client)


def test_a_chain_whose_beginning_is_lost_says_so(store_url: str, client: TestClient) -> None:
    fill(store_url, [PAGES[2]])
    text = client.get(f"/pages/{PAGES[2].key}").text
    assert "更早的来源没有保存" in text
    assert LIST in chain_of(client)


def test_a_circle_ends(store_url: str, client: TestClient, tmp_path: Path) -> None:
    circle = [(LIST, POST), (POST, LIST)]
    fill(store_url, [kept(url, via) for url, via in circle])
    assert chain_of(client, kept(POST, LIST)).count(f"题 {POST}") == 1
    write_frontier(tmp_path, circle)
    assert chain_of(client, kept(POST, LIST)).count(f"题 {POST}") == 1


def test_a_long_chain_is_cut(store_url: str, client: TestClient, tmp_path: Path) -> None:
    urls = [f"http://blog.example/{number}" for number in range(MOST_STEPS + 20)]
    links = list(zip(urls, ["", *urls], strict=False))
    last = kept(*links[-1])
    fill(store_url, [last])
    write_frontier(tmp_path, links)
    text = client.get(f"/pages/{last.key}").text
    assert text.count("<li>") == MOST_STEPS
    assert "更早的来源没有保存" in text


def test_a_damaged_frontier_and_payloads_of_another_spider_are_left_out(
    store_url: str, client: TestClient, tmp_path: Path
) -> None:
    fill(store_url, PAGES)
    path = tmp_path / "frontier-tunnel-money.sqlite"
    for damage in (b"x" * 5000, b""):
        path.write_bytes(damage)
        assert "没有这个主题的待抓队列" in client.get(f"/pages/{PAGES[2].key}").text
    path.unlink()
    with closing(SqliteFrontier(path)) as frontier:
        for url, meta in ((POST, {"trail": [1, 2, 3, 4]}), (LIST, {"trail": "x"}), (SEED, [])):
            frontier.push([Candidate(key_of_page(url), url, "blog.example", 1, {"meta": meta})])
    assert chain_of(client).count("链接文字未知") == 2


def test_a_topic_is_no_path(store_url: str, client: TestClient) -> None:
    topics = ("../../etc/x", "a/b", "长" * 250, "..")
    fill(store_url, [page(1, topic=topic) for topic in topics])
    found = re.findall(r'href="(/pages/\w{32})"', client.get("/search?kind=page").text)
    assert len(found) == len(topics)
    for path in found:
        answer = client.get(path)
        assert answer.status_code == 200
        assert "没有这个主题的待抓队列" in answer.text


def test_hostile_texts_are_escaped(store_url: str, client: TestClient, tmp_path: Path) -> None:
    url = "javascript:alert(1)//" + HOSTILE
    one = page(1, url=url, title=HOSTILE, text=HOSTILE + "长" * 2**20, site=HOSTILE, topic="money")
    fill(store_url, [one, page(2, title="长" * 2**20, topic=HOSTILE)])
    write_frontier(tmp_path, [(url, HOSTILE), (HOSTILE, "")], words=HOSTILE)
    for path in ("/search?kind=page", f"/pages/{one.key}"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert 'href="javascript' not in answer.text


FOUND = [
    page(number, topic="绿色" if number % 2 else "money", site=f"{number % 3}.example",
        relevance=number / 120, is_relevant=number > 60, title=f"第{number}页")
    for number in range(120)
]  # fmt: skip


def test_the_earlier_list_of_pages_leads_to_the_search(store_url: str, client: TestClient) -> None:
    fill(store_url, FOUND)
    for query in ({}, {"topic": "绿色"}, {"site": " 1.EXAMPLE "}, {"least": "0.5"}):
        site, topic = query.get("site", "").strip().lower(), query.get("topic", "")
        expected = [
            int(one.title[1:-1])
            for one in FOUND
            if site in ("", one.site)
            and topic in ("", one.topic)
            and one.relevance >= float(query.get("least", 0))
        ]
        numbers: list[int] = []
        text = client.get("/pages", params=query, follow_redirects=True).text
        while text:
            numbers += map(int, re.findall(r"<bdi>第(\d+)页</bdi>", text))
            following = re.search(r'rel="next" href="([^"]+)"', text)
            text = client.get(following[1].replace("&amp;", "&")).text if following else ""
        assert sorted(numbers) == expected, query


def test_without_pages_and_for_bad_choices(client: TestClient) -> None:
    assert "没有符合条件的内容" in client.get("/search?kind=page").text
    assert client.get(f"/pages/{'0' * 32}").status_code == 404
    assert client.get("/pages/x").status_code == 404
    for query in ({"least": "1.1"}, {"least": "inf"}, {"site": "x" * 256}):
        assert client.get("/search", params=query).status_code == 400, query
