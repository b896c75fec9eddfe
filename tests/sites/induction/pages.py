"""Pages of a made-up news site, and their trees."""

from __future__ import annotations

from lxml.etree import _Element
from parsel import Selector

LIST_URL = "http://news.example/xinwen/"
TITLES = ["山东玉米价格稳中有涨", "东北玉米收购进度过半", "深加工企业继续压价", "港口库存降至新低"]

MENU = "".join(f'<li><a href="/c{n}/">栏目{n}</a></li>' for n in range(9))
RECENT = "".join(f'<li><a href="/hot/{n}.html">热门文章的标题{n}</a></li>' for n in range(6))


def tree(html: str) -> _Element:
    return Selector(html, type="html").root


def list_page(
    entries: str, after: str = '<div class="pages"><a href="2.html">下一页</a></div>'
) -> str:
    return (
        f'<html><head><title>新闻</title></head><body><ul class="nav">{MENU}</ul>'
        f'<div class="sidebar"><ul>{RECENT}</ul></div><div class="main">{entries}{after}</div></body></html>'
    )


def rows(dates: bool = True) -> str:
    lines = (
        f'<li><a href="/xinwen/{n}.html">{title}</a>'
        + (f"<span>2024-03-{20 - n:02}</span>" if dates else "")
        + "</li>"
        for n, title in enumerate(TITLES)
    )
    return f'<ul class="list">{"".join(lines)}</ul>'


def article_page(number: int, *, with_title: bool = True) -> str:
    title = TITLES[number]
    heading = f"<h1>{title}</h1>" if with_title else ""
    text = "".join(
        f"<p>第{number}篇文章的第{line}段，说的是{title}，以及它的原因和影响。</p>"
        for line in range(5)
    )
    return (
        f'<html><head><title>{title} - 新闻网</title></head><body><ul class="nav">{MENU}</ul>'
        f'<div class="art">{heading}<div class="info">发布时间：2024-03-{20 - number:02} 来源：本站</div>'
        f'<div class="text">{text}</div><div class="prevnext"><a href="/xinwen/{number + 1}.html">上一篇</a>'
        f'</div></div><div class="foot">版权所有 新闻网 京ICP备00000000号</div></body></html>'
    )
