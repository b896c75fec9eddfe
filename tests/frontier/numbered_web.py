"""A web of numbered pages, each of which is reached from the first."""

from __future__ import annotations

from focuscrawl.frontier import Candidate, key_of

PAGES = 3000
HOSTS = 7


def page_url(number: int) -> str:
    return f"http://www{number % HOSTS}.example/{number}"


def page_key(number: int) -> int:
    return key_of(page_url(number))


def page(number: int, score: float) -> Candidate:
    return Candidate.of(page_url(number), f"www{number % HOSTS}.example", score, n=number)


def seed() -> Candidate:
    return page(0, 0.0)


def links_of(number: int) -> list[Candidate]:
    targets = [2 * number + 1, 2 * number + 2, 7 * number + 3, number // 2, 0]
    return [page(to, (to * number % 97) / 10) for to in targets if to < PAGES]
