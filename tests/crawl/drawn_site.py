"""A site whose pages are empty until their scripts have run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from urllib.parse import parse_qs

from focuscrawl.demo import Response
from tests.conftest import missing

TITLES = [
    "山东玉米价格稳中有涨", "东北玉米收购进度过半", "深加工企业继续压价", "港口库存降至新低",
    "南方销区采购转淡", "临储拍卖成交率回升",
]  # fmt: skip
TEXT = "".join(f"<p>今日各地价格第{n}段,企业收购价格有涨有跌,成交以质论价。</p>" for n in range(12))
ROWS = [{"id": n + 7, "title": t, "day": f"2024-03-{20 - n}"} for n, t in enumerate(TITLES)]
_SHOW = """
const app = document.getElementById('app');
const row = x => `<li><a href="/a/${x.id}.html">${x.title}</a><span>${x.day}</span></li>`;
const show = rows => { app.innerHTML = '<ul class="news">' + rows.map(row).join('') + '</ul>' };
const load = page => fetch('/api/list?page=' + page).then(r => r.json());
"""
_ARTICLE = """
fetch('/api/article?id=' + location.pathname.match(/\\d+/)[0]).then(r => r.json()).then(d => {
    app.innerHTML = `<h1>${d.title}</h1><div class="text">${d.text}</div>`;
});
"""
_BUTTON = "document.body.insertAdjacentHTML('beforeend', '<button class=more>更多</button>');"
_PAGER = """
    let n = 1; const other = d => show(d.rows.map(x => ({{...x, id: x.id + {ids}}})));
    load(1).then(other);
    document.querySelector('.more').onclick = e => load(++n).then(d => {{
        other(d); e.target.disabled = n == {last};
    }});"""
SCRIPTS = {
    "/list": "load(1).then(d => show(d.rows));",
    # The button goes with the last page.
    "/more": _BUTTON + """
        let n = 1; load(1).then(d => show(d.rows));
        document.querySelector('.more').onclick = e => load(++n).then(d => {
            document.querySelector('ul').innerHTML += d.rows.map(row).join('');
            if (n == 3) e.target.remove();
        });""",
    # The button stays, and is disabled on the last page; or it does not go away.
    "/pager": _BUTTON + _PAGER.format(ids=100, last=3),
    "/endless": _BUTTON + _PAGER.format(ids=200, last=99),
    "/inside": f"setTimeout(() => show({json.dumps(ROWS)}), 100);",
    "/static": "",
    "/empty": "",
}  # fmt: skip
PROFILE = {
    "name": "drawn",
    "start_urls": ["http://app.test/list"],
    "render": "both",
    "wait_for": {"css": "ul.news li, div.text"},
    "list": {"entry": {"css": "ul.news li"}, "link": "./a/@href", "title": "./a", "date": "./span"},
    "article": {"body": {"css": "div.text"}},
}


def shell(script: str, body: str = "") -> bytes:
    head = '<!doctype html><html><head><meta charset="gb2312"><title>行情</title></head><body>'
    page = f'{head}<div id="app">{body}</div><script>{_SHOW}{script}</script></body></html>'
    return page.encode("gb18030")


def rows_of(rows: list[dict[str, object]], link: str = "/a/{id}.html") -> str:
    entries = "".join(
        f'<li><a href="{link.format_map(one)}">{one["title"]}</a><span>{one["day"]}</span></li>'
        for one in rows
    )
    return f'<ul class="news">{entries}</ul>'


class ScriptSite:
    """Lists and articles that scripts load as JSON, two entries a page; ``scripts`` has more pages."""

    def __init__(self, scripts: Mapping[str, str] | None = None, per_page: int = 2) -> None:
        self.scripts = SCRIPTS | dict(scripts or {})
        self.per_page = per_page
        self.robots = ""
        self.redirects: dict[str, str] = {}
        self.cookies: dict[str, str] = {}

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        self.cookies[path] = {k.lower(): one for k, one in headers.items()}.get("cookie", "")
        if path in self.redirects:
            return Response(302, {"Location": self.redirects[path]}, b"")
        if path == "/file.bin":
            return Response(200, {"Content-Type": "application/octet-stream"}, b"MZ" * 99)
        if path == "/robots.txt":
            return Response(200, {"Content-Type": "text/plain"}, self.robots.encode())
        if path == "/api/list":
            first = self.per_page * (int(parse_qs(query)["page"][0]) - 1)
            return self._json({"total": 6, "rows": ROWS[first : first + self.per_page]})
        if path == "/api/article":
            title = TITLES[int(query.partition("=")[2]) - 7]
            return self._json({"title": title, "text": TEXT.replace("今日", title)})
        if path in self.scripts or path.startswith("/a/"):
            body = rows_of(ROWS) if path == "/static" else ""
            page = shell(self.scripts.get(path, _ARTICLE), body)
            validators = {"ETag": '"shell"', "Content-Type": "text/html"}
            return Response(200, validators, page)
        return Response(404, {}, b"")

    @staticmethod
    def _json(value: object) -> Response:
        return Response(200, {"Content-Type": "application/json"}, json.dumps(value).encode())


def need_chromium() -> None:
    """Skip a test, or fail in CI, where Chromium is not installed."""
    if shutil.which("chromium") is None:
        missing("Chromium is not installed; run tools/provide")
