"""``scrapy newsite`` on pages that are no list, or an unusual one, from a local server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from focuscrawl.demo import DemoServer, Response
from focuscrawl.sites.site_profile import JsonListRules, ListRules, load_profile
from tests.commands.test_newsite import run, serving

MENU = "".join(f'<li><a href="/c{n}/">栏目{n}</a></li>' for n in range(8))
TITLES = [
    "山东玉米价格稳中有涨", "东北玉米收购进度过半", "深加工企业继续压价", "港口库存降至新低",
    "南方销区采购转淡", "临储拍卖成交率回升",
]  # fmt: skip
TEXT = "".join(f"<p>今日各地价格第{n}段,企业收购价格有涨有跌,成交以质论价。</p>" for n in range(12))


def page(body: str, title: str = "新闻", head: str = "") -> str:
    return (
        f'<html><head><title>{title}</title>{head}</head><body><ul class="nav">{MENU}</ul>{body}'
        '<div class="footer">版权所有</div></body></html>'
    )


def entries(count: int = 6, form: str = "", name: str = "list") -> str:
    form = form or '<li><a href="/a/{n}.html">{title}</a><span>2024-03-{day}</span></li>'
    rows = (form.format(n=n, title=TITLES[n], day=20 - n) for n in range(count))
    return f'<ul class="{name}">{"".join(rows)}</ul>'


def article(number: int) -> str:
    text = TEXT.replace("今日", TITLES[number])
    following = (
        f'<div class="pages"><a href="/a/{number}_2.html">下一页</a></div>' if number == 5 else ""
    )
    return page(
        f'<h1>{TITLES[number]}</h1><div class="crumbs"><a href="/">首页</a><a href="/news/">新闻</a></div>'
        f'<div class="text">{text}<p class="editor">责任编辑:张三</p>{following}</div>',
        TITLES[number],
    )


APP = '<div id="app"></div><script src="/app.js"></script>'
ITEMS = [
    {"id": n + 7, "title": title, "url": f"/a/{n}.html", "ctime": 1710900000 - 86400 * n}
    for n, title in enumerate(TITLES)
]
PAGES = {
    "/article.html": article(1),
    "/two.html": page(entries(2)),
    "/frames.html": '<html><frameset><frame src="menu.html"><frame src="news.html"></frameset></html>',
    "/menu.html": f'<html><body><ul class="nav">{MENU}</ul></body></html>',
    "/twoframes.html": '<html><body><iframe src="news.html"></iframe><iframe src="two.html"></iframe></body></html>',
    "/app.html": f"<html><head><title>x</title></head><body>{APP}</body></html>",
    "/ajax.html": page('<ul id="l"></ul><script>$.getJSON("/api/list?page=" + page, show)</script>'),
    "/scroll.html": page(entries() + '<div class="more" data-url="/api/list?page=2">加载更多</div>'),
    "/pair.html": page(
        entries() + entries(name="other", form='<li><a href="/b/{n}.html">{title}甲</a><i>2024-03-{day}</i></li>')
    ),
    "/news.html": page(entries() + '<div class="page">共9页 <b>1</b><a href="news2.html">2</a></div>'),
    "/alike.html": page(
        entries() + '<div class="page"><a href="alike.html">1</a><a href="news2.html">2</a><a href="b/x.html">3</a></div>'
    ),
    "/cut.html": page(entries(form='<li><a href="/a/{n}.html">{title:.6}…</a><span>2024-03-{day}</span></li>')),
    "/news2.html": page(
        '<ul class="list"><li><a href="/a/8.html">另外的一篇新闻</a><span>2024-03-01</span></li></ul>'
        '<div class="page"><a href="news.html">1</a><b>2</b><a href="news3.html">3</a></div>'
    ),
    "/based.html": page(
        entries(form='<li><a href="{n}.html">{title}</a><span>2024-03-{day}</span></li>'),
        head='<base href="http://pages.test/a/">',
    ),
    "/marked.html": page(
        entries()
        .replace('<li><a href="/a/2', '<li class="line"><a class="red" href="/a/2')
        .replace('<li><a href="/a/4', '<li class="top"><b>置顶</b><a href="/a/4')
    ),
    "/broken.html": page(entries(form='<li><a href="/a/{n}.html">{title}</a><span>2024-03-{day}</span></li>').replace(
        "/a/0.html", "/gone/0.html")),
    "/api/list": json.dumps({"code": 0, "data": {"list": ITEMS}}),
    "/api/ids": json.dumps([{"id": one["id"], "title": one["title"]} for one in ITEMS]),
    "/api/blocks": json.dumps({"data": {
        "blocks": [{"name": "国内", "items": ITEMS[:4]}, {"name": "国际", "items": ITEMS[4:]}],
        "has_more": True, "next_cursor": "p2",
    }}),
    **{f"/a/{n}.html": article(n) for n in range(6)},
    "/a/8.html": article(0),
    "/files.html": page(entries(form='<li><a href="/f/{n}.csv">{title}</a><span>2024-03-{day}</span></li>')),
    "/attached.html": page(entries(form='<li><a href="/t/{n}.html">{title}</a><span>2024-03-{day}</span></li>')),
    **{f"/f/{n}.csv": "企业,玉米价格(元/吨)\n长春大成,2240\n潍坊英轩,2250\n" for n in range(6)},
    **{f"/t/{n}.html": article(n).replace("</div>", f"<a href='/f/{n}.csv'>价格表</a></div>") for n in range(6)},
}  # fmt: skip
STATUS = {"/403.html": 403, "/503.html": 503}


class PagesSite:
    """The pages above."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path in STATUS or path not in PAGES:
            return Response(STATUS.get(path, 404), {}, b"")
        kind = "application/json" if path.startswith("/api") else "text/html; charset=utf-8"
        return Response(200, {"Content-Type": kind}, PAGES[path].encode())


@pytest.fixture(scope="module")
def web() -> Iterator[DemoServer]:
    yield from serving("pages.test", PagesSite())


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/404.html", "cannot fetch URL: HTTP 404; check the address"),
        ("/403.html", "cannot fetch URL: HTTP 403; the site wants a login or refuses crawlers"),
        ("/503.html", "cannot fetch URL: HTTP 503; run again when the site responds"),
        ("/article.html", "URL is a single article; give the URL of a page that lists articles, perhaps http://pages.test/news/"),
        ("/twoframes.html", "several frames of URL have a list; give the URL of one: http://pages.test/news.html, http://pages.test/two.html"),
        ("/app.html", "URL needs JavaScript; "),
        ("/ajax.html", "URL has no list of its own: perhaps a script loads it; try `scrapy newsite 'http://pages.test/api/list?page=1'`"),
    ],
)  # fmt: skip
def test_what_is_no_list_is_told_in_one_line(
    web: DemoServer, tmp_path: Path, path: str, message: str
) -> None:
    url = f"http://pages.test{path}"
    done = run(web, tmp_path, "newsite", url, "-s", "FOCUSCRAWL_RETRY_PAUSE=0", code=2)
    assert done.stderr.startswith(f"error: {message.replace('URL', url, 1)}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "said", "written"),
    [
        ("/two.html", ["expected: 2 entries on this page only", "uncertain: the list has only 2 entries"], ""),
        (
            "/frames.html",
            ["http://pages.test/frames.html shows the list in a frame, which is the start URL: http://pages.test/news.html"],
            "http://pages.test/news.html\n",
        ),
        ("/scroll.html", [
            "expected: an unknown number of list pages of 6 entries",
            "uncertain: a script adds further entries (加载更多), which the profile does not read; try `scrapy newsite 'http://pages.test/api/list?page=2'`; or let a browser press it (render, click)",
        ], ""),
        (
            "/pair.html", ["uncertain: another group of 6 links is nearly as likely to be the main list"],
            "# entry: {css: ul.other li}  # the other list",
        ),
        ("/cut.html", ["expected: 6 entries on this page only"], "title: {css: h1}"),
        ("/based.html", ["expected: 6 entries on this page only"], ""),
        ("/marked.html", ["expected: 6 entries on this page only"], "\n# reader: prices  # the prices in the articles are read, too\n"),
    ],
)  # fmt: skip
def test_a_profile_that_works_is_written_with_what_is_unsure(
    web: DemoServer, tmp_path: Path, path: str, said: list[str], written: str
) -> None:
    done = run(web, tmp_path, "newsite", f"http://pages.test{path}", "--name", "mine")
    lines = done.stdout.splitlines()
    for line in said:
        assert line in lines, done.stdout
    assert written in (tmp_path / "sites" / "mine.yaml").read_text("utf-8")
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert isinstance(profile.list, ListRules)
    assert profile.list.entry.css in ("ul.list > li", "ul.list li")
    assert profile.article.body is not None
    assert profile.article.body.css == "div.text"


def test_numbers_lead_from_page_to_page_and_the_last_sample_goes_on(
    web: DemoServer, tmp_path: Path
) -> None:
    done = run(web, tmp_path, "newsite", "http://pages.test/news.html", "--name", "mine")
    said = done.stdout.splitlines()
    assert "next list page: http://pages.test/news2.html" in said
    assert "expected: 9 list pages of 6 entries, about 54 in all" in said
    assert "list.next" not in done.stdout
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert profile.article.next is not None
    assert profile.article.next.xpath == '//a[normalize-space()="下一页"]/@href'
    assert [rule.css for rule in profile.article.remove] == ["p.editor"]
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml", "http://pages.test/news2.html", code=3)
    assert "next list page: http://pages.test/news3.html" in tried.stdout


def test_further_pages_without_a_rule_are_a_problem(web: DemoServer, tmp_path: Path) -> None:
    done = run(web, tmp_path, "newsite", "http://pages.test/alike.html", "--name", "mine")
    assert "expected: an unknown number of list pages of 6 entries\n" in done.stdout
    assert (
        "uncertain: the page shows further pages (3), but no link that list.next could follow; give "
        "their URLs as further start_urls, newsite the URL of the data that the page requests, or let a browser press it (render, click)\n"
    ) in done.stdout
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml", code=3)
    assert "problem: list.next is missing, but the page links to news2.html" in tried.stdout


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/", "http://[::1/", "http://a:b/"])
def test_what_is_no_url(web: DemoServer, tmp_path: Path, url: str) -> None:
    done = run(web, tmp_path, "newsite", url, code=2)
    assert done.stderr == f"error: {url} is not an http or https URL\n"


def test_an_article_that_cannot_be_fetched_is_replaced(web: DemoServer, tmp_path: Path) -> None:
    done = run(web, tmp_path, "newsite", "http://pages.test/broken.html", "--json")
    found = json.loads(done.stdout)
    assert (found["articles"], found["reader"]) == (3, "none")
    assert "http://pages.test/gone/0.html failed: HTTP 404" in found["doubts"]


def test_a_list_of_files_is_read_as_a_crawl_reads_it(web: DemoServer, tmp_path: Path) -> None:
    done = run(web, tmp_path, "newsite", "http://pages.test/files.html", "--name", "mine")
    assert "is a file" not in done.stdout
    assert "no article could be read" not in done.stdout
    assert "长春大成" in done.stdout
    assert load_profile(str(tmp_path / "sites" / "mine.yaml")).reader == "prices"


def test_files_that_articles_link_to_are_pointed_out(web: DemoServer, tmp_path: Path) -> None:
    done = run(web, tmp_path, "newsite", "http://pages.test/attached.html", "--name", "mine")
    sentence = "sample articles link to files; article.attachments: read adds their text"
    assert sentence in done.stdout
    assert sentence in (tmp_path / "sites" / "mine.yaml").read_text("utf-8")


def test_a_list_of_json_gets_a_profile(web: DemoServer, tmp_path: Path) -> None:
    url = "http://pages.test/api/list?page=1"
    done = run(web, tmp_path, "newsite", url, "--name", "mine")
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert isinstance(profile.list, JsonListRules)
    rules = profile.list.rules
    paths = (rules.entries, rules.link, rules.title, rules.date)
    assert paths == ("data.list", "url", "title", "ctime")
    assert rules.next == "http://pages.test/api/list?page={page}"
    assert profile.article.body is not None
    # The server ignores the number.
    assert "uncertain: the second list page has the same entries as the first" in done.stdout
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml", code=3)
    assert "6 entries of http://pages.test/api/list?page=1" in tried.stdout
    assert "2024-03-20" in tried.stdout


def test_identifiers_become_links(web: DemoServer, tmp_path: Path) -> None:
    arguments = ("--link", "http://pages.test/a/{id}.html", "--json", "--name", "mine")
    done = run(web, tmp_path, "newsite", "http://pages.test/api/ids", *arguments)
    found = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert found["list"]["json"]["link"] == "http://pages.test/a/{id}.html"
    assert (found["entries"], found["pages"], found["articles"]) == (6, 1, 1)
    assert found["profile"] == "sites/mine.yaml"
    assert "http://pages.test/a/12.html failed: HTTP 404" in found["doubts"]


@pytest.mark.parametrize(
    ("path", "link", "message"),
    [
        ("/api/ids", "/a/1", "--link /a/1: put a key of the entries in braces, such as {id}\n"),
        ("/api/ids", "/a/{id", "--link /a/{id: a brace of /a/{id has no counterpart; write {id} for the value of id\n"),
        ("/api/ids", "/a/{}", "--link /a/{}: '' is not a JMESPath expression"),
        ("/api/ids", "/a/{uid}", "--link /a/{uid}: the entries have no uid; they have id, title\n"),
        ("/news.html", "/a/{id}", "--link is for lists of JSON, and http://pages.test/news.html is a page; leave it out\n"),
    ],
)  # fmt: skip
def test_a_link_that_cannot_be_filled_is_one_line(
    web: DemoServer, tmp_path: Path, path: str, link: str, message: str
) -> None:
    url = f"http://pages.test{path}"
    done = run(web, tmp_path, "newsite", url, "--link", link, code=2)
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


def test_blocks_and_cursors_of_json_get_rules(web: DemoServer, tmp_path: Path) -> None:
    url = "http://pages.test/api/blocks"
    done = run(web, tmp_path, "newsite", url, "--name", "mine", "--json")
    found = json.loads(done.stdout)
    assert found["list"]["json"]["entries"] == "data.blocks[].items[]"
    assert found["list"]["json"]["next"] == f"{url}?cursor={{data.has_more && data.next_cursor}}"
    assert (found["entries"], found["next"]) == (6, f"{url}?cursor=p2")
    # The server ignores the cursor.
    assert (
        f"the second list page has the same entries as the first: {url}?cursor=p2"
        in found["doubts"]
    )
