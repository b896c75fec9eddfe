"""An old ASP.NET site: its list is paged by a form with a state, and for members only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import blake2b
from urllib.parse import parse_qs, quote

from focuscrawl.demo.site_protocol import ArticleTruth, Response, not_found, plain

HOST = "old.demo.test"
USER, PASSWORD = "member", "maize"
LIST, OPEN_LIST, LOGIN = "/list.aspx", "/open.aspx", "/login.aspx"
_SIZE = 10
_HTML = {"Content-Type": "text/html; charset=utf-8"}
_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title></head>
<body><div class="top">玉米信息网 {session}</div>
{body}
<div class="foot">版权所有</div></body></html>
"""
_FORM = """<form method="post" action="{path}" id="form1">
<input type="hidden" name="__EVENTTARGET" value=""><input type="hidden" name="__EVENTARGUMENT" value="">
<input type="hidden" name="__VIEWSTATE" value="{state}">
<input type="hidden" name="__EVENTVALIDATION" value="{seal}">
<ul class="news">{entries}</ul>
<div id="Pager">第{number}页/共{pages}页 {links}</div></form>"""
_LOGIN = """<form method="post" action="{path}"><input type="hidden" name="token" value="7">
用户名 <input name="user"> 密码 <input type="password" name="password"> <input type="submit" name="enter" value="登录">
{trouble}</form>"""


class OldSite:
    """A site of ``count`` bulletins, one a day; the newest is of ``today``.

    ``/list.aspx`` and its articles are for members (``member``, ``maize``), ``/open.aspx`` is for all.
    A session ends after ``lasting`` requests, 0 for never.
    """

    def __init__(self, today: date, count: int = 23, lasting: int = 0) -> None:
        self.today = today
        self.count = count
        self.lasting = lasting
        self.sessions: dict[str, int] = {}
        self.logins = 0

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        self.count += (today - self.today).days
        self.today = today

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing: the articles have no prices."""
        return {}

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET."""
        if path == "/robots.txt":
            return plain(200, "User-agent: *\nDisallow:")
        if path == LOGIN:
            return self.login_form()
        if path == OPEN_LIST:
            return self.list_page(path, 1, "")
        if path == "/show.aspx" and "open" in query:
            return self._article(query, "")
        if not self._is_member(headers):
            return Response(302, {"Location": f"{LOGIN}?ReturnUrl={quote(path)}"})
        if path == LIST:
            return self.list_page(path, 1, "退出")
        return self._article(query) if path == "/show.aspx" else not_found()

    def submit(self, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Respond to a POST of a form."""
        fields = {name: values[-1] for name, values in parse_qs(body.decode()).items()}
        if path == LOGIN:
            return self.enter(fields)
        if path == OPEN_LIST:
            return self.turn(path, fields, "")
        if not self._is_member(headers):
            return Response(302, {"Location": f"{LOGIN}?ReturnUrl={quote(path)}"})
        return self.turn(path, fields, "退出")

    def login_form(self, trouble: str = "") -> Response:
        """Return the page with the login form."""
        return _page("登录", _LOGIN.format(path=LOGIN, trouble=trouble), "")

    def enter(self, fields: Mapping[str, str]) -> Response:
        """Open a session, or show the form again."""
        self.logins += 1
        given = (
            fields.get("user"),
            fields.get("password"),
            fields.get("token"),
            fields.get("enter"),
        )
        if given != (USER, PASSWORD, "7", "登录"):
            return self.login_form("用户名或密码错误")
        session = blake2b(f"session {self.logins}".encode(), digest_size=8).hexdigest()
        self.sessions[session] = 0
        return Response(302, {"Location": LIST, "Set-Cookie": f"sid={session}; path=/; HttpOnly"})

    def turn(self, path: str, fields: Mapping[str, str], session: str) -> Response:
        """Return the page that a form asks for; only its state tells on which one it was sent."""
        state = fields.get("__VIEWSTATE", "")
        if (
            fields.get("__EVENTVALIDATION") != _seal(state)
            or fields.get("__EVENTTARGET") != "Pager"
        ):
            return plain(500, "Invalid postback or callback argument")
        argument = fields.get("__EVENTARGUMENT", "")
        here = int(state.removeprefix("page:"))
        number = here + 1 if argument == "Next" else int(argument)
        return self.list_page(path, min(number, self.pages), session)

    @property
    def pages(self) -> int:
        """The number of list pages."""
        return -(-self.count // _SIZE)

    def list_page(self, path: str, number: int, session: str) -> Response:
        """Return a list page."""
        kind = "" if session else "open=1&amp;"
        newest = self.count - _SIZE * (number - 1)
        entries = "".join(
            f'<li><a href="/show.aspx?{kind}id={n}">{self._title(n)}</a> <span>{self._day(n)}</span></li>'
            for n in range(newest, max(0, newest - _SIZE), -1)
        )
        links = "".join(
            f"<span>{n}</span> " if n == number else f"{_link(str(n), str(n))} "
            for n in range(1, self.pages + 1)
        )
        links += (
            _link("Next", "下一页") if number < self.pages else '<a disabled="disabled">下一页</a>'
        )
        state = f"page:{number}"
        form = _FORM.format(
            path=path, state=state, seal=_seal(state), entries=entries, number=number,
            pages=self.pages, links=links,
        )  # fmt: skip
        return _page("行情", form, session)

    def _article(self, query: str, session: str = "退出") -> Response:
        given = parse_qs(query).get("id", [""])[0]
        if not given.isdecimal() or not 0 < int(given) <= self.count:
            return not_found()
        title = self._title(int(given))
        text = "".join(
            f"<p>{title}:第{n}段,各地玉米购销平稳,{self._day(int(given))}成交以质论价。</p>"
            for n in range(1, 6)
        )
        day = self._day(int(given))
        body = (
            f'<h1>{title}</h1><div class="info">发布时间:{day}</div><div class="text">{text}</div>'
        )
        return _page(title, body, session)

    def _is_member(self, headers: Mapping[str, str]) -> bool:
        session = headers.get("cookie", "").removeprefix("sid=")
        if session not in self.sessions:
            return False
        self.sessions[session] += 1
        return not self.lasting or self.sessions[session] <= self.lasting

    def _day(self, number: int) -> date:
        return self.today - timedelta(days=self.count - number)

    def _title(self, number: int) -> str:
        return f"玉米市场日报第{number}期"


def _page(title: str, body: str, session: str) -> Response:
    return Response(
        200, dict(_HTML), _PAGE.format(title=title, body=body, session=session).encode()
    )


def _link(argument: str, text: str) -> str:
    return f"<a href=\"javascript:__doPostBack('Pager','{argument}')\">{text}</a>"


def _seal(state: str) -> str:
    return blake2b(state.encode(), digest_size=6, key=b"old").hexdigest()
