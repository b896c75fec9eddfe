"""Site of one firm: a home page, some useless pages, and its contact data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from html import escape
from typing import NamedTuple

from focuscrawl.demo.firms.firm_facts import Firm, SiteKind, words
from focuscrawl.demo.site_protocol import ArticleTruth, Response, draw, not_found, pick, plain

# Layouts of contact data: labels, values and the elements around them.

_LABELS = {
    "name": ("公司名称", "单位名称", "企业名称"),
    "address": ("地址", "公司地址", "办公地址", "联系地址"),
    "phone": ("电话", "联系电话", "服务热线", "咨询热线"),
    "email": ("邮箱", "电子邮箱", "E-mail"),
    "fax": ("传真",),
    "postcode": ("邮编", "邮政编码"),
    "qq": ("QQ", "客服QQ"),
    "homepage": ("网址", "公司网址"),
}
_ENGLISH = {
    "name": "Company",
    "address": "Add",
    "phone": "Tel",
    "email": "E-mail",
    "fax": "Fax",
    "postcode": "Zip",
    "qq": "QQ",
    "homepage": "Web",
}
_BLANKS = ("", "", "", "　", "&nbsp;&nbsp;", "  ")
_COLONS = ("：", "：", ":", ": ")
_JOINTS = ("、", " / ", "，", "  ")
_MAIL_FORMS = ("plain", "plain", "mailto", "mailto", "cloudflare", "hash")
_MASK = 0x5A


class FieldLine(NamedTuple):
    """A field, its label as HTML without a colon, and its value as HTML."""

    field: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Writing:
    """Style of one firm's contact data, the same in all windows."""

    seed: int
    firm: Firm

    def contact(self, layout: str) -> str:
        """Return all values of the firm as HTML in one of :data:`LAYOUTS`."""
        lines = [self._line(field, layout == "english") for field in self.firm.values]
        return LAYOUTS[layout](lines, self._pick(_COLONS, "colon"))

    def one_line(self) -> str:
        """Return address, phone and e-mail in one line, as in a footer."""
        lines = [self._line(field, False) for field in self.firm.values]
        return "&nbsp; ".join(f"{line.label}：{line.value}" for line in lines)

    def _line(self, field: str, in_english: bool) -> FieldLine:
        label = _ENGLISH[field] if in_english else self._label(field)
        return FieldLine(field, label, self._value(field))

    def _label(self, field: str) -> str:
        label = self._pick(_LABELS[field], field)
        blank = self._pick(_BLANKS, "blank")
        return blank.join(label) if len(label) == 2 and not label.isascii() else label

    def _value(self, field: str) -> str:
        values = self.firm.values[field]
        if field == "email":
            return self._mail(values[0])
        return self._pick(_JOINTS, "joint").join(map(escape, values))

    def _mail(self, address: str) -> str:
        match self._pick(_MAIL_FORMS, "mail form"):
            case "mailto":
                return f'<a href="mailto:{address}">{address}</a>'
            case "cloudflare":
                return (
                    '<a href="/cdn-cgi/l/email-protection" class="__cf_email__" '
                    f'data-cfemail="{_masked(address)}">[email&#160;protected]</a>'
                )
            case "hash":
                return address.replace("@", "#at#")
        return address

    def _pick(self, options: Sequence[str], what: str) -> str:
        return pick(options, self.seed, "writing", self.firm.number, what)


def _masked(address: str) -> str:
    """Return an e-mail address as obfuscated by Cloudflare: each byte XORed with the first."""
    return f"{_MASK:02x}" + "".join(f"{byte ^ _MASK:02x}" for byte in address.encode())


def _paragraphs(lines: Sequence[FieldLine], colon: str) -> str:
    return "\n".join(f"<p>{line.label}{colon}{line.value}</p>" for line in lines)


def _bold_labels(lines: Sequence[FieldLine], colon: str) -> str:
    return "\n".join(f"<p><strong>{line.label}{colon}</strong>{line.value}</p>" for line in lines)


def _breaks(lines: Sequence[FieldLine], colon: str) -> str:
    return "<p>" + "<br>\n".join(f"{line.label}{colon}{line.value}" for line in lines) + "</p>"


def _items(lines: Sequence[FieldLine], colon: str) -> str:
    items = "\n".join(f"<li>{line.label}{colon}{line.value}</li>" for line in lines)
    return f"<ul>\n{items}\n</ul>"


def _table_column(lines: Sequence[FieldLine], colon: str) -> str:
    rows = "\n".join(f"<tr><td>{line.label}</td><td>{line.value}</td></tr>" for line in lines)
    return f'<table border="1">\n{rows}\n</table>'


def _table_row(lines: Sequence[FieldLine], colon: str) -> str:
    labels = "".join(f"<th>{line.label}</th>" for line in lines)
    values = "".join(f"<td>{line.value}</td>" for line in lines)
    return f'<table border="1">\n<tr>{labels}</tr>\n<tr>{values}</tr>\n</table>'


def _definitions(lines: Sequence[FieldLine], colon: str) -> str:
    pairs = "\n".join(f"<dt>{line.label}</dt><dd>{line.value}</dd>" for line in lines)
    return f"<dl>\n{pairs}\n</dl>"


def _two_elements(lines: Sequence[FieldLine], colon: str) -> str:
    return "\n".join(
        f'<div class="row"><span class="l">{line.label}{colon}</span>'
        f'<span class="r">{line.value}</span></div>'
        for line in lines
    )


def _icons(lines: Sequence[FieldLine], colon: str) -> str:
    names = {"phone": "phone", "email": "envelope", "address": "map-marker"}
    return "\n".join(
        f'<p><i class="icon icon-{names[line.field]}"></i> {line.value}</p>'
        if line.field in names
        else f"<p>{line.label}{colon}{line.value}</p>"
        for line in lines
    )


def _pictures(lines: Sequence[FieldLine], colon: str) -> str:
    return "\n".join(
        f'<div class="row"><img src="/images/{line.field}.png" alt="{_bare(line.label)}">'
        f"<span>{line.value}</span></div>"
        for line in lines
    )


def _bare(label: str) -> str:
    return label.replace("&nbsp;", "").replace("　", "").replace(" ", "")


LAYOUTS: dict[str, Callable[[Sequence[FieldLine], str], str]] = {
    "paragraphs": _paragraphs,
    "bold": _bold_labels,
    "breaks": _breaks,
    "items": _items,
    "table column": _table_column,
    "table row": _table_row,
    "definitions": _definitions,
    "two elements": _two_elements,
    "icons": _icons,
    "pictures": _pictures,
    "english": _paragraphs,
}
"""Layouts of label and value, by name."""


def layout_of(seed: int, number: int) -> str:
    """Return the layout that a firm uses."""
    return pick(tuple(LAYOUTS), seed, "layout", number)


_CHARSETS = ("utf-8", "utf-8", "gb2312", "gbk in the header", "utf-8 in the header")
_NEWS = 6
_ARTICLE = re.compile(r"/news/(\d)\.html", re.ASCII)

_PAGE = """<!DOCTYPE html>
<html>
<head>
{meta}<title>{title}</title>
</head>
<body>
<div class="header"><a href="/"><img src="/images/logo.png" alt="{logo}"></a></div>
{nav}
{body}
<div class="ticker">最新：{ticker}</div>
<div class="footer">{footer}</div>
<div class="counter">您是第 {visitor} 位访客</div>
</body>
</html>
"""


class Way(StrEnum):
    """Kinds of paths to the contact data of a firm."""

    CONTACT = "联系我们"
    METHODS = "联系方式"
    ENGLISH = "Contact Us"
    ABOUT = "关于我们"
    HOME = "home page"
    FOOTER = "footer"


_WAYS = (
    *(Way.CONTACT,) * 9,
    *(Way.METHODS,) * 4,
    *(Way.ENGLISH,) * 2,
    *(Way.ABOUT,) * 1,
    *(Way.HOME,) * 2,
    *(Way.FOOTER,) * 2,
)
_PATHS = {
    Way.CONTACT: ("/contact.html", "/lxwm/", "/about/contact.asp", "/lianxiwomen.htm"),
    Way.METHODS: ("/lxfs.html", "/contact/", "/lianxi.php"),
    Way.ENGLISH: ("/contact-us/", "/contact.html"),
    Way.ABOUT: ("/about/lianxi.html",),
}
# Spellings of the link to the contact page; {up} leads to the root.
_HREFS = (
    "{path}",
    "{path}",
    "{up}{relative}",
    "http://{host}{path}",
    "//{host}{path}",
    "javascript:location.href='{path}'",
)


class FirmSite:
    """Site of one firm in one window; ``window`` changes only its news."""

    def __init__(self, seed: int, firm: Firm, window: int) -> None:
        self._seed = seed
        self._firm = firm
        self._window = window
        self._writing = Writing(seed, firm)
        self._visitors = int(90_000 * self._draw("visitors"))
        self.way: Way = pick(_WAYS, seed, "way", firm.number)
        self.contact_path = self._contact_path()

    @property
    def landing(self) -> str:
        """The URL listed by search engines; for one site in ten, an inner page."""
        return self._firm.home + ("products.html" if self._draw("landing") < 0.1 else "")

    @property
    def contact_url(self) -> str:
        """The URL of the page with the contact data."""
        return self._firm.home.rstrip("/") + self.contact_path

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET."""
        if self._firm.kind is SiteKind.DOWN:
            return plain(503, "this firm's server is down")
        if path == "/robots.txt":
            return not_found()
        body = self._body(path)
        return self._html(path, body) if body is not None else not_found()

    def turn_to(self, today: date) -> None:
        """Do nothing, since firms change by window."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing, since there are no prices."""
        return {}

    def _contact_path(self) -> str:
        paths = _PATHS.get(self.way)
        return pick(paths, self._seed, "path", self._firm.number) if paths else "/"

    def _body(self, path: str) -> str | None:
        if path == self.contact_path != "/":
            return self._contact()
        match path:
            case "/" | "/index.html":
                return self._home()
            case "/about.html":
                return self._about()
            case "/products.html":
                return self._products()
            case "/news.html":
                return self._section("新闻中心", self._list(self._headlines(), "/news/{n}.html"))
        found = _ARTICLE.fullmatch(path)
        return self._article(int(found[1])) if found and int(found[1]) < _NEWS else None

    def _home(self) -> str:
        parts = [self._section("公司简介", self._sentences(3))]
        if self.way is Way.HOME:
            parts.append(self._section("联系我们", self._data()))
        parts.append(self._section("新闻", self._list(self._headlines(), "/news/{n}.html")))
        return "\n".join(parts)

    def _contact(self) -> str:
        return self._section(self.way.value if self.way is not Way.ABOUT else "联系", self._data())

    def _about(self) -> str:
        more = ""
        if self.way is Way.ABOUT:
            more = f'<div class="sub"><a href="{self.contact_path}">联系我们</a></div>\n'
        return more + self._section("关于我们", self._sentences(5))

    def _products(self) -> str:
        names = [escape(name) for name in words()["products"][:5]]
        return self._section("产品中心", "<ul>" + "".join(f"<li>{n}</li>" for n in names) + "</ul>")

    def _article(self, number: int) -> str:
        return self._section(self._headlines()[number], self._sentences(4))

    def _data(self) -> str:
        """Return the contact data of the firm; a silent site has a form instead."""
        if self._firm.values:
            return self._writing.contact(layout_of(self._seed, self._firm.number))
        return (
            '<form action="/message"><textarea name="words"></textarea><button>留言</button></form>'
        )

    def _sentences(self, count: int) -> str:
        source = "about" if self._firm.values else "silent"
        drawn = (pick(words()[source], self._seed, self._firm.number, n) for n in range(count))
        return "".join(f"<p>{self._filled(text)}</p>" for text in dict.fromkeys(drawn))

    def _headlines(self) -> list[str]:
        keys = self._seed, self._firm.number, self._window, "news"
        return [self._filled(pick(words()["news"], *keys, number)) for number in range(_NEWS)]

    def _filled(self, text: str) -> str:
        return text.format(
            name=self._firm.name,
            city=self._firm.city,
            year=1998 + int(20 * self._draw("year")),
            product=pick(words()["products"], self._seed, self._firm.number, "product"),
        )

    def _list(self, texts: list[str], pattern: str) -> str:
        entries = (
            f'<li><a href="{pattern.format(n=n)}">{text}</a></li>' for n, text in enumerate(texts)
        )
        return "<ul>" + "".join(entries) + "</ul>"

    def _section(self, heading: str, content: str) -> str:
        return f'<div class="main">\n<h2>{heading}</h2>\n{content}\n</div>'

    def _html(self, path: str, body: str) -> Response:
        self._visitors += 1
        charset = pick(_CHARSETS, self._seed, "charset", self._firm.number)
        name, _, place = charset.partition(" ")
        page = _PAGE.format(
            meta="" if place else f'<meta charset="{name}">\n',
            title=escape(self._title(path)),
            logo=escape(self._firm.name),
            nav=self._nav(path),
            body=body,
            ticker=self._headlines()[self._visitors % _NEWS],
            footer=self._footer(),
            visitor=self._visitors,
        )
        codec = "utf-8" if name == "utf-8" else "gb18030"
        kind = f"text/html; charset={name}" if place else "text/html"
        return Response(200, {"Content-Type": kind}, page.encode(codec))

    def _title(self, path: str) -> str:
        if path == "/":
            return self._firm.name
        is_contact = path == self.contact_path
        return f"{self.way.value if is_contact else '内页'}-{self._firm.name}"

    def _nav(self, path: str) -> str:
        links = [("/", "首页"), ("/about.html", "关于我们"), ("/products.html", "产品中心"),
                 ("/news.html", "新闻中心")]  # fmt: skip
        if self.way in (Way.CONTACT, Way.METHODS, Way.ENGLISH):
            links.append((self._contact_href(path), self.way.value))
        items = "".join(f'<li><a href="{href}">{text}</a></li>' for href, text in links)
        return f'<ul class="nav">{items}</ul>'

    def _contact_href(self, page: str) -> str:
        pattern = pick(_HREFS, self._seed, "href", self._firm.number)
        path = self.contact_path
        return pattern.format(
            path=path,
            up="../" * (page.count("/") - 1),
            relative=path.lstrip("/"),
            host=self._firm.host,
        )

    def _footer(self) -> str:
        rights = f"Copyright 2012-2026 {escape(self._firm.name)} 版权所有"
        if self.way is Way.FOOTER and self._firm.values:
            return f"{rights}<br>{self._writing.one_line()}"
        return rights

    def _draw(self, what: str) -> float:
        return draw(self._seed, "site", self._firm.number, what)
