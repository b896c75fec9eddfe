"""Site of one invented firm: its facts, a home page, some useless pages, and its contact data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from html import escape
from importlib import resources
from typing import Any, NamedTuple

import yaml

from focuscrawl.demo.site_protocol import Response, Site, draw, not_found, pick, plain

# Names, addresses and phone numbers, by number and version.

_SHARE_OF_USEFUL, _SHARE_OF_DOWN = 0.65, 0.05
_SHARES = {"email": 0.85, "fax": 0.4, "postcode": 0.5, "qq": 0.35, "homepage": 0.4}
_SHARE_WITH_MOBILE, _SHARE_WITH_SECOND_LINE = 0.4, 0.3
_MOBILES = ("1395550", "1585550", "1775550", "1995550")
# Coprime to the number of pairs of brand syllables, 32 * 31, so that every pair is used.
_PAIR_STEP = 367


class SiteKind(StrEnum):
    """Kind of a site: it has contact data, it has none, or it does not respond."""

    USEFUL = "useful"
    SILENT = "silent"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Firm:
    """A firm and the data on its site; a silent site has no ``values``.

    ``values`` are by field name of the contacts template: name, address, phone, email, fax, postcode,
    qq, homepage; fields that the firm does not publish are missing.
    """

    number: int
    version: int
    host: str
    kind: SiteKind
    name: str
    city: str
    values: dict[str, tuple[str, ...]]

    @property
    def home(self) -> str:
        """The URL of the home page."""
        return f"http://{self.host}/"


@cache
def words() -> dict[str, Any]:
    """Return the parts of names and addresses, from the YAML file."""
    text = resources.files(__package__).joinpath("firms.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def kind_of(seed: int, number: int) -> SiteKind:
    """Return the kind of a firm's site, which never changes."""
    chance = draw(seed, "firm kind", number)
    if chance < _SHARE_OF_USEFUL:
        return SiteKind.USEFUL
    return SiteKind.DOWN if chance > 1 - _SHARE_OF_DOWN else SiteKind.SILENT


def firm_of(seed: int, number: int, version: int = 0) -> Firm:
    """Return a firm; its address, phone or e-mail differs between consecutive versions."""
    kind = kind_of(seed, number)
    city = pick(words()["cities"], seed, "firm city", number)
    characters, syllables = _brand(seed, number)
    domain = f"{syllables}{number}.test"
    name = _name(seed, number, city["name"], characters, kind)
    values = _Facts(seed, number, version, city, domain).values(name)
    return Firm(
        number=number,
        version=version,
        host=f"www.{domain}",
        kind=kind,
        name=name,
        city=city["name"],
        values=values if kind is SiteKind.USEFUL else {},
    )


def _brand(seed: int, number: int) -> tuple[str, str]:
    brands = _brands()
    pairs = len(brands) * (len(brands) - 1)
    first, second = divmod((number * _PAIR_STEP + seed) % pairs, len(brands) - 1)
    chosen = [brands[first], brands[second + (second >= first)]]
    if number >= pairs:
        chosen.append(pick(brands, seed, "third syllable", number))
    return "".join(han for han, _ in chosen), "".join(pinyin for _, pinyin in chosen)


@cache
def _brands() -> tuple[tuple[str, str], ...]:
    pairs = (entry.split() for entry in words()["brands"].split(","))
    return tuple((han, pinyin) for han, pinyin in pairs)


def _name(seed: int, number: int, city: str, brand: str, kind: SiteKind) -> str:
    if kind is SiteKind.SILENT:
        pattern: str = pick(words()["silent_names"], seed, "site name", number)
        return pattern.format(city=city) + brand
    place = pick((city, city, "四川", "四川省"), seed, "firm place", number)
    trade = pick(words()["trades"], seed, "firm trade", number)
    return f"{place}{brand}{trade}{pick(words()['forms'], seed, 'firm form', number)}"


@dataclass(frozen=True, slots=True)
class _Facts:
    seed: int
    number: int
    version: int
    city: dict[str, str]
    domain: str

    def values(self, name: str) -> dict[str, tuple[str, ...]]:
        has = {field: self._draw(field) < share for field, share in _SHARES.items()}
        counts = self._changes(has["email"])
        known = {
            "name": (name,),
            "address": (self._address(counts["address"]),),
            "phone": self._phones(counts["phone"]),
            "email": (self._email(counts["email"]),),
            "fax": (self._landline(9, 0),),
            "postcode": (f"{self.city['post']}{int(90 * self._draw('post')) + 10}",),
            "qq": (f"555{100_000 + self.number * 37 % 900_000}",),
            "homepage": (f"www.{self.domain}",),
        }
        return {field: value for field, value in known.items() if has.get(field, True)}

    def _changes(self, has_email: bool) -> dict[str, int]:
        """Return the number of changes of each field up to this version."""
        fields = ("address", "phone", "email") if has_email else ("address", "phone")
        counts = dict.fromkeys(("address", "phone", "email"), 0)
        for version in range(1, self.version + 1):
            counts[pick(fields, self.seed, "firm change", self.number, version)] += 1
        return counts

    def _address(self, count: int) -> str:
        def one_of(options: Sequence[str], what: str) -> str:
            return pick(options, self.seed, what, self.number, count)

        province = pick(("四川省", "四川", ""), self.seed, "province", self.number)
        district = one_of(self.city["districts"].split(), "district")
        house = 1 + int(400 * self._draw("house", count))
        room = 100 * (1 + int(20 * self._draw("floor", count))) + int(
            30 * self._draw("room", count)
        )
        building = one_of(words()["buildings"], "building")
        # The house number makes any two versions differ.
        return (
            f"{province}{self.city['name']}市{district}{one_of(words()['streets'], 'street')}"
            f"{house + 400 * count}号{building}{room}室"
        )

    def _phones(self, count: int) -> tuple[str, ...]:
        phones = [self._landline(0, count)]
        if self._draw("second line") < _SHARE_WITH_SECOND_LINE:
            phones.append(self._landline(1, count))
        if self._draw("mobile") < _SHARE_WITH_MOBILE:
            start = pick(_MOBILES, self.seed, "mobile start", self.number)
            phones.append(f"{start}{self._digits(2, count)}")
        return tuple(phones)

    def _landline(self, line: int, count: int) -> str:
        code = self.city["code"]
        starts = ("8555", "6555") if len(code) == 3 else ("255", "355")
        start = pick(starts, self.seed, "line start", self.number)
        return f"{code}-{start}{self._digits(line, count)}"

    def _digits(self, line: int, count: int) -> str:
        """Return four digits that are unique among all firms and versions on that line."""
        return f"{(self.number * 7 + line * 2111 + count * 1009) % 10_000:04}"

    def _email(self, count: int) -> str:
        mailboxes = words()["mailboxes"]
        start = int(self._draw("mailbox") * len(mailboxes))
        return f"{mailboxes[(start + count) % len(mailboxes)]}@{self.domain}"

    def _draw(self, *what: object) -> float:
        return draw(self.seed, "firm", self.number, *what)


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


class FirmSite(Site):
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
