"""Fuzzing finds what it should find: with readers that fail in every way."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.mutations import EXCERPT_SIZE, LARGEST_SIZE, Page, mutated
from tests.fuzz.readers import Reader
from tests.fuzz.workers import Fuzzing, Job, Limits, Outcome, shrunk

PAGE = Page("http://any.test/", "gbk", '<p class="a">玉米<b id=x>价格</b></p>'.encode("gbk") * 20)


def fine(page: Page, _random: Random) -> object:
    return len(page.body)


def raising(page: Page, _random: Random) -> object:
    raise ValueError(page.url)


def raising_at_letter(page: Page, _random: Random) -> object:
    if b"b" in page.body:
        raise KeyError(page.url)
    return None


def logging_it(_page: Page, _random: Random) -> object:
    try:
        raise IndexError
    except IndexError:
        logging.getLogger("focuscrawl.any").exception("never raises")
    return None


def looping(_page: Page, _random: Random) -> object:
    while True:
        pass


def swallowing(_page: Page, _random: Random) -> object:
    while True:
        try:
            list(range(1000))
        except Exception:
            continue


def dying(_page: Page, _random: Random) -> object:
    os.abort()


def greedy(_page: Page, _random: Random) -> object:
    return bytes(2 << 30)


def outcomes(folder: Path, mutations: int, *readers: Callable[[Page, Random], object]) -> list[Outcome]:  # fmt: skip
    named = [Reader(read.__name__, read, ("价格",), "any") for read in readers]
    job = Job({"any": [PAGE]}, named, 1, Limits(0.5, 1 << 30))
    return list(Fuzzing(job, 2, folder).run(mutations, 60))


@pytest.mark.parametrize(
    ("reader", "fault"),
    [(raising, "ValueError"), (logging_it, "IndexError"), (looping, "over the deadline"), (swallowing, "over the deadline"),
     (dying, "crash, exit code -6"), (greedy, "MemoryError")],
)  # fmt: skip
def test_a_fault_is_reported_and_the_others_are_read(
    tmp_path: Path, reader: Callable[[Page, Random], object], fault: str
) -> None:
    found = outcomes(tmp_path, 6, fine, reader, fine)
    assert sorted(outcome.number for outcome in found) == list(range(6))
    assert Counter(outcome.fault for outcome in found) == {"": 4, fault: 2}
    assert {outcome.number % 3 for outcome in found if outcome.fault} == {1}


def test_mutations_are_the_same_again_and_not_too_large() -> None:
    def made(seed: int) -> list[Page]:
        return [mutated(PAGE, [PAGE], ["价格"], Random(f"{seed} {n}")) for n in range(300)]

    assert made(1) == made(1)
    assert len({page.body for page in made(1)}) > 250
    assert made(1) != made(2)
    assert max(len(page.body) for page in made(1)) <= LARGEST_SIZE


@pytest.mark.parametrize(
    ("share", "least", "most"), [(1.0, 2_000, EXCERPT_SIZE), (0.0, 100_000, LARGEST_SIZE)]
)
def test_excerpts_are_small_and_the_same_again(share: float, least: int, most: int) -> None:
    large = Page(PAGE.url, PAGE.charset, PAGE.body * 500)
    job = Job({"any": [large]}, [Reader("x", fine, ("b",), "any")], 1, Limits(), share)
    pages = [job.page(index) for index in range(100)]
    assert pages == [job.page(index) for index in range(100)]
    assert least < max(len(page.body) for page in pages) <= most


def test_a_finding_is_made_small() -> None:
    job = Job({"any": [PAGE]}, [Reader("x", raising_at_letter, ("b",), "any")], 1, Limits())
    known = Outcome(0, len(PAGE.body), 0.0, "KeyError", "")
    assert shrunk(job, known, 5) in (b"b", b"B")
