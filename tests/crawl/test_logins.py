"""Crawls of sites with a login, cookies, and lists that a form turns."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs

import pytest

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.old_site import HOST, LIST, PASSWORD, USER, OldSite
from tests.crawl.conftest import NO_DELAYS, TODAY, Crawler, one_line, wait_until
from tests.servers import warm_scrapy

pytestmark = pytest.mark.usefixtures("no_workbook")

LOGIN = """login:
  url: http://old.demo.test/login.aspx
  fields: {user: $SITE_USER, password: $SITE_PASSWORD}
  check: 退出
"""
PROFILE = """name: old
start_urls: ['http://old.demo.test/list.aspx']
LOGIN
list:
  entry: {css: ul.news li}
  link: {css: 'a::attr(href)'}
  title: {css: a}
  date: {css: span}
  next: {form: //form, button: '//a[.="下一页"]'}
article:
  body: {css: div.text}
"""
SITE = ("-a", "site=old.yaml")
Old = Callable[..., OldSite]


@pytest.fixture
def old(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Old:
    """Serves the old site, or one like it, and writes a profile for it."""

    def make(site: OldSite | None = None, profile: str = PROFILE, login: str = LOGIN) -> OldSite:
        site = site or OldSite(TODAY)
        demo(days=1).sites[HOST] = site
        (crawl.folder / "old.yaml").write_text(profile.replace("LOGIN\n", login), "utf-8")
        crawl.spider = "list"
        crawl.environment |= {"SITE_USER": USER, "SITE_PASSWORD": PASSWORD}
        return site

    return make


def stored(crawl: Crawler) -> list[int]:
    """Return the numbers of the complete articles, with repeats."""
    rows = crawl.rows("select url from articles where is_complete order by url")
    return sorted(int(re.findall(r"id=(\d+)", url)[0]) for (url,) in rows)


def run(crawl: Crawler, *command: str) -> tuple[int, str]:
    """Run another command than ``crawl``; return its exit code and all output."""
    ours = {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    process = warm_scrapy.start(
        [*command, *NO_DELAYS], cwd=crawl.folder, env=os.environ | ours | crawl.environment
    )
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


def test_the_whole_list_behind_a_login_is_read_once_and_shows_no_secret(
    crawl: Crawler, old: Old
) -> None:
    site = old()
    crawl.environment["SITE_PASSWORD"] = PASSWORD
    debug = ("-L", "DEBUG", "-s", "COOKIES_DEBUG=True", "-s", "FOCUSCRAWL_URL_TRACE=trace.txt")
    done = crawl(
        *SITE, *debug, "-s", "FOCUSCRAWL_WARC=all.warc.gz", "-s", "FOCUSCRAWL_FRONTIER=f.sqlite"
    )
    assert (done.code, site.logins, stored(crawl)) == (0, 1, list(range(1, 24))), done.err
    written = [
        path for path in crawl.folder.rglob("*") if path.is_file() and path.name != "old.yaml"
    ]
    unpacked = [gzip.decompress(path.read_bytes()) for path in written if path.suffix == ".gz"]
    (sid,) = site.sessions
    for text in [
        *(path.read_bytes() for path in written),
        *unpacked,
        (done.out + done.err).encode(),
    ]:
        assert not re.search(rf"{PASSWORD}|{sid}|user=", text.decode("latin-1")), text[:200]
    assert "login.aspx" not in unpacked[0].decode("latin-1").replace("ReturnUrl", "")
    assert crawl(*SITE).count("requests") < 10
    # A replay needs neither the site nor the password.
    crawl.environment |= {"SITE_PASSWORD": "", "http_proxy": "http://127.0.0.1:9"}
    replayed = crawl(
        *SITE,
        "-s",
        "FOCUSCRAWL_REPLAY=all.warc.gz",
        "-s",
        "FOCUSCRAWL_STORES=sqlite:///replayed.sqlite",
    )
    assert (replayed.code, replayed.count("new")) == (0, 23), replayed.out
    assert "not in the recording: 0" in replayed.out


@pytest.mark.parametrize(("lasting", "code"), [(14, 0), (4, 3)])
def test_a_session_that_ends_is_renewed_unless_that_does_not_help(
    crawl: Crawler, old: Old, lasting: int, code: int
) -> None:
    site = old(OldSite(TODAY, lasting=lasting))
    done = crawl(*SITE, "-s", "FOCUSCRAWL_WARC=all.warc.gz")
    assert done.code == code, done.out
    if code:
        assert done.out.count("the session of the login has ended on") == 1
        assert site.logins == 2
        site.lasting = 0
        done = crawl(*SITE)
        assert done.code == 0, done.out
    else:
        # The recording has the pages of ended sessions, too.
        crawl.environment |= {"SITE_PASSWORD": "", "http_proxy": "http://127.0.0.1:9"}
        replay = (
            "-s",
            "FOCUSCRAWL_REPLAY=all.warc.gz",
            "-s",
            "FOCUSCRAWL_STORES=sqlite:///replayed.sqlite",
        )
        assert crawl(*SITE, *replay).count("new") == 23
    assert stored(crawl) == list(range(1, 24))


def test_a_crawl_with_login_and_form_that_is_killed_goes_on(crawl: Crawler, old: Old) -> None:
    site = old(OldSite(TODAY, count=60, lasting=40))
    stores = crawl.folder / "data/focuscrawl.sqlite"
    process = crawl.start(
        *SITE, "-s", "FOCUSCRAWL_FRONTIER=f.sqlite", "-s", "CONCURRENT_REQUESTS=2"
    )
    wait_until(process, lambda: stores.exists() and len(site.sessions) > 0 and _count(crawl) >= 15)
    process.kill()
    process.communicate()
    sids = "|".join(site.sessions)
    for path in crawl.folder.glob("f.sqlite*"):
        assert not re.search(rf"{sids}|{PASSWORD}".encode(), path.read_bytes())
    assert _count(crawl) < 60
    done = crawl(*SITE, "-s", "FOCUSCRAWL_FRONTIER=f.sqlite")
    assert (done.code, stored(crawl)) == (0, list(range(1, 61))), done.out


def _count(crawl: Crawler) -> int:
    try:
        return len(stored(crawl))
    except Exception:
        return 0


class Captcha(OldSite):
    """A login form with a picture to type off."""

    def login_form(self) -> Response:
        form = super().login_form()
        picture = '<input name="yzm"><img src="/code.aspx" alt="验证码"></form>'.encode()
        return Response(200, form.headers, form.body.replace(b"</form>", picture))


class Elsewhere(OldSite):
    """A login form that sends the password to another site, or in the URL."""

    action = 'action="http://evil.test/"'

    def login_form(self) -> Response:
        form = super().login_form()
        return Response(
            200, form.headers, form.body.replace(b'action="/login.aspx"', self.action.encode())
        )


class ByGet(Elsewhere):
    action = 'method="get"'

    def login_form(self) -> Response:
        form = super().login_form()
        return Response(200, form.headers, form.body.replace(b'method="post"', b""))


@pytest.mark.parametrize(
    ("site", "changed", "said", "logins"),
    [
        (OldSite(TODAY), {"SITE_PASSWORD": "wrong"}, r"has failed: no page shows login.check \(退出\)", 1),
        (OldSite(TODAY), {"SITE_PASSWORD": ""}, r"export SITE_PASSWORD", 0),
        (OldSite(TODAY), {"check: 退出": "check: 登录"}, r"before the login", 0),
        (OldSite(TODAY), {"user:": "name:"}, r"no field name; it has password, token, user|has enter", 0),
        (OldSite(TODAY), {"login.aspx": "open.aspx"}, "selects no form", 0),
        (OldSite(TODAY), {"$SITE_PASSWORD": "hunter2"}, r"write \$NAME", 0),
        (OldSite(TODAY), {"fields:": "password: hunter2\n  fields:"}, "login.password", 0),
        (Captcha(TODAY), {}, "captcha", 0),
        (Elsewhere(TODAY), {}, "would send the password to http://evil.test/", 0),
        (ByGet(TODAY), {}, "password in a URL", 0),
    ],
)  # fmt: skip
def test_a_login_that_cannot_work_is_one_sentence_and_one_try(
    crawl: Crawler, old: Old, site: OldSite, changed: dict[str, str], said: str, logins: int
) -> None:
    login = LOGIN
    for name, value in changed.items():
        login = login if name.startswith("SITE") else login.replace(name, value)
    old(site, login=login)
    crawl.environment |= {name: value for name, value in changed.items() if name.startswith("SITE")}
    done = crawl(*SITE, "-L", "DEBUG")
    assert (done.code, site.logins) == (2, logins), done.out + done.err
    assert re.search(said, one_line(done.err)), done.err
    assert not re.search("hunter2|wrong", done.out + done.err)


class Numbered:
    """A list by a field of a form, with POST or GET; ``stuck`` gives the first page for ever."""

    def __init__(self, method: str = "post", *, stuck: bool = False) -> None:
        self.method, self.stuck = method, stuck

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        return (
            self.submit(path, query, headers, query.encode()) if path == "/" else self._other(path)
        )

    def submit(self, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Response:
        fields = parse_qs(body.decode("ascii"), encoding="gbk")
        if fields and fields["kind"] != ["玉米"]:
            return Response(500)
        number = 1 if self.stuck else int(fields.get("pageNo", ["1"])[0])
        items = "".join(
            f"<li><a href='/a{n}'>玉米市场消息第{n}期</a><span>2026-03-{29 - n:02}</span></li>"
            for n in range(10 * number - 9, min(10 * number, 25) + 1)
        )
        page = (
            f"<html><form method={self.method} action='/'><input type=hidden name=kind value=玉米>"
            f"<input type=hidden name=pageNo value={number}></form><ul>{items}</ul>"
            + (f"<a href='javascript:go({number + 1})'>下一页</a></html>" if number < 3 else "")
        )
        return Response(200, {"Content-Type": "text/html; charset=gb2312"}, page.encode("gbk"))

    def _other(self, path: str) -> Response:
        if path == "/robots.txt":
            return Response(404)
        text = f"<html><h1>玉米市场消息第{path[2:]}期</h1><div class=text>{path}正文,今日成交平稳。</div></html>"
        return Response(200, {"Content-Type": "text/html; charset=utf-8"}, text.encode())


FIELDS = """name: old
start_urls: ['http://old.demo.test/']
list:
  entry: //li
  link: ./a/@href
  title: ./a
  next: {form: //form, fields: FIELDS}
article: {body: {css: div.text}}
"""


@pytest.mark.parametrize("method", ["post", "get"])
@pytest.mark.parametrize(
    "fields", ["{pageNo: '{page}'}", r"{pageNo: {xpath: '//a[.=\"下一页\"]/@href', re: '(\d+)'}}"]
)
def test_the_number_of_the_page_is_counted_or_read(
    crawl: Crawler, old: Old, method: str, fields: str
) -> None:
    old(Numbered(method), FIELDS.replace("FIELDS", fields.replace('\\"', '"')))  # type: ignore[arg-type]
    done = crawl(*SITE)
    assert (done.count("new"), done.code) == (25, 0), done.out
    first = crawl(*SITE, "-a", "max_pages=1")
    assert (first.count("new"), first.code) == (0, 0), first.out


def test_a_form_that_gives_the_first_page_for_ever_is_told(crawl: Crawler, old: Old) -> None:
    old(Numbered(stuck=True), FIELDS.replace("FIELDS", "{pageNo: '{page}'}"))  # type: ignore[arg-type]
    done = crawl(*SITE)
    assert done.code == 3
    assert "gives the first page again" in done.out
    assert done.count("requests") < 20


def test_newsite_drafts_forms_and_trysite_follows_them(crawl: Crawler, old: Old) -> None:
    site = old()
    code, out = run(crawl, "trysite", "old.yaml")
    assert (code, site.logins) == (0, 1), out
    assert "login: http://old.demo.test/login.aspx, done" in out
    assert "__EVENTARGUMENT=Next" in out
    assert PASSWORD not in out
    code, out = run(crawl, "newsite", f"http://{HOST}/open.aspx", "--json")
    drafted = json.loads(out)["list"]["next"]
    assert drafted == {
        "form": {"xpath": "//form"},
        "button": {"xpath": '//a[normalize-space()="下一页"]'},
    }
    assert not list(crawl.folder.glob("data/*.sqlite"))
    code, out = run(crawl, "newsite", f"http://{HOST}{LIST}", "--force")
    assert code != 0
    assert "asks for a login" in out
    assert "login:" in out


class Wall(Numbered):
    """A site that redirects to itself until its cookie comes back."""

    def submit(self, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Response:
        if "seen=1" not in headers.get("cookie", ""):
            return Response(302, {"Location": "/", "Set-Cookie": "seen=1"})
        return super().submit(path, query, headers, body)


def test_a_cookie_wall_is_named_and_newsite_drafts_cookies(crawl: Crawler, old: Old) -> None:
    old(Wall(), FIELDS.replace("FIELDS", "{pageNo: '{page}'}"))  # type: ignore[arg-type]
    done = crawl(*SITE)
    assert done.code == 2
    assert "cookies: true" in done.out
    _, out = run(crawl, "newsite", f"http://{HOST}/")
    text = (crawl.folder / "sites/old-demo.yaml").read_text("utf-8")
    assert "\ncookies: true" in text, out
    assert "fields: {pageNo: " in text
    done = crawl("-a", "site=sites/old-demo.yaml")
    assert (done.code, done.count("new")) == (0, 25), done.out + text


def test_cookies_go_to_no_other_host_and_not_to_robots_txt(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    seen: dict[str, bool] = {}

    class Spy(Wall):
        def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
            host = headers["host"]
            seen[host + path] = "cookie" in headers
            response = super().respond(path, query, headers)
            body = response.body.replace(b"href='/a1'", b"href='http://away.test/a1'")
            return Response(response.status, response.headers, body)

    web = demo(days=1)
    web.sites["old.demo.test"] = web.sites["away.test"] = Spy()  # type: ignore[assignment]
    text = FIELDS.replace("FIELDS", "{pageNo: '{page}'}").replace(
        "list:", "cookies: true\nlist:", 1
    )
    (crawl.folder / "old.yaml").write_text(text, "utf-8")
    crawl.spider = "list"
    assert crawl(*SITE).count("new") == 25
    assert (seen["old.demo.test/a24"], seen["old.demo.test/robots.txt"]) == (True, False)
    assert seen["away.test/a1"] is False
