"""Pages too heavy for a parser: their detection and their lighter copies."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from focuscrawl.errors import PageLimitError
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.pages.page_trial import is_bearable
from focuscrawl.system.worker_pool import limit_pages, read_in_worker, stop_worker
from focuscrawl.text.page_weight import as_text, may_be_too_heavy, most_elements

Page = Callable[[int], bytes]


def repeated(part: bytes) -> Page:
    return lambda n: b"<p>" + b"".join(part.replace(b"#", b"%d" % i) for i in range(n))


# Repetitions of a part at which a parser needs too much; each was found by doubling.
BOMBS: dict[str, tuple[Page, int]] = {
    "font": (repeated(b"<font size=#><p>"), 4000),
    "font in capitals": (repeated(b"<FONT/SIZE=#><p>"), 4000),
    "ends in comments": (repeated(b"<font size=#>text<!--</font>--><p>"), 4000),
    "ends in attributes": (repeated(b"<b x='></b>' y=#><p>"), 4000),
    "attributes behind quoted signs": (repeated(b"<b x='>' y=#><p>"), 4000),
    "attributes behind a stray quote": (repeated(b'<b a=x" y=">" z=#><p>'), 4000),
    "ends behind a stray quote": (repeated(b'<b x"=#></b><p ">'), 4000),
    "ends of another name": (repeated(b"<b x=#>text</b\v><p>"), 4000),
    "adoption agency": (lambda n: repeated(b"<b x=#><p>")(n) + b"</b>" * n, 4000),
    "stray ends between": (repeated(b"<font size=#></b><p>"), 4000),
    "attributes": (lambda n: b"<p " + b" ".join(b"a%d" % i for i in range(n)) + b">", 75_000),
    "attributes with signs": (
        lambda n: b"<p " + b" ".join(b"a%d='<p>'" % i for i in range(n)) + b">",
        75_000,
    ),
    "attributes after a long one": (
        lambda n: b"<p x='%b'" % (b"<p>" * 9999) + b" ".join(b"a%d" % i for i in range(n)),
        75_000,
    ),
    "pictures and ends": (lambda n: b"<svg>" * n + b"</x>" * n, 60_000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_detected_from_its_bytes(name: str) -> None:
    make, size = BOMBS[name]
    assert may_be_too_heavy(make(size))


@pytest.mark.parametrize("name", ["font", "attributes", "pictures and ends"])
def test_a_bomb_ends_in_the_worker_but_its_text_is_harmless(name: str) -> None:
    make, size = BOMBS[name]
    page = make(size)
    limit_pages(3, 1024)
    try:
        assert not asyncio.run(read_in_worker(is_bearable, page))
    except PageLimitError:
        pass
    finally:
        limit_pages(20, 2048)
        stop_worker()
    text = as_text(page)
    assert not may_be_too_heavy(text)
    command = [
        "prlimit", f"--as={1 << 30}", sys.executable, "-c",
        "import sys; from focuscrawl.pages.page_trial import is_bearable as b\n"
        "sys.exit(not b(sys.stdin.buffer.read()))",
    ]  # fmt: skip
    assert subprocess.run(command, input=text, check=False).returncode == 0


# Markup that affects how a parser reads a tag or its end.
PIECES = st.sampled_from(
    [
        b"<b x=#>", b"<b x=#>a</b>", b"<b x='>' y=#>", b"<b a=x\" y=\">\" z=#>", b"<FONT size='#'>a</font>", b"<i x=# >a</i>", b"<b x=#>a</B >",
        b"<i x=\"#", b"<i x='#", b"<b x", b"\">", b"'>", b">", b"a", b"</b>", b"</i>", b"</font>", b"<p>", b"</p>",
        b"<div>", b"</div>", b"<table>", b"<tr>", b"<td>", b"</td>", b"</table>", b"<select>", b"</select>",
        b"<svg>", b"<desc>", b"</svg>", b"<math><mi>", b"</math>", b"<template>", b"</template>", b"<!--", b"-->",
        b"<textarea>", b"</textarea>", b"<script>", b"</script>", b"<noscript>", b"<object>", b"</object>",
        b"<![CDATA[", b"]]>", b"<frameset>", b"<a x=#>", b"</a>", b"<button>", b"</body>", b"<head>", b"\x00",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60))
@settings(max_examples=500)
def test_no_parser_creates_more_elements_than_the_bound(pieces: list[bytes]) -> None:
    page = b"".join(piece.replace(b"#", b"%d" % at) for at, piece in enumerate(pieces))
    elements, tags = len(LexborHTMLParser(page).css("*")), page.count(b"<")
    # In addition to those of the tags: html, head, body, and those that a table adds to a cell.
    assert elements <= most_elements(page, tags) + 3 * tags + 3


@pytest.mark.parametrize(
    "page",
    [
        repeated(b"<div><p><b class=x>text</b><br><img src=#></div>")(1000),
        repeated(b"<table><tr><td><font color=red>text</font></table>")(1900),
        b"<p>" + b"text " * 100_000,
        b"<img src='data:%b'>" % (b"x" * 300_000),
        b"",
    ],
)
def test_an_ordinary_page_is_read_unchanged(page: bytes) -> None:
    assert not may_be_too_heavy(page) or is_bearable(page)


def test_many_tags_alone_are_not_a_bomb() -> None:
    page = repeated(b"<p><a href=/#>text</a></p>")(9000)
    assert may_be_too_heavy(page)
    assert is_bearable(page)


def test_text_without_structure() -> None:
    page = (
        b"<html><head><title>A &amp; B</title><style>p {}</style><script>1 < 2</script></head>"
        b"<body class='x'><!-- <p>no --><p>one<br>two <a href='/x'>three</a> 4 &lt; 5 <"
    )
    parsed = parse_page(as_text(page), "http://a.example/")
    assert parsed.title == "A & B"
    assert parsed.text == "A & B one two three 4 < 5"
    assert parsed.links == []


NASTY: dict[str, Page] = {
    "open": repeated(b"<"),
    "open tags": repeated(b"<a "),
    "open comments": repeated(b"<!--"),
    "open scripts": repeated(b"<script>"),
    "quotes": repeated(b"<a '"),
    "odd quotes": lambda n: (b"<a" * 60 + b"''") * 99 + b"'" + b"x" * 40 * n,
    "double quotes": lambda n: (b"<a" * 60 + b'""') * 99 + b'"' + b"x" * 40 * n,
    "titles": repeated(b"<title"),
}


def seconds(work: Callable[[bytes], object], page: bytes) -> float:
    def once() -> Iterator[float]:
        for _ in range(3):
            begin = time.process_time()
            work(page)
            yield time.process_time() - begin

    return min(once())


@pytest.mark.parametrize("work", [may_be_too_heavy, as_text])
@pytest.mark.parametrize("name", NASTY)
def test_scanning_bytes_takes_linear_time(name: str, work: Callable[[bytes], object]) -> None:
    small, large = (seconds(work, NASTY[name](n)) for n in (20_000, 160_000))
    # Eight times as long; quadratic time would be 64 times. Work that takes no time has no ratio.
    assert large < 24 * small + 0.02
