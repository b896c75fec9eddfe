"""Lists of old pages, which have nothing but tables."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.page_reading import ListPage, read_list
from focuscrawl.sites.site_profile import SiteProfile
from tests.sites.induction.pages import tree

TODAY = date(2026, 11, 1)
URL = "http://t.example/list/"
TITLES = [f"山东玉米价格行情第{n}期分析" for n in range(1, 9)]
LINKS = [f"http://t.example/list/show.asp?id={n}" for n in range(1, 9)]
ICON, DATE = "<td>·</td>", "<td>[2026-03-{day}]</td>"
NEXT = '<a href="?page=2">下一页</a>'
ALL = '<a href="?page=1">首页</a> <a href="?page=1">上一页</a> <a href="?page=2">下一页</a> <a href="?page=9">尾页</a>'
NUMBERS = '1 <a href="?page=2">2</a> <a href="?page=3">3</a> <a href="?page=2">下一页</a>'


def rows(before: str = "", after: str = DATE) -> str:
    return "".join(
        f'<tr>{before}<td><a href="show.asp?id={n}">{title}</a></td>{after.format(day=30 - n)}</tr>'
        for n, title in enumerate(TITLES, 1)
    )


def menu(count: int = 2, before: str = "", address: str = "x.asp?{}") -> str:
    lines = (
        f'<tr>{before}<td><a href="{address.format(n)}">栏目{n}</a></td></tr>' for n in range(count)
    )
    return f"<table>{''.join(lines)}</table>"


def layout(side: str, content: str) -> str:
    top = (
        '<table width=980><tr><td><a href="/">首页</a> <a href="/b.asp">供求</a></td></tr></table>'
    )
    return f"{top}<table width=980><tr><td width=200>{side}</td><td>{content}</td></tr></table>"


def table(content: str) -> str:
    return f"<table width=100%>{content}</table>"


def read(html: str, other: str = "", url: str = URL) -> ListPage:
    """Read a page, or another one at ``url``, by the rules for ``html``."""
    rules = draft_list(tree(f"<body>{html}</body>"), URL, TODAY).rules
    profile = SiteProfile(name="x", start_urls=[URL], list=rules)
    return read_list(tree(f"<body>{other or html}</body>"), url, profile, TODAY)


def categories(joint: str) -> str:
    return "".join(
        f'<tr><td><a href="list.asp?c={n % 2}">玉米</a>{joint}<a href="show.asp?id={n}">{title}</a></td>'
        f"<td>2026-03-0{n}</td></tr>"
        for n, title in enumerate(TITLES, 1)
    )


NESTED = {
    "three cells": layout(menu(), table(rows(ICON))),
    "two cells": layout(menu(), table(rows())),
    "no dates": layout(menu(), table(rows(ICON, ""))),
    "one cell": layout(menu(), table(rows("", ""))),
    "date in the cell": layout(menu(), table(rows("", "").replace("</a>", "</a> 2026-03-02"))),
    "a menu with icons": layout(menu(5, ICON), table(rows(ICON, ""))),
    "a menu as long as the list": layout(menu(8), table(rows())),
    "a longer menu": layout(menu(12), table(rows())),
    "a menu with the same addresses": layout(menu(3, "", "show.asp?id=9{}"), table(rows())),
    "a menu of the same form": layout(menu(3, "", "show.asp?id=9{}"), table(rows("", ""))),
    "the menu on the right": layout(table(rows()), menu()),
    "two menus": layout(menu() + menu(3, "", "y.asp?{}"), table(rows())),
    "bodies of tables": layout(menu(), f"<table><tbody>{rows(ICON)}</tbody></table>"),
    "a head": layout(menu(), table("<tr><td>标题</td><td>日期</td></tr>" + rows())),
    "flat tables": menu() + table(rows(ICON)) + "<table><tr><td>版权</td></tr></table>",
    "flat tables of the same form": menu(5) + table(rows("", "")),
    "flat tables of a cell with a date": menu(5) + table(rows("", "").replace("</a>", "</a> 2026-03-02")),
    "categories": layout(menu(), table(categories("</td><td>"))),
    "categories in the cell": layout(menu(), table(categories(" "))),
    "entries as tables": layout(menu(), rows().replace("<tr>", "<table><tr>").replace("</tr>", "</tr></table>")),
    "deeper": layout(menu(), table(f"<tr><td>{table(rows())}</td></tr>")),
    "a grid around": f"<table><tr><td>{layout(menu(), table(rows()))}</td></tr></table>",
}  # fmt: skip


@pytest.mark.parametrize("html", NESTED.values(), ids=NESTED)
def test_rows_of_menus_are_no_entries(html: str) -> None:
    assert [entry.url for entry in read(html).entries] == LINKS


def pager(content: str, cell: str = "<td colspan=2>{}</td>") -> str:
    return f"<tr>{cell.format(content)}</tr>"


BESIDE = "<td>共9页</td><td>{}</td>"
SELECT = '<select onchange="location=this.value"><option value="?page=2">2</option></select>'
PAGERS = {
    "one cell": table(rows() + pager(NEXT)),
    "all links": table(rows() + pager(ALL)),
    "numbers": table(rows() + pager(NUMBERS)),
    "a cell as wide": table(rows() + pager(ALL, BESIDE)),
    "a cell for each": table(rows() + pager("", '<td><a href="?page=9">尾页</a></td><td><a href="?page=2">下一页</a></td>')),
    "foot": f"<table><tbody>{rows()}</tbody><tfoot>{pager(ALL)}</tfoot></table>",
    "body": f"<table><tbody>{rows()}{pager(ALL)}</tbody></table>",
    "first row": table(pager(NEXT) + rows()),
    "both": table(pager(ALL) + rows() + pager(ALL)),
    "both beside": table(pager(ALL, BESIDE) + rows() + pager(ALL, BESIDE)),
    "select": table(rows() + pager(f"{ALL} {SELECT}")),
    "form": table(rows() + pager(f"<form action=go.asp>{ALL} 转到<input name=page></form>")),
    "table in the row": table(rows() + pager(table(f"<tr><td>{ALL}</td></tr>"))),
    "no dates": table(rows(ICON, "") + pager(ALL)),
    "no dates, as wide": table(rows(ICON, "") + pager(ALL, BESIDE)),
    "one column": table(rows("", "") + pager(ALL, "<td>{}</td>")),
    "arrows": table(rows() + pager('<a href="?page=1">|&lt;</a> <a href="?page=2">&gt;</a> <a href="?page=9">&gt;|</a>')),
    "ten pages on": table(rows() + pager('<a href="?page=11">下10页</a> <a href="?page=2">下一页</a>')),
    "image": table(rows() + pager('<a href="?page=2"><img src=n.gif alt="下一页"></a>')),
    "bold row": table(rows().replace("<td><a", "<td><b><a", 3) + pager(ALL)),
    "between rules": table(rows().replace("</tr>", "</tr><tr><td colspan=2><hr></td></tr>") + pager(ALL)),
    "head": table('<tr><th><a href="?sort=1">标题</a></th><th>日期</th></tr>' + rows() + pager(ALL)),
    "nested": layout(menu(), table(rows() + pager(ALL))),
    "list": f"<ul>{rows('', '').replace('tr>', 'li>').replace('<td>', '').replace('</td>', '')}<li>{ALL}</li></ul>",
}  # fmt: skip


@pytest.mark.parametrize("html", PAGERS.values(), ids=PAGERS)
def test_a_pager_may_be_a_row_of_the_list(html: str) -> None:
    page = read(html)
    assert [entry.url for entry in page.entries] == LINKS
    assert page.next_url == f"{URL}?page=2"
    second = read(html, html.replace("?page=2", "?page=3"), page.next_url)
    assert [entry.url for entry in second.entries] == LINKS
    assert second.next_url == f"{URL}?page=3"
