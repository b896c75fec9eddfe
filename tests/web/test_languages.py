"""All that a person reads is in the language of the page: names and data excepted, which here are Greek."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from focuscrawl import spider_arguments
from focuscrawl.system.machine_faults import _REASONS
from focuscrawl.web import message_catalogue
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.message_catalogue import Language, catalogue, glossary, said
from focuscrawl.web.web_site import WebSite
from tests.stores import record_examples as examples
from tests.web.conftest import add_users, fill, log_in
from tests.web.crawls.run_examples import details, fill_runs, run_of
from tests.web.site_walk import walk

PACKAGE = Path(message_catalogue.__file__).parent
# Those of the console, which is English.
_ERRORS = ("ArgumentError", "ValueError")
_OF_THE_CONSOLE = {"web_server.py"}
_CHINESE, _ENGLISH = re.compile(r"[\u4e00-\u9fff]+"), re.compile(r"[A-Za-z]{3,}")
# Names that are the same in both languages: of programs, formats, spiders, their arguments and files.
_NAMES = {
    "English", "中文", "CSV", "Excel", "JSON", "PNG", "TLS", "HTTP", "XLSX", "Markdown", "Atom", "Webhook", "URL",
    "cron", "robots", "txt", "maize", "demo", "yuan", "yuan/jin", "administrator", "webhook", "http", "https", "vm",
    "list", "article", "template", "tunnel", "labels", "all", "limit", "FOCUSCRAWL", "MAIL", "WEBHOOK", "test", "testclient",
    *Role,
}  # fmt: skip


def sentences() -> Iterator[str]:
    """Yield the sentences of errors in the web views and of checks of arguments, with values."""
    paths = [path for path in PACKAGE.rglob("*.py") if path.name not in _OF_THE_CONSOLE]
    for path in [*paths, Path(spider_arguments.__file__)]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _ERRORS:
                continue
            if node.args and isinstance(node.args[0], ast.JoinedStr | ast.Constant):
                yield _filled(node.args[0])


def sentences_of_runs() -> Iterator[str]:
    """Yield the sentences of notes and of what was not done that crawls write into the store, with values."""
    for path in PACKAGE.parent.rglob("*.py"):
        if PACKAGE in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="note" | "mark_incomplete"), args=[text]):
                    yield from map(_filled, _parts(text))
                case ast.Assign(targets=[ast.Name(id="sentence")], value=text):
                    yield from map(_filled, _parts(text))


_REASONS_IN = ("policy/sparse_tunnel.py", "policy/crawler_traps.py", "network", "articles", "scheduling", "middlewares/robots.py",
               "policy/topical_crawl.py", "spiders")  # fmt: skip
_NO_REASONS = {
    "breadth",
    "tunnel",
    "unknown",
    "signs of missing pages",
    "search",
    "relevant",
    "irrelevant",
    "not installed",
}


def reasons_of_drops() -> Iterator[str]:
    """Yield the names under which crawls count what they drop and what fails."""
    for place in _REASONS_IN:
        folder = PACKAGE.parent / place
        for path in folder.rglob("*.py") if folder.is_dir() else [folder]:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))
                    ):
                        if (
                            name.isupper()
                            and not name.startswith("_")
                            and re.fullmatch(r"[a-z][a-z .]+[a-z]", text)
                        ):
                            yield text
                    case ast.Call(
                        func=ast.Name(id="failed" | "dropped")
                        | ast.Attribute(attr="drop" | "page_failed"),
                        args=[ast.Constant(value=str(text)), *_],
                    ):
                        yield text


def _parts(node: ast.expr) -> Iterator[ast.JoinedStr | ast.Constant]:
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and node.value):
        yield node
    elif isinstance(node, ast.IfExp | ast.BinOp):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from _parts(part)


def _filled(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = (one.value if isinstance(one, ast.Constant) else "7" for one in node.values)
    return "".join(map(str, parts))


def test_each_error_has_chinese_words() -> None:
    found = {
        one
        for one in sentences()
        if _ENGLISH.search(one) and not one.startswith(("FOCUSCRAWL_WEB_SECTIONS", "after = "))
    }
    assert len(found) > 50
    assert [one for one in sorted(found) if not _CHINESE.search(said(one, "zh"))] == []
    reasons = [text.format(expected="7", ge=7, le=7) for text in _REASONS.values()]
    assert [one for one in reasons if not _CHINESE.search(said(one, "zh"))] == []


def test_each_sentence_of_a_run_has_chinese_words() -> None:
    found = {one for one in sentences_of_runs() if len(_ENGLISH.findall(one)) > 2}
    assert len(found) > 60
    assert [one for one in sorted(found) if not _CHINESE.search(said(one, "zh"))] == []


def test_each_reason_has_chinese_words() -> None:
    found = {one for one in reasons_of_drops() if one not in _NO_REASONS}
    assert {"site quota", "no HTML", "too large"} < found
    assert [one for one in sorted(found) if not _CHINESE.search(said(one, "zh"))] == []


def test_codes_of_the_store_have_words_in_both_languages() -> None:
    for code in ("start_error", "closespider_timeout", "closespider_itemcount", "list.feed"):
        assert said(code, "zh") != code
        assert "_" not in said(code, "en")
    assert said("max_pages", "en") == "the limit of pages is reached"
    assert said("parser: unreadable", "zh") == "parser: unreadable"


def test_sentences_with_parts() -> None:
    busy = "this crawl of spider 'maize' is running; wait until it has ended"
    assert said(busy, "zh") == "爬虫 'maize' 的这个采集正在运行；请等它结束"
    assert said("limit = '0': write at least 1", "zh") == "limit = '0': 不能小于 1".replace(
        ": ", "："
    )
    flag = "可信度12%，低于35%：名称沿用前一句、名称过长"
    assert (
        said(flag, "en")
        == "confidence 12%, below 35%: the name is of the sentence before, a long name"
    )
    assert said("words of a site", "zh") == "words of a site"
    assert said("shutdown", "en") == "somebody asked for it"


def test_each_word_of_the_glossary_is_a_text_with_two_explanations(client: TestClient) -> None:
    templates = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.html"))
    assert set(re.findall(r'term\("([\w.]+)"\)', templates)) <= set(glossary()) <= set(catalogue())
    for texts in glossary().values():
        assert set(texts) == {"zh", "en"}
    for language, word in (("zh-CN", "收获率"), ("en", "Harvest rate")):
        shown = client.get("/help", headers={"Accept-Language": language}).text
        assert shown.count("<dt") == len(glossary())
        assert word in shown
    # The word of the button.
    for language, text in glossary()["quotations.doubts"].items():
        assert catalogue()["quotations.refuse"][language].lower() in text


@pytest.fixture
def greek(store_url: str, site: WebSite, client: TestClient) -> TestClient:
    """An administrator of a site whose data are Greek."""
    alpha = "αβγδ"
    quote = examples.quote(
        entity=alpha, mention=alpha, region=alpha, province=alpha, city=alpha, county=alpha, commodity=alpha,
        unit="yuan/jin",
        span=alpha, flag="可信度12%，低于35%：名称沿用前一句", entity_type="firm",
    )  # fmt: skip
    fill(store_url, [examples.article(title=alpha, text=alpha, site="", quotes=[quote])])
    notes = [
        "816 URLs wait in αβγδ; the next run continues",
        "no trained model for αβγδ: links are scored by its lexicon",
    ]
    not_done = ["3 of 7 entries gave no article", "some pages could not be read: 3 timeout"]
    alarms = ["no article was found, neither new nor known; check the arguments and the site"]
    report = {"notes": notes, "not_done": not_done, "alarms": alarms}
    counts = {"focuscrawl/dropped/site quota": 3, "focuscrawl/pages/failed/connection lost": 2}
    run = run_of(
        1,
        reason="max_pages",
        details=details(report=report, arguments={}, rules=None, counts=counts),
        began_at=datetime.now(UTC),
        machine="μ",
    )
    fill_runs(store_url, [run, run_of(2, reason="shutdown", exit_code=130, machine="μ")])
    add_users(site)
    log_in(client, Role.ADMINISTRATOR)
    return client


@pytest.mark.parametrize("language", ["zh", "en"])
def test_pages_are_in_one_language(language: Language, greek: TestClient) -> None:
    other = _CHINESE if language == "en" else _ENGLISH
    greek.cookies.set("language", language)
    greek.get("/prices")
    starts = ("/prices", "/articles", "/search", "/search?kind=record", "/crawls", "/alarms", "/users", "/log", "/account",
              "/help", "/judge", "/mine", "/nowhere", "/crawls?limit=0", "/prices?since=x", "/crawls/start?spider=x",
              "/crawls/schedules/new", "/alarms/rules/new")  # fmt: skip
    faults: dict[str, set[str]] = {}
    count = 0
    for address, answer in walk(greek, *starts, most=120):
        if answer.headers.get("content-type", "").startswith("text/html"):
            count += 1
            for word in other.findall(_read(answer.text)):
                if word not in _NAMES and not word.startswith("focuscrawl"):
                    faults.setdefault(word, set()).add(address)
    assert count > 30
    assert {word: sorted(where)[:2] for word, where in faults.items()} == {}


def _read(html: str) -> str:
    """Return what a person reads in a page: its texts and the explanations of its controls."""
    tree = LexborHTMLParser(html)
    for node in tree.css("script, style, code, pre, option, datalist, [data-name], .who, .chart"):
        node.decompose()
    named = " ".join(
        node.attributes.get(name) or ""
        for node in tree.css("main *")
        for name in ("title", "aria-label", "placeholder", "data-label")
    )
    texts = (tree.body.text(separator=" ") if tree.body else "") + " " + named
    return re.sub(r"\w+://\S+|[\w.-]+\.(example|test)\b|'[^']*'", " ", texts)
