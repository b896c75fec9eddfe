"""The firms of the demo web: what they publish stands on their pages, window by window."""

from __future__ import annotations

import csv
import re
from argparse import Namespace
from collections import Counter
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from focuscrawl.commands import demo
from focuscrawl.demo import DemoWeb
from focuscrawl.demo.firms.firm_site import LAYOUTS, FirmSite, SiteKind, Way, firm_of, layout_of
from focuscrawl.demo.firms.firm_web import COLUMNS, SEARCH_HOSTS, Firms, write_firms
from focuscrawl.errors import ArgumentError

SEED = 7
QUERY = "四川软件公司"


@pytest.fixture(scope="module")
def firms() -> Firms:
    return Firms(SEED, 150)


def sites(firms: Firms) -> dict[str, FirmSite]:
    return {host: site for host, site in firms.items() if isinstance(site, FirmSite)}


def text_of(site: FirmSite, path: str) -> str:
    response = site.respond(path, "", {})
    assert response.status == 200
    charset = re.search(
        rb"charset=\"?([\w-]+)", response.headers["Content-Type"].encode() + response.body
    )
    assert charset
    return response.body.decode("gb18030" if charset[1] != b"utf-8" else "utf-8")


def shown_mails(page: str) -> set[str]:
    hidden = {bytes.fromhex(code) for code in re.findall(r'data-cfemail="(\w+)"', page)}
    unmasked = {bytes(byte ^ code[0] for byte in code[1:]).decode() for code in hidden}
    return unmasked | set(re.findall(r"[\w.]+@[\w.]+\w", page.replace("#at#", "@")))


def test_all_that_the_truth_names_stands_on_the_contact_page(firms: Firms) -> None:
    for known in firms.truth():
        host, path = urlsplit(known.home).netloc, urlsplit(known.contact_url).path
        page = text_of(sites(firms)[host], path)
        text = unescape(LexborHTMLParser(page).body.text())
        for field, values in known.values.items():
            found = shown_mails(page) if field == "email" else text
            assert all(value in found for value in values), (host, field, values)


def test_sites_vary_and_so_do_hosts_of_many_firms(firms: Firms) -> None:
    kinds = Counter(firm_of(SEED, number).kind for number in range(150))
    assert {site.way for site in sites(firms).values()} == set(Way)
    assert {layout_of(SEED, number) for number in range(150)} == set(LAYOUTS)
    assert 80 <= kinds[SiteKind.USEFUL] <= 115
    assert kinds[SiteKind.DOWN] >= 2
    many = [firm_of(1, number) for number in range(3000)]
    assert len({firm.host for firm in many}) == 3000
    useful = [firm.name for firm in many if firm.kind is SiteKind.USEFUL]
    assert len(set(useful)) == len(useful)


def test_silent_sites_publish_nothing_and_those_that_are_down_answer_503(firms: Firms) -> None:
    for firm in (firm_of(SEED, number) for number in range(150)):
        if firm.kind is SiteKind.DOWN:
            assert firms[firm.host].respond("/", "", {}).status == 503
        if firm.kind is not SiteKind.SILENT:
            continue
        site = sites(firms)[firm.host]
        for path in ("/", "/about.html", "/news/0.html", site.contact_path):
            page = text_of(site, path)
            assert not shown_mails(page)
            assert not re.search(r"\d{7}|\d{3,4}-\d{7}|[路街道]\d", page)


def test_no_such_page(firms: Firms) -> None:
    site = next(site for site in sites(firms).values() if site.respond("/", "", {}).status == 200)

    for path in ("/x", "/news/6.html", "/news/.html", "/news/-1.html", "/news/0", "/robots.txt"):
        assert site.respond(path, "", {}).status == 404, path


def test_windows_bring_change_and_take_away() -> None:
    firms = Firms(SEED, 200)
    last: dict[str, dict[str, tuple[str, ...]]] = {}
    for window in (1, 2, 3):
        firms.window = window
        now = {known.home: known.values for known in firms.truth()}
        changes = firms.changes()
        both = now.keys() & last.keys()

        assert changes.added == now.keys() - last.keys()
        assert changes.deleted == last.keys() - now.keys()
        assert changes.updated == {home for home in both if now[home] != last[home]}
        assert changes.unchanged == {home for home in both if now[home] == last[home]}
        if window > 1:
            assert len(changes.updated) == round(0.1 * len(last))
            assert len(changes.deleted) == round(0.05 * len(last))
            assert 0.04 * len(last) < len(changes.added) < 0.16 * len(last)
        last = now


def test_gone_firms_answer_no_more_and_are_found_no_more() -> None:
    firms = Firms(SEED, 200)
    firms.window = 2
    gone = firms.changes().deleted
    assert {DemoWeb(1, 3, more_sites=firms).respond(home, {}).status for home in gone} == {404}
    found = firms.engines[SEARCH_HOSTS[0]].found(QUERY)
    assert not gone & {urljoin(one.url, "/") for one in found}


@pytest.mark.parametrize(("count", "window"), [(0, 1), (20_001, 1), (1, 0), (1, 101)])
def test_what_cannot_be(count: int, window: int) -> None:
    with pytest.raises(ArgumentError, match="out of range"):
        Firms(1, count, window)


def test_truth_as_a_table(firms: Firms, tmp_path: Path) -> None:
    write_firms(firms, tmp_path / "truth.csv")
    with (tmp_path / "truth.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert tuple(rows[0]) == COLUMNS
    values = {(row["home_url"], row["field"], row["value"]) for row in rows}
    assert values == {
        (known.home, field, value)
        for known in firms.truth()
        for field, found in known.values.items()
        for value in found
    }
    with pytest.raises(ArgumentError, match="give another path"):
        write_firms(firms, tmp_path / "no" / "folder.csv")


def options(**given: object) -> Namespace:
    known = {"seed": SEED, "firms": 20, "window": 1, "search_fault": "", "firms_truth": None}
    return Namespace(**{**known, **given})


def test_the_command_takes_window_fault_and_truth(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    firms = demo._firms(options(window=2, search_fault="captcha", firms_truth=path))
    assert firms
    assert firms.truth() == Firms(SEED, 20, 2).truth()
    assert [engine.fault for engine in firms.engines.values()] == ["captcha", ""]
    assert path.read_text(encoding="utf-8").count("\n") > 20
    assert demo._firms(options(firms=0)) is None
    with pytest.raises(ArgumentError, match="give --firms as well"):
        demo._firms(options(firms=0, search_fault="down"))
