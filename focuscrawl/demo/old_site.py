"""An old ASP.NET site: a form with a state turns the pages of its list, which is for members."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import blake2b
from urllib.parse import parse_qs, quote

from focuscrawl.demo.site_protocol import Response, Site, not_found, plain

HOST = "old.demo.test"
USER, PASSWORD = "member", "maize"
LIST, OPEN_LIST, LOGIN, ARTICLE = "/list.aspx", "/open.aspx", "/login.aspx", "/show.aspx"
_SIZE = 10
_SIGN_OF_SESSION = "退出"
_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title></head>
<body><div class="top">玉米信息网 {session}</div>
{body}
<div class="foot">版权所有</div></body></html>
"""
_FORM = """<form method="post" action="{path}" id="form1">
<input type="hidden" name="__EVENTTARGET" value=""><input type="hidden" name="__EVENTARGUMENT" value="">
<input type="hidden" name="__VIEWSTATE" value="{number}">
<input type="hidden" name="__EVENTVALIDATION" value="{seal}">
<ul class="news">{entries}</ul>
<div id="Pager">第{number}页/共{pages}页 {links}</div></form>"""
_LOGIN = f"""<form method="post" action="{LOGIN}"><input type="hidden" name="token" value="7">
用户名 <input name="user"> 密码 <input type="password" name="password">
<input type="submit" name="enter" value="登录"></form>"""


class OldSite(Site):
    """A site of ``count`` bulletins, one a day; the newest is of ``today``.

    ``/list.aspx`` and its articles are for members (``member``, ``maize``), ``/open.aspx`` is for all.
    A session ends after ``lasting`` requests, 0 for never.
    """

    def __init__(self, today: date, count: int = 23, lasting: int = 0) -> None:
        self.today, self.count, self.lasting = today, count, lasting
        self.sessions: dict[str, int] = {}
        self.logins = 0

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        self.count += (today - self.today).days
        self.today = today

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET."""
        if path == LOGIN:
            return self.login_form()
        return self._answer(path, query, headers, {})

    def submit(self, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Respond to a POST of a form."""
        fields = {name: values[-1] for name, values in parse_qs(body.decode()).items()}
        return self._enter(fields) if path == LOGIN else self._answer(path, query, headers, fields)

    def login_form(self) -> Response:
        """Return the page with the login form."""
        return _page("登录", _LOGIN, "")

    def _enter(self, fields: Mapping[str, str]) -> Response:
        self.logins += 1
        if fields != {"user": USER, "password": PASSWORD, "token": "7", "enter": "登录"}:
            return self.login_form()
        session = _seal(f"session {self.logins}")
        self.sessions[session] = 0
        return Response(302, {"Location": LIST, "Set-Cookie": f"sid={session}; path=/; HttpOnly"})

    def _answer(
        self, path: str, query: str, headers: Mapping[str, str], fields: Mapping[str, str]
    ) -> Response:
        is_open = path == OPEN_LIST or query.startswith("open")
        if path not in (LIST, OPEN_LIST, ARTICLE):
            return not_found()
        if not is_open and not self._is_member(headers.get("cookie", "").removeprefix("sid=")):
            return Response(302, {"Location": f"{LOGIN}?ReturnUrl={quote(path)}"})
        session = "" if is_open else _SIGN_OF_SESSION
        if path == ARTICLE:
            return self._article(parse_qs(query).get("id", [""])[0], session)
        number = 1
        if fields:
            # Only the state tells on which page the form was sent.
            state, argument = fields.get("__VIEWSTATE", ""), fields.get("__EVENTARGUMENT", "")
            if fields.get("__EVENTVALIDATION") != _seal(state):
                return plain(500, "Invalid postback or callback argument")
            number = int(state) + 1 if argument == "Next" else int(argument)
        return self._list_page(path, number, session)

    def _is_member(self, session: str) -> bool:
        if session not in self.sessions:
            return False
        self.sessions[session] += 1
        return not self.lasting or self.sessions[session] <= self.lasting

    def _list_page(self, path: str, number: int, session: str) -> Response:
        newest, pages = self.count - _SIZE * (number - 1), -(-self.count // _SIZE)
        address = f"{ARTICLE}?{'' if session else 'open=1&amp;'}id="
        entries = "".join(
            f'<li><a href="{address}{n}">{_title(n)}</a> <span>{self._day(n)}</span></li>'
            for n in range(newest, max(0, newest - _SIZE), -1)
        )
        numbers = (n if n == number else _link(str(n), str(n)) for n in range(1, pages + 1))
        onwards = _link("Next", "下一页") if number < pages else "<a disabled>下一页</a>"
        form = _FORM.format(
            path=path, number=number, seal=_seal(str(number)), entries=entries, pages=pages,
            links=" ".join(map(str, [*numbers, onwards])),
        )  # fmt: skip
        return _page("行情", form, session)

    def _article(self, number: str, session: str) -> Response:
        if not number.isdecimal() or not 0 < int(number) <= self.count:
            return not_found()
        title, day = _title(int(number)), self._day(int(number))
        text = "".join(f"<p>{title}第{n}段:各地购销平稳,{day}以质论价。</p>" for n in range(1, 6))
        info = f'<h1>{title}</h1><div class="info">发布时间:{day}</div>'
        return _page(title, f'{info}<div class="text">{text}</div>', session)

    def _day(self, number: int) -> date:
        return self.today - timedelta(days=self.count - number)


def _title(number: int) -> str:
    return f"玉米市场日报第{number}期"


def _page(title: str, body: str, session: str) -> Response:
    page = _PAGE.format(title=title, body=body, session=session)
    return Response(200, {"Content-Type": "text/html; charset=utf-8"}, page.encode())


def _link(argument: str, text: str) -> str:
    return f"<a href=\"javascript:__doPostBack('Pager','{argument}')\">{text}</a>"


def _seal(text: str) -> str:
    return blake2b(text.encode(), digest_size=8, key=b"old").hexdigest()
