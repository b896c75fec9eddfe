"""No reader fails on damaged recorded pages, or takes longer than its deadline."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import NoReturn

import pytest

from tests.crawl.conftest import SHARED
from tests.fuzz.mutations import Page, mutated, mutated_excerpt
from tests.fuzz.readers import Reader, load_pages, readers

PAGES_OF_A_KIND = 60
SHARE_OF_OWN_PAGES = 0.8
# Of the processor, since others use the machine, too.
DEADLINE_SECONDS = 20


class OverDeadlineError(BaseException):
    """A page took too long; not an Exception, so that no reader takes it for its own."""


@pytest.fixture(scope="module")
def pages() -> dict[str, list[Page]]:
    """Recorded pages by kind."""
    if not SHARED.exists():
        pytest.skip(f"the recorded sites are not here ({SHARED})")
    return load_pages(SHARED, PAGES_OF_A_KIND)


@contextmanager
def deadline() -> Iterator[None]:
    """Raise an OverDeadlineError when the processor has worked for too long."""

    def raise_it(_number: int, _frame: object) -> NoReturn:
        raise OverDeadlineError

    before = signal.signal(signal.SIGPROF, raise_it)
    signal.setitimer(signal.ITIMER_PROF, DEADLINE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def mutation(reader: Reader, pages: dict[str, list[Page]], random: Random) -> Page:
    """Return a page, mostly of the kind that the reader is given, or an excerpt of it, damaged."""
    is_own = random.random() < SHARE_OF_OWN_PAGES
    of_kind = pages[reader.pages if is_own else random.choice(list(pages))]
    mutate = random.choice((mutated, mutated_excerpt))
    return mutate(random.choice(of_kind), of_kind, reader.words, random)


def complaint(reader: Reader, page: Page, random: Random, log: pytest.LogCaptureFixture) -> str:
    """Return what a reader raises or logs about a page, ``""`` if nothing."""
    log.clear()
    try:
        with deadline():
            reader.read(page, random)
    except (Exception, OverDeadlineError) as error:
        return repr(error)
    return "; ".join(repr(record.exc_info[1]) for record in log.records if record.exc_info)


@pytest.mark.parametrize("count", [40, pytest.param(4_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", readers())
def test_damaged_pages_are_read(
    pages: dict[str, list[Page]], name: str, count: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "focuscrawl")
    reader, found = readers()[name], {}
    for index in range(count):
        random = Random(f"{name} {index}")
        page = mutation(reader, pages, random)
        if said := complaint(reader, page, random, caplog):
            found[index] = said[:300]
    assert not found, f"by index: {found}"
