"""HTML shared by all pages of a community."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_BLOG = """<!DOCTYPE html>
<html lang="zh">
<head>
<meta charset="{charset}">
<title>{title}</title>
</head>
<body>
<header><a class="brand" href="/">{site}</a><nav><ul>
{menu}
</ul></nav></header>
<main>
{body}
</main>
<aside>
{side}
</aside>
<footer>
{foot}
</footer>
</body>
</html>
"""

_PORTAL = """<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{title}</title>
</head>
<body>
<div id="top"><a href="/"><img src="/logo.png" alt="{site}"></a></div>
<ul class="menu">
{menu}
</ul>
<table width="960"><tr valign="top"><td class="content">
{body}
</td><td class="sidebar">
{side}
</td></tr></table>
<div class="footer">
{foot}
</div>
</body>
</html>
"""

_FOOT = (
    '<p>© <a href="/">{site}</a> · <a href="/links.html">友情链接</a> · <a href="/about.html">关于本站</a>'
    ' · <a href="/admin/" rel="nofollow">登录</a> · <a href="mailto:editor@{host}">联系站长</a>'
    ' · <a href="javascript:window.scrollTo(0,0)">回到顶部</a></p>\n'
    '<p>Powered by <a href="http://blogware.demo.test/" rel="external nofollow">Blogware</a></p>'
)


@dataclass(frozen=True, slots=True)
class Frame:
    """Header, menu, side bar and footer of one site."""

    site: str
    host: str
    charset: str
    menu: Sequence[str]
    is_portal: bool

    def around(self, title: str, body: str, side: str) -> str:
        """Return a whole page; ``body`` and ``side`` are HTML."""
        shell = _PORTAL if self.is_portal else _BLOG
        site = escape(self.site)
        return shell.format(
            charset=self.charset,
            title=escape(f"{title} - {self.site}" if title else self.site),
            site=site,
            menu="\n".join(f"<li>{entry}</li>" for entry in self.menu),
            body=body,
            side=side,
            foot=_FOOT.format(site=site, host=self.host),
        )


def link(href: str, text: str, rel: str = "") -> str:
    """Return one link."""
    attribute = f' rel="{rel}"' if rel else ""
    return f'<a href="{href}"{attribute}>{escape(text)}</a>'


def box(heading: str, entries: Sequence[str]) -> str:
    """Return a list under a heading."""
    items = "\n".join(f"<li>{entry}</li>" for entry in entries)
    return f"<h3>{escape(heading)}</h3>\n<ul>\n{items}\n</ul>"


def pager(base: str, number: int, pages: int) -> str:
    """Return the links to the other pages of a list; page 1 is at ``base``."""
    if pages == 1:
        return ""
    marks = [
        f"<b>{n}</b>" if n == number else link(_page_path(base, n), str(n))
        for n in range(1, pages + 1)
    ]
    if number < pages:
        marks.append(link(_page_path(base, number + 1), "下一页", "next"))
    return f'<div class="pager">{" ".join(marks)}</div>'


def _page_path(base: str, number: int) -> str:
    return base if number == 1 else f"{base}page/{number}/"
