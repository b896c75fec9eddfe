"""The numbered site of the demo web: what the crawls that use it rely on."""

from __future__ import annotations

import socket
from collections import Counter
from datetime import date, timedelta
from html import unescape
from itertools import pairwise

import pytest

from focuscrawl.demo import DemoServer, DemoWeb, Response
from focuscrawl.demo.numbered_site import (
    CHARSETS,
    HOST,
    LONGEST_GAP,
    NEW_A_DAY,
    NumberedSite,
    NumberMap,
)
from focuscrawl.errors import ArgumentError
from focuscrawl.text.page_charset import detect

TODAY = date(2026, 3, 5)


def site(numbers: int = 5000, **options: bool) -> NumberedSite:
    return NumberedSite(7, numbers, today=TODAY, big_mb=0, **options)


def ask(web: NumberedSite, number: int) -> Response:
    return web.respond(f"/article/{number}.htm", "", {})


def text_of(answer: Response) -> str:
    declared = answer.headers["Content-Type"].partition("charset=")[2]
    return unescape(answer.body.decode(detect(answer.body, declared)))


def test_a_fifth_of_the_numbers_lies_in_gaps_of_up_to_sixty() -> None:
    existing = site().existing()
    assert 0.15 < 1 - len(existing) / 5000 < 0.25
    gaps = [after - before - 1 for before, after in pairwise(existing)]
    assert LONGEST_GAP - 5 < max(gaps) <= LONGEST_GAP
    assert NumberMap(7).existing(900) == [number for number in existing if number <= 900]
    assert NumberMap(8).existing(900) != NumberMap(7).existing(900)


def test_gaps_are_told_in_four_ways_and_numbers_never_given_out_in_one() -> None:
    web = site(faults=False)
    answers = {number: ask(web, number) for number in set(range(1, 5001)) - set(web.existing())}
    ways = Counter(answer.status for answer in answers.values())
    assert set(ways) == {404, 410, 200, 302}
    for number, answer in answers.items():
        assert answer.status != 302 or answer.headers["Location"] == "/"
        assert answer.status != 200 or str(number) in answer.body.decode()
    beyond = [ask(web, number).body for number in (5001, 6000, 1_999_999_973)]
    assert beyond[0].replace(b"5001", b"6000") == beyond[1]
    assert "没有找到" in beyond[2].decode()


def test_faults_come_the_first_time_only() -> None:
    web = site()
    seen: Counter[str] = Counter()
    for number in range(1, 5001):
        first, second = ask(web, number), ask(web, number)
        empty = first.status == 200 and not first.body and not first.fault
        seen[first.fault or ("503" if first.status == 503 else "empty" if empty else "none")] += 1
        assert not second.fault
        assert second.status != 503
        assert second.status != 200 or second.body
    shares = {name: count / 5000 for name, count in seen.items()}
    assert 0.015 < shares["503"] < 0.025
    assert 0.006 < shares["hang"] < 0.014
    assert set(shares) == {"503", "hang", "cut", "empty", "none"}
    assert not any(ask(site(faults=False), number).status == 503 for number in range(1, 200))


def test_pages_are_in_six_charsets_and_all_can_be_read() -> None:
    web = site(600, faults=False)
    seen = set()
    for number in web.existing():
        known, page = web.article(number), text_of(ask(web, number))
        seen.add(known.charset)
        assert known.title in page
        assert f'content="{known.description}"' in page
    assert seen == set(CHARSETS)


def test_one_page_is_as_big_as_wished_and_the_web_grows() -> None:
    web = NumberedSite(7, 50, today=TODAY, big_mb=2, faults=False)
    assert len(ask(web, web.big).body) > 2 * 1024 * 1024
    before = web.existing()
    web.turn_to(TODAY + timedelta(days=10))
    assert web.count == 50 + 10 * NEW_A_DAY
    assert web.existing()[: len(before)] == before
    gap = next(number for number in range(1, web.count) if number not in web.existing())
    web.publish(gap)
    assert gap in web.existing()
    assert web.article(gap).title in text_of(ask(web, gap))


@pytest.mark.parametrize("numbers", [0, -1, 1_000_001])
def test_sizes_that_cannot_be_get_a_sentence(numbers: int) -> None:
    with pytest.raises(ArgumentError, match=f"numbers={numbers} is out of range"):
        NumberedSite(numbers=numbers)


def test_the_server_breaks_off_and_hangs() -> None:
    class Broken(NumberedSite):
        def respond(self, path: str, query: str, headers: object) -> Response:
            return Response(200, body=b"0123456789", fault="cut" if path == "/cut" else "hang")

    web = DemoWeb(today=TODAY, days=3, more_sites={HOST: Broken(7, 5, today=TODAY, big_mb=0)})
    with DemoServer(web) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            client.sendall(f"GET http://{HOST}/cut HTTP/1.1\r\n\r\n".encode())
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        assert b"Content-Length: 10\r\n" in answer
        assert answer.endswith(b"\r\n\r\n01234")
        with socket.create_connection(("127.0.0.1", server.port), timeout=0.3) as client:
            client.sendall(f"GET http://{HOST}/hang HTTP/1.1\r\n\r\n".encode())
            with pytest.raises(TimeoutError):
                client.recv(1)
