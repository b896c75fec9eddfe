"""``scrapy crawl template`` as a user runs it, over the firms and search engines of the demo web."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.firms.firm_web import SEARCH_HOSTS, Firms
from tests.crawl.conftest import SHARED, Crawler, Finished
from tests.servers import warm_scrapy

SECOND = f"demo@http://{SEARCH_HOSTS[1]}"
SEARCHED = ("-a", "template=contacts", "-a", "region=四川", "-a", "entity=软件公司")
ALL = ("-a", "all=true", "-a", "pages=76")
FAST = ("-s", "RETRY_TIMES=0", "-s", "DOWNLOAD_TIMEOUT=5")
CONTENT = "select url, site, fields, region_md5, gone_at is null from template_records order by url"


@pytest.fixture
def template(crawl: Crawler, no_workbook: None) -> Crawler:
    crawl.spider = "template"
    return crawl


def run(crawl: Crawler, *arguments: str, code: int = 0) -> Finished:
    done = crawl(*SEARCHED, *ALL, "-a", "engine=demo", *FAST, *arguments)
    assert done.code == code, done.out + done.err
    assert "Traceback" not in done.err, done.err
    return done


def homes(crawl: Crawler, *, gone: bool | None = False, window: int = 0) -> set[str]:
    """Return the home pages of the sites of records: of those that are gone, or not, or all (None)."""
    rows = crawl.rows("select url, window, gone_at is not null from template_records")
    return {
        urljoin(url, "/")
        for url, met_in, is_gone in rows
        if window in (0, met_in) and gone in (None, bool(is_gone))
    }


def window_of(done: Finished) -> dict[str, int]:
    (line,) = [line for line in done.out.splitlines() if line.startswith("  records")]
    return {word: int(count) for count, word in (part.split()[-2:] for part in line.split(","))}


def expected(firms: Firms) -> dict[str, int]:
    changes = firms.changes()
    return {
        "new": len(changes.added),
        "changed": len(changes.updated),
        "unchanged": len(changes.unchanged),
        "gone": len(changes.deleted),
    }


def test_windows_add_update_and_mark_as_gone_what_the_web_did(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    firms = Firms(3, 30)
    web = demo(more_sites=firms)
    first = run(template)
    assert homes(template) == {known.home for known in firms.truth()}
    assert window_of(first)["new"] == len(firms.truth())

    firms.window = 2
    web.log.clear()
    process = template.start(*SEARCHED, *ALL, "-a", "engine=demo", *FAST)
    while sum("search" not in url for _, url in web.log) < 30:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert homes(template, gone=True) == set()
    web.log.clear()
    again = run(template)
    assert "resumed window 2, which was interrupted" in again.out
    assert not any("/s?" in url for _, url in web.log)
    done = dict(template.rows("select state, count(*) from seeds where window = 2 group by state"))
    assert "waiting" not in done
    changes = firms.changes()
    assert homes(template, window=2) == changes.added | changes.updated | changes.unchanged
    assert homes(template, gone=True) == changes.deleted
    revised = template.rows(
        "select url, r.window, next_window from record_revisions r "
        "join template_records t on r.record_key = t.key"
    )
    assert revised
    assert {urljoin(url, "/") for url, *_ in revised} <= changes.updated
    assert {(last, following) for _, last, following in revised} == {(1, 2)}

    firms.window = 3
    firms.engines[SEARCH_HOSTS[0]].fault = "down"
    third = run(template, "-a", f"engine=demo,{SECOND}")
    assert "engine demo does not respond (robots.txt unreachable: HTTP 503)" in third.out
    assert window_of(third) == expected(firms)
    assert homes(template) == {known.home for known in firms.truth()}
    fields = json.loads(template.rows("select fields from template_records")[0][0])
    names = {"field", "title", "value", "raw", "confidence", "page", "elsewhere"}
    assert names == set(fields[0])


def test_a_choice_skips_seeds_and_takes_them_up_first_in_the_next_window(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    firms = Firms(4, 30)
    demo(more_sites=firms)
    some = run(template, "-a", "all=false")
    skipped = {url for (url,) in template.rows("select url from seeds where state = 'skipped'")}
    assert some.count("skipped") == len(skipped) > 3
    kept = homes(template)
    run(template, "-a", "all=false")
    again = dict(template.rows("select url, state from seeds where window = 2"))
    assert all(again[url] != "skipped" for url in skipped)
    assert len({url for url, state in again.items() if state == "skipped"}) > 0
    # A page that was not requested is not gone.
    assert homes(template) >= kept
    repeat = Crawler(template.folder / "b", template.environment, spider="template")
    repeat.folder.mkdir()
    repeat.environment = template.environment | {"FOCUSCRAWL_STORES": ""}
    run(repeat, "-a", "all=false")
    assert {u for (u,) in repeat.rows("select url from seeds where state = 'skipped'")} == skipped
    assert (repeat.folder / "data" / "focuscrawl.xlsx").is_file()


def test_what_was_not_searched_deletes_nothing_and_is_an_error(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    firms = Firms(3, 15)
    demo(more_sites=firms)
    run(template)
    kept = template.rows(CONTENT)
    for fault, said in (
        ("captcha", "asks for a captcha"),
        ("redesign", "returned a page with neither results"),
    ):
        firms.engines[SEARCH_HOSTS[0]].fault = fault  # type: ignore[assignment]
        done = run(template, code=2)
        assert f"search engine demo {said}" in done.out
        assert "no search engine returned all results for '四川软件公司'" in done.err
        assert template.rows(CONTENT) == kept
    firms.engines[SEARCH_HOSTS[0]].fault = ""
    assert window_of(run(template))["unchanged"] == len(kept)


def test_seeds_may_be_given_and_what_is_gone_may_be_erased(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    firms = Firms(6, 12)
    web = demo(more_sites=firms)
    useful = [known.home for known in firms.truth()]
    file = template.folder / "seeds.txt"
    file.write_text("# firms\n" + "\n".join(useful), encoding="utf-8")
    given = ("-a", "template=contacts", "-a", "seeds=seeds.txt", *FAST)
    first = template(*given)
    assert (first.code, first.count("new")) == (0, len(useful))
    assert not any(urlsplit(url).hostname in SEARCH_HOSTS for _, url in web.log)
    requested = Counter(url for _, url in web.log)
    assert {url for url, count in requested.items() if count > 1} == set()
    file.write_text("\n".join(useful[1:]), encoding="utf-8")
    other = template.folder / "other.txt"
    other.write_text(useful[-1], encoding="utf-8")
    others = template("-a", "template=contacts", "-a", "seeds=other.txt", *FAST)
    assert (others.count("new"), others.count("gone")) == (1, 0)
    second = template(*given, "-a", "hard_delete=true")
    assert (second.count("unchanged"), second.count("gone")) == (len(useful) - 1, 1)
    assert homes(template) == set(useful[1:])
    environment = {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"} | template.environment
    command = ["crawl", "template", "-a", "template=contacts", "-a", "seeds=-", *FAST]
    third = warm_scrapy.run(
        command, cwd=template.folder, env=os.environ | environment, given=f"{useful[0]}\n"
    )
    assert (third.returncode, "1 new" in third.stdout) == (0, True), third.stderr


def test_a_run_that_is_closed_or_interrupted_ends_and_is_taken_up(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    firms = Firms(6, 16)
    web = demo(more_sites=firms)
    given = (*SEARCHED, *ALL, "-a", "engine=demo", *FAST)
    closed = template.start(*given, "-s", "CLOSESPIDER_ITEMCOUNT=4")
    assert closed.wait(timeout=60) in (0, 3)
    web.log.clear()
    interrupted = template.start(*given)
    while not web.log:
        assert interrupted.poll() is None
        time.sleep(0.01)
    interrupted.send_signal(signal.SIGINT)
    out, err = interrupted.communicate(timeout=60)
    assert (interrupted.returncode, "Traceback" in err) == (130, False), out + err
    # The first may have come to its end before it heard that it was to close.
    assert "which was interrupted" in run(template).out
    assert homes(template) == {known.home for known in firms.truth()}


def test_firms_of_another_region_are_not_stored(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    """All firms of the demo web are of Sichuan, and its search finds them for Jinan, too."""
    firms = Firms(3, 15)
    demo(more_sites=firms)
    given = ("-a", "template=contacts", "-a", "entity=软件公司", "-a", "engine=demo", *ALL, *FAST)
    done = template(*given, "-a", "region=济南")
    assert done.code == 0, done.err
    assert done.count("other region") == len(firms.truth())
    assert homes(template, gone=None) == set()
    assert template(*given, "-a", "region=四川省").code == 0
    assert homes(template) == {known.home for known in firms.truth()}


class _Site:
    """A site of a few pages by path."""

    def __init__(self, pages: dict[str, str]) -> None:
        self._pages = pages

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path not in self._pages:
            return Response(404, {}, b"")
        html = f"<meta charset=utf-8><title>甲</title>{self._pages[path]}"
        return Response(200, {"Content-Type": "text/html"}, html.encode())


def test_links_by_https_to_a_site_without_it_are_followed_all_the_same(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    # The demo web's server has no https.
    contact = '<a href="https://old.example/contact.html">联系我们</a>'
    demo(
        more_sites={
            "old.example": _Site({"/": contact, "/contact.html": "<p>电话：028-85550100</p>"})
        }
    )
    given = ("-a", "template=contacts", "-a", "seeds=https://old.example/")
    assert template(*given, *FAST).code == 0
    assert template.rows("select url from template_records") == [
        ("http://old.example/contact.html",)
    ]


_MENU = "".join(
    f'<a href="/{path}">{anchor}</a>'
    for path, anchor in (
        ("index.html", "首页"),
        ("menu", "菜单"),
        ("jobs", "诚聘"),
        ("visit", "来坐坐"),
    )
)
_ADDRESS, _PHONE = "<p>宜宾市翠屏区酒都路18号</p>", "<p>0831-8550177</p>"
_EMAIL = "<p>qinghe@odd.example</p>"
_FIRM = "宜宾青禾食品有限公司"


# The pages of a site, the one of its record, and which are requested.
UNUSUAL_SITES: dict[str, tuple[dict[str, str], str, list[str]]] = {
    # No anchor has a known word: the entries of the menu are read in their order.
    "menu": (
        {"/": _MENU, "/menu": "<p>毛血旺</p>", "/jobs": "<p>厨师</p>", "/visit": _ADDRESS + _PHONE},
        "/visit", ["/", "/menu", "/jobs", "/visit"],
    ),
    # A word for addresses comes before the order of the menu, whose pages may have more.
    "shops": (
        {"/": _MENU + '<a href="/shops">门店地址</a>', "/shops": _ADDRESS + _PHONE},
        "/shops", ["/", "/shops", "/menu", "/jobs", "/visit"],
    ),
    # The home page has everything.
    "all": ({"/": _MENU + _ADDRESS + _PHONE + _EMAIL}, "/", ["/"]),
    # It has what a footer has: a page of the menu may have more.
    "footer": ({"/": _MENU + _ADDRESS + _PHONE}, "/", ["/", "/menu", "/jobs", "/visit"]),
    # A contact page without an address, and a page that may have it.
    "way": (
        {
            "/": '<a href="/c">联系我们</a><a href="/way">交通路线</a>' + _MENU, "/c": _PHONE,
            "/way": "<p>地址：宜宾市翠屏区酒都路18号</p>",
        },
        "/c", ["/", "/c", "/way"],
    ),
    # The page about a site names the firm, which the others do not.
    "about": (
        {
            "/": '<a href="/c">联系我们</a><a href="/about">关于我们</a>', "/c": _ADDRESS + _PHONE,
            "/about": f"<p>{_FIRM}成立于2012年。</p>",
        },
        "/c", ["/", "/c", "/about"],
    ),
}  # fmt: skip


def test_further_links_are_followed_if_a_site_has_no_complete_record(
    template: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    sites = {}
    for name, (pages, *_) in UNUSUAL_SITES.items():
        head = "" if name == "about" else f"<h1>{_FIRM}</h1>"
        sites[f"{name}.example"] = _Site({path: head + html for path, html in pages.items()})
    web = demo(more_sites=sites)
    seeds = ",".join(f"http://{host}/" for host in sites)
    done = template("-a", "template=contacts", "-a", f"seeds={seeds}", *FAST)
    assert done.code == 0, done.err
    found = {}
    for url, fields in template.rows("select url, fields from template_records"):
        found[urlsplit(url).netloc.partition(".")[0]] = urlsplit(url).path
        assert {"address", "phone", "name"} <= {value["field"] for value in json.loads(fields)}
        assert f'"value": "{_FIRM}"' in fields
    requested: dict[str, list[str]] = {name: [] for name in UNUSUAL_SITES}
    for _, url in web.log:
        if not url.endswith("/robots.txt"):
            requested[urlsplit(url).netloc.partition(".")[0]].append(urlsplit(url).path)
    assert found == {name: path for name, (_, path, _) in UNUSUAL_SITES.items()}
    assert requested == {name: paths for name, (*_, paths) in UNUSUAL_SITES.items()}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("template=nothing",),
            "there is no template 'nothing'; known: contacts, maize-buyers, or write one",
        ),
        (("template=contacts", "engine=altavista"), "there is no search engine 'altavista'"),
        (
            ("template=contacts", "seed=a"),
            "spider 'template' has no argument 'seed'; choose from template,",
        ),
        (
            ("template=contacts", "seeds=http://a.example/", "region=四川"),
            "no search engine is used; remove region",
        ),
        (("template=contacts", "region=,"), "no word is given"),
        (("region=四川",), "spider 'template' needs the argument template"),
        (("template=contacts", "region=四川,火星"), "region '火星' is not a known place"),
        (("template=contacts", "region=成督"), "region '成督' is not a known place (meant 成都"),
    ],
)
def test_a_mistake_gets_one_sentence(
    template: Crawler, arguments: tuple[str, ...], sentence: str
) -> None:
    done = template(*(part for argument in arguments for part in ("-a", argument)))
    assert done.code != 0
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recorded sites beside the project")
def test_recorded_sites_give_what_a_person_read_there(template: Crawler, tmp_path: Path) -> None:
    contacts = SHARED / "contacts"
    with (contacts / "sites.csv").open(encoding="utf-8") as file:
        sites = list(csv.DictReader(file))
    (tmp_path / "seeds.txt").write_text("\n".join(site["home_url"] for site in sites))
    archive = f"FOCUSCRAWL_REPLAY={contacts / 'contacts.warc.gz'}"
    done = template("-a", "template=contacts", "-a", "seeds=seeds.txt", "-s", archive)
    assert done.code == 0, done.err
    found: dict[str, Any] = dict(template.rows("select seed, url from template_records"))
    hits = [_same(found.get(site["home_url"], ""), site["contact_url"]) for site in sites]
    assert sum(hits) / len(hits) >= 0.95
    with (tmp_path / "found.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["url", "field", "value"])
        for seed, fields in template.rows("select seed, fields from template_records"):
            writer.writerows((seed, v["field"], v["value"]) for v in json.loads(fields))
    score, truth = str(contacts / "score.py"), str(contacts / "truth.csv")
    command = [sys.executable, score, truth, "found.csv", "--json"]
    scored = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    scores = json.loads(scored)
    assert scores["overall"]["f1"] >= 0.95
    assert scores["overall"]["precision"] >= 0.97
    assert min(of["f1"] for of in scores.values() if isinstance(of, dict)) >= 0.85


def _same(url: str, other: str) -> bool:
    plain = [u.partition("://")[2].removesuffix("index.html") for u in (url, other)]
    return plain[0] == plain[1]
