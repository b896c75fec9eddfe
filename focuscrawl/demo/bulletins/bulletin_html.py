"""HTML around lists and articles of the bulletin site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_SHELL = """<!DOCTYPE html>
<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{title}</title>
<style>body{{font-family:sans-serif;max-width:46em;margin:1em auto}}.date{{color:#777}}</style>
</head>
<body>
<div class="nav"><a href="/">{words.home}</a> <a href="/list/">{words.prices}</a></div>
{body}
<div class="footer"><a href="/private/">{words.staff}</a></div>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the frame, in one script."""

    home: str
    prices: str
    staff: str
    published: str
    updated: str


SIMPLIFIED = Words("首页", "收购行情", "编辑入口", "发布时间", "更新时间")
TRADITIONAL = Words("首頁", "收購行情", "編輯入口", "發布時間", "更新時間")


def page(title: str, body: str, charset: str = "gb2312", words: Words = SIMPLIFIED) -> str:
    """Return a complete page that declares ``charset``."""
    return _SHELL.format(charset=charset, title=escape(title), body=body, words=words)


def link_item(href: str, date_words: str, title: str, stamp: str) -> str:
    """Return one entry of a list page; the title attribute of the link has the last update."""
    hint = escape(f"标题：{title}\n更新时间：{stamp}").replace("\n", "&#10;")
    return (
        f'<li><span class="date">[{date_words}]</span> '
        f'<a href="{href}" title="{hint}" target="_blank">{escape(title)}</a></li>'
    )


def list_path(number: int) -> str:
    """Return the path of list page ``number`` (from 1)."""
    return "/list/" if number == 1 else f"/list/index_{number}.html"


def list_body(items: Sequence[str], number: int, pages: int, total: int) -> str:
    """Return the body of list page ``number`` (from 1) of ``pages``."""
    marks = [f"共{total}条 第{number}/{pages}页"]
    if number > 1:
        marks += [_link(list_path(1), "首页"), _link(list_path(number - 1), "上一页")]
    if number < pages:
        marks += [_link(list_path(number + 1), "下一页"), _link(list_path(pages), "尾页")]
    entries = "\n".join(items)
    return (
        f'<h1>收购行情</h1>\n<ul class="newslist">\n{entries}\n</ul>\n'
        f'<div class="pager">{" ".join(marks)}</div>'
    )


def article_body(heading: str, info: str, blocks: Sequence[str], pager: str) -> str:
    """Return the body of one page of an article."""
    content = "\n".join(blocks)
    return (
        f'<div class="article">\n<h1>{escape(heading)}</h1>\n<div class="info">{info}</div>\n'
        f'<div class="content">\n{content}\n</div>\n{pager}\n</div>'
    )


def article_pager(hrefs: Sequence[str], number: int) -> str:
    """Return the pager of page ``number`` (from 1), ``""`` for an article of one page."""
    if len(hrefs) == 1:
        return ""
    marks = [
        f"<b>[{n}]</b>" if n == number else _link(href, f"[{n}]")
        for n, href in enumerate(hrefs, start=1)
    ]
    if number < len(hrefs):
        marks.append(_link(hrefs[number], "下一页"))
    return f'<div class="pages">{" ".join(marks)}</div>'


def _link(href: str, text: str) -> str:
    return f'<a href="{href}">{text}</a>'
