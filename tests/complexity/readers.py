"""The readers whose time must grow no faster than the text, and the forms that they read a text in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import cache, lru_cache, partial
from typing import NamedTuple

from lxml import html as lxml_html

from focuscrawl.articles.article_page import read_page as read_article
from focuscrawl.articles.article_page import smallest_holder, split_tags
from focuscrawl.errors import ArgumentError, ProfileError, SearchEngineError
from focuscrawl.pages.canonical_urls import canonical_url, resolve
from focuscrawl.pages.link import Link, Position, ScoredLink
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.policy.crawler_traps import Traps
from focuscrawl.prices import READERS
from focuscrawl.search.search_index import search_terms
from focuscrawl.search.search_query import LONGEST_QUERY, query_for, read_query
from focuscrawl.search.search_results import snippet
from focuscrawl.sites.page_reading import read_article_page, read_list
from focuscrawl.sites.site_profile import load_profile
from focuscrawl.templates.extraction import read_page
from focuscrawl.templates.extraction.value_readers import emails, phones, read_typed, web_addresses
from focuscrawl.templates.keywords import fold
from focuscrawl.templates.link_screening import Screen, scripted_links, shown_pages, without_session
from focuscrawl.templates.names.name_clues import Source, title_names
from focuscrawl.templates.names.organisations import NameEvidence, organisations, site_name
from focuscrawl.templates.names.postal_addresses import addresses, trim_address
from focuscrawl.templates.search_engines.search_engine import (
    engine_names,
    load_search_engine,
    scripted_target,
)
from focuscrawl.templates.template_model import FieldType, load_template
from focuscrawl.text.chinese_dates import find_date
from focuscrawl.text.main_text import main_text, plain_listings
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.page_charset import detect
from focuscrawl.text.tokeniser import make_tokeniser
from focuscrawl.text.visible_lines import block_text
from focuscrawl.topics.topic_loading import load_topic
from focuscrawl.topics.topic_model import page_relevance
from tests.complexity.growth import Growth, full_growth, growth

TODAY = date(2026, 11, 22)
URL = "http://firm.test/contact.html"

Form = Callable[[str, int], str]


def one_line(piece: str, size: int) -> str:
    return piece * -(-size // len(piece))


def lines(piece: str, size: int) -> str:
    return one_line(f"{piece}\n", size)


def tabs(piece: str, size: int) -> str:
    return one_line(f"{piece}\t", size)


def paragraph(piece: str, size: int) -> str:
    return f"<html><body><p>{one_line(piece, size)}</p>"


def line_breaks(piece: str, size: int) -> str:
    return f"<html><body><p>{one_line(f'{piece}<br>', size)}</p>"


def paragraphs(piece: str, size: int) -> str:
    return f"<html><body>{one_line(f'<p>{piece}</p>', size)}"


def cells(piece: str, size: int) -> str:
    return f"<html><body><table><tr>{one_line(f'<td>{piece}</td>', size)}</table>"


def rows(piece: str, size: int) -> str:
    return f"<html><body><table>{one_line(f'<tr><td>{piece}</td><td>1</td></tr>', size)}</table>"


def title(piece: str, size: int) -> str:
    return f"<html><head><title>{one_line(piece, size)}</title><body><p>1"


TEXT_FORMS: tuple[Form, ...] = (one_line, lines, tabs)


def picture(piece: str, size: int) -> str:
    return f"<html><body><img src='{one_line(piece, size)}/'>"


PAGE_FORMS: tuple[Form, ...] = (paragraph, cells, rows, paragraphs, line_breaks, title)


class Reader(NamedTuple):
    """A reader, the forms that it reads a text in, and how many characters show its growth.

    With ``size`` characters of ordinary text it takes a little more than the floor of the measuring.
    """

    read: Callable[[str], object]
    forms: tuple[Form, ...]
    size: int


Readers = Callable[[], dict[str, Reader]]


@cache
def _warm(known: Readers, name: str, form: Form) -> Reader:
    """Return a reader that has compiled its patterns and loaded its word lists."""
    reader = known()[name]
    reader.read(form("玉米1元/吨，", reader.size // 4))
    return reader


def growth_of(known: Readers, name: str, form: Form, piece: str, factor: int) -> Growth:
    """Measure a reader on a piece repeated, at ``factor`` times its usual size."""
    reader = _warm(known, name, form)
    return growth(reader.read, partial(form, piece), reader.size * factor)


def full_growth_of(known: Readers, name: str, form: Form, piece: str, factor: int) -> Growth:
    """Measure it at each of the three sizes, whatever the times are."""
    reader = _warm(known, name, form)
    return full_growth(reader.read, partial(form, piece), reader.size * factor)


@lru_cache(maxsize=1)
def readers() -> dict[str, Reader]:
    """Return the readers by name."""
    template = load_template("contacts")
    maize = load_template("maize-buyers")
    tokeniser = make_tokeniser()
    topic = load_topic("finance")
    site = load_profile("demo")
    nested = load_profile("yz88")
    screen = Screen(template.screening)
    return {
        "prices: rules": Reader(READERS["rules"], TEXT_FORMS, 4_000),
        "prices: rules, many lines of 4,000": Reader(lambda t: READERS["rules"](t), (one_line,), 8_000),
        "prices: paper": Reader(READERS["paper"], TEXT_FORMS, 400_000),
        "prices: title": Reader(lambda t: READERS["rules"]("", title=t), (one_line,), 4_000),
        "contacts": Reader(lambda t: read_page(t, URL, template.fields), PAGE_FORMS, 4_000),
        "contacts: pictures": Reader(lambda t: read_page(t, URL, template.fields), (picture,), 40_000),
        "contacts: maize": Reader(lambda t: read_page(t, URL, maize.fields), (paragraph,), 4_000),
        "names": Reader(organisations, (one_line,), 20_000),
        "site name": Reader(_named, (one_line,), 4_000),
        "titles": Reader(lambda t: [title_names(part) for part in _parts(t)], (one_line,), 10_000),
        "addresses": Reader(addresses, (one_line,), 20_000),
        "address ends": Reader(trim_address, (one_line,), 4_000),
        "labelled address": Reader(lambda t: read_typed(FieldType.ADDRESS, t, labelled=True), (one_line,), 8_000),
        "phones": Reader(lambda t: [phones(fold(t)), phones(fold(t), labelled=True)], (one_line,), 40_000),
        "emails": Reader(lambda t: emails(fold(t), labelled=True), (one_line,), 40_000),
        "web addresses": Reader(lambda t: web_addresses(fold(t), labelled=True), (one_line,), 40_000),
        "labelled text": Reader(lambda t: [read_typed(k, t, labelled=True) for k in (FieldType.TEXT, FieldType.QQ, FieldType.POSTCODE, FieldType.ORGANISATION)], (one_line,), 8_000),
        "screening": Reader(lambda t: _screened(screen, t), (paragraph,), 20_000),
        "main text": Reader(lambda t: main_text(t, URL), PAGE_FORMS[:5], 12_000),
        "listings": Reader(plain_listings, (one_line,), 200_000),
        "dates": Reader(lambda t: find_date(t, TODAY), (one_line, lines), 40_000),
        "charset": Reader(lambda t: [detect(t.encode("gb18030", "replace")), detect(t.encode("utf-8", "replace"), "gbk")], (one_line,), 400_000),
        "normal form": Reader(normal_form, (one_line,), 100_000),
        "tokens": Reader(tokeniser.tokens, (one_line,), 40_000),
        "blocks": Reader(lambda t: block_text(lxml_html.fromstring(t.replace("\x01", ""))), PAGE_FORMS[:5], 40_000),
        "site list": Reader(lambda t: _site_list(t, site), (_demo_list,), 20_000),
        "site article": Reader(lambda t: _site_article(t, site), (_demo_article,), 15_000),
        # Parsers nest 2,048 elements.
        "nested site article": Reader(lambda t: _site_article(t, nested), (_nested_article,), 4_000),
        "article": Reader(lambda t: read_article(t, URL, _FREE, TODAY), (paragraph, paragraphs), 4_000),
        "article holder": Reader(lambda t: smallest_holder(lxml_html.fromstring(t.replace("\x01", "")), t), (paragraph, paragraphs), 20_000),
        "tags": Reader(lambda t: split_tags([t]), (one_line,), 100_000),
        "result pages": Reader(_result_pages, (paragraph,), 20_000),
        "redirects by script": Reader(scripted_target, (one_line,), 400_000),
        "search terms": Reader(search_terms, (one_line,), 40_000),
        "query": Reader(_query, (one_line,), 10_000),
        "link contexts": Reader(lambda t: parse_page(t, URL), PAGE_FORMS[:5], 40_000),
        "page relevance": Reader(lambda t: page_relevance(topic, t, t), (one_line,), 40_000),
    }  # fmt: skip


_FREE = '{"name": "free", "patterns": ["http://firm.test/{n}"]}'


def url_readers() -> dict[str, Reader]:
    """Return the readers of addresses, which have a form of their own."""
    traps = Traps(this_year=2026)
    return {
        "canonical URL": Reader(_canonical, (_path, _query_of_url, _host), 10_000),
        "reference": Reader(lambda t: resolve(URL, t), (_path, one_line), 2_000),
        "URL traps": Reader(lambda t: traps.refusal(t, 1), (_path, _query_of_url), 100_000),
        "sessions": Reader(without_session, (_path, _query_of_url), 200_000),
    }  # fmt: skip


def _path(piece: str, size: int) -> str:
    return "http://firm.test/" + one_line(piece, size)


def _query_of_url(piece: str, size: int) -> str:
    return "http://firm.test/a?" + one_line(piece, size)


def _host(piece: str, size: int) -> str:
    return "http://" + one_line(piece, size)


def _canonical(url: str) -> str:
    try:
        return canonical_url(url)
    except ValueError:
        return ""


def _demo_list(piece: str, size: int) -> str:
    entry = f"<li><a href='/{{n}}' title='更新时间：{piece}'>{piece}</a><span class=date>{piece}</span></li>"
    count = -(-size // len(entry))
    return f"<ul class=newslist>{''.join(entry.replace('{n}', str(n)) for n in range(count))}</ul>"


def _demo_article(piece: str, size: int) -> str:
    text = one_line(piece, size)
    return f"<div class=article><h1>{piece}</h1><div class=info>{text}</div></div><div class=content>{text}</div>"


def _nested_article(piece: str, size: int) -> str:
    return one_line(f"<div class=content><a href=1>下一页</a><p>{piece[:20]}", size)


def _site_list(page: str, site: object) -> object:
    try:
        return read_list(lxml_html.fromstring(page.replace("\x01", "")), URL, site, TODAY)  # type: ignore[arg-type]
    except ProfileError:
        return None


def _site_article(page: str, site: object) -> object:
    try:
        return read_article_page(lxml_html.fromstring(page.replace("\x01", "")), URL, site, TODAY)  # type: ignore[arg-type]
    except ProfileError:
        return None


def _named(text: str) -> object:
    sources: tuple[Source, ...] = ("title", "copyright", "label", "text")
    return site_name([NameEvidence(p, sources[n % 4]) for n, p in enumerate(_parts(text))])


def _parts(text: str) -> list[str]:
    """Return a text as the titles and names that a page gives: 200 characters each at most."""
    return [text[at : at + 200] for at in range(0, len(text), 200)]


def _screened(screen: Screen, page: str) -> object:
    links = [ScoredLink(link, 0.0, 0.5) for link in scripted_links(page, URL)]
    links.append(ScoredLink(Link(URL, page, position=Position.BODY), 0.0, 0.5))
    return [
        shown_pages(page, URL), screen.leads(links, 0), screen.detours(links), screen.next_pages(links, page, 1)
    ]  # fmt: skip


def _result_pages(page: str) -> Iterator[object] | list[object]:
    found: list[object] = []
    for name in engine_names():
        try:
            found.append(load_search_engine(f"{name}@http://127.0.0.1:1").read(page, URL))
        except SearchEngineError:
            continue
    return found


def _query(text: str) -> object:
    try:
        query = read_query(text[:LONGEST_QUERY])
    except ArgumentError:
        return None
    spans = [match.span() for match in query.pattern.finditer(text)]
    return snippet(text, spans, text), query_for([text[:LONGEST_QUERY]])
