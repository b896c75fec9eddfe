"""No reader takes more than linear time on repetitions of its own vocabulary.

``git show bee16a02:benchmarks/reader_complexity.py`` tries all words of all lists, and their pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.complexity import vocabulary
from tests.complexity.growth import LARGEST_FACTOR, Growth
from tests.complexity.readers import Form, Readers, full_growth_of, growth_of, readers, url_readers

# ``make test`` has one of so many pieces for every reader, ``make test-all`` has all.
SAMPLE = 16
COMMON = ("地址", "电话", "公司", "玉米", "上涨", "山东")
# What took quadratic or cubic time before; read at a multiple of the usual size.
KNOWN = [
    ("contacts", "地址："),
    ("contacts", "<a href=tel:057188001234>0571-88001234</a> "),
    ("contacts", "<b>1</b>"),
    ("contacts", "电话/"),
    ("prices: rules", "上涨10元/吨"),
    ("prices: rules", "1,"),
    ("prices: rules", "5厘"),
    ("prices: rules", "县 "),
    ("prices: rules", "山东、"),
    ("prices: rules", "玉米1元/斤（1吨以下），水分15%，"),
    ("prices: rules", "涨8入"),
    ("prices: rules", "00元/"),
    ("prices: rules", "1。14-"),
    ("prices: rules", "2千2百"),
    ("prices: rules", "1.1.1"),
    ("prices: rules", "早间1元/斤，午后"),
    ("prices: rules", "2025年同期，"),
    ("prices: rules", "企业\t中粮\t中粮\n"),
    ("prices: rules", "\u200b"),
    ("blocks", "<s>"),
    ("blocks", "<b style='display:none'>"),
    ("article", "<s>"),
    ("main text", "<s>"),
    ("link contexts", "<b hidden>"),
    ("contacts: pictures", "a"),
    ("labelled address", "卖"),
    ("labelled address", "卖 "),
    ("labelled address", "地址："),
    ("address ends", "："),
    ("site name", "地址 "),
    ("titles", "地址 "),
    ("phones", "0571-88001234 88001234 "),
    ("nested site article", "玉米1600元/吨"),
    ("normal form", "\u0301\u0316"),
    ("dates", "\u0301\u0316"),
]


def offenders(
    known: Readers, name: str, pieces: list[str], *, forms: int = 3, factor: int = 1
) -> Iterator[str]:
    """Yield what the time of a reader grows too fast on, in its first ``forms`` forms."""
    for piece in pieces:
        for form in known()[name].forms[:forms]:
            found = growth_of(known, name, form, piece, factor)
            if found.factor > LARGEST_FACTOR:
                found = _in_fresh_process(known, name, form, piece, factor)
            if found.factor <= LARGEST_FACTOR:
                continue
            # Where the objects no longer fit a cache, or a text first has a quote, time grows by more, but in
            # that doubling only. Far from there, since such a fixed cost hides the growth of the next ones.
            for times in (8, 32):
                larger = _in_fresh_process(known, name, form, piece, times * factor)
                if larger.is_linear or larger.factor > LARGEST_FACTOR:
                    break
            if not larger.is_linear:
                yield f"{form.__name__} of {piece[:40]!r}: x{found.factor:.1f}, {found} s, then {larger} s"


def _in_fresh_process(known: Readers, name: str, form: Form, piece: str, factor: int) -> Growth:
    # After thousands of tests the heap has a gigabyte in pieces: large texts pay for pages of memory.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(full_growth_of, known, name, form, piece, factor).result()


@pytest.mark.parametrize("every", [SAMPLE, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", readers())
def test_time_is_linear_in_words_of_all_lists(name: str, every: int) -> None:
    pieces = [piece for _, piece in vocabulary.pieces(1, with_pairs=False)]
    pieces += [pair for word in COMMON for pair in vocabulary.pairs(word)]
    pieces += vocabulary.tag_pieces()
    pieces = list(dict.fromkeys(pieces))[::every]
    assert not list(offenders(readers, name, pieces))


@pytest.mark.parametrize("name", url_readers())
def test_time_is_linear_in_parts_of_urls(name: str) -> None:
    assert not list(offenders(url_readers, name, vocabulary.url_pieces()))


@pytest.mark.parametrize(("name", "piece"), KNOWN)
def test_time_is_linear_where_it_was_not(name: str, piece: str) -> None:
    assert not list(
        offenders(readers, name, [piece], forms=1, factor=8 if name == "contacts" else 4)
    )
