"""Extraction of the entries of list pages and the fields of article pages by a site profile."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache, partial
from urllib.parse import parse_qsl, urljoin, urlsplit

from lxml import etree
from lxml.etree import _Element, _ElementUnicodeResult
from lxml.html import document_fromstring
from w3lib.url import safe_url_string, url_query_cleaner

from focuscrawl.errors import ProfileError
from focuscrawl.items import check_code
from focuscrawl.network.address_rules import reference
from focuscrawl.sites.site_profile import FeedListRules, FormPager, ListRules, Rule, SiteProfile
from focuscrawl.stored_records import KnownArticle
from focuscrawl.text.chinese_dates import find_date, find_full_date
from focuscrawl.text.cut_titles import completes
from focuscrawl.text.main_text import main_text
from focuscrawl.text.seen_text import as_seen, is_hidden, is_unseen
from focuscrawl.text.visible_lines import block_text


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One article as announced on its list page. ``stamp`` changes with the article.

    ``title`` is ``""`` if the list does not show it, such as where the link has a picture only.
    ``url`` is without tracking parameters; ``listed_url`` is the link with them, ``""`` if it is the same.
    ``shown_date`` is the date that the list shows, see :func:`lasting_date`. ``changed`` is the day of the
    last change by a sitemap, which has no date of publication; ``content`` is the HTML of the text in a feed.
    A stamp that ``proves_nothing`` is that of the moment in which the list was made.
    """

    url: str
    title: str
    published: date | None
    stamp: str
    listed_url: str = ""
    shown_date: str = ""
    changed: date | None = None
    content: str = field(default="", repr=False)
    proves_nothing: bool = False

    @property
    def url_md5(self) -> str:
        """The check code: MD5 of the article's link."""
        return check_code(self.url)

    @property
    def shown(self) -> str:
        """What the list shows of the entry: a check code of its title, and its date."""
        return f"{check_code(_comparable(self.title))[:8]} {self.shown_date}"

    def has_title_of(self, known: KnownArticle) -> bool:
        """Return whether the title is the stored one, or a part of it that ends in an ellipsis."""
        is_same = _comparable(self.title) == _comparable(known.title)
        return is_same or completes(known.title, self.title)

    def has_changed(self, shown: str, known: KnownArticle) -> bool:
        """Return whether the list has ``shown`` another title or another date than now."""
        title, _, day = shown.partition(" ")
        has_title = self.shown.startswith(title) or self.has_title_of(known)
        return not (has_title and _may_be_same(day, self.shown_date))

    def is_stored_otherwise(self, known: KnownArticle) -> bool:
        """Return whether the stored title or date is not that of the entry."""
        day = str(known.published or "")
        has_date = self.published == known.published or _may_be_same(day, self.shown_date)
        return not (has_date and self.has_title_of(known))


@dataclass(frozen=True, slots=True)
class ListPage:
    """The distinct entries of a list page from top to bottom, and the URL of the next list page.

    If that URL ``is_counted`` instead of linked to, the list has ended where a page has no new entry.
    ``more`` has the words by which JSON says that the list has more entries than the page. ``unlinked``
    is the number of entries with a title whose link cannot be followed, such as one that runs a script.
    """

    entries: list[ListEntry]
    next_url: str
    is_counted: bool = False
    more: str = ""
    unlinked: int = 0

    @property
    def may_be_whole(self) -> bool:
        """Whether the page behind this one may be missing: it was counted to, and nothing says that it is there."""
        return self.is_counted and not self.more

    @property
    def url_md5s(self) -> list[str]:
        """The check codes of the entries, and of their links as listed."""
        listed = [check_code(entry.listed_url) for entry in self.entries if entry.listed_url]
        return [*(entry.url_md5 for entry in self.entries), *listed]

    def as_stored(self, known: Container[str]) -> ListPage:
        """Return the page with the links as listed where these are the ones that stores have.

        Older versions stored links with tracking parameters. ``known`` has the check codes of them.
        """
        entries = [
            replace(entry, url=entry.listed_url, listed_url="")
            if entry.listed_url and check_code(entry.listed_url) in known
            else entry
            for entry in self.entries
        ]
        return replace(self, entries=entries)


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """One page of an article. ``next_url`` is ``""`` on the last.

    ``matched`` has the rules ``next`` and ``remove`` that select something, ``window`` its ``title``.
    """

    title: str
    text: str
    published: date | None
    next_url: str
    matched: frozenset[Rule] = frozenset()
    window: str = ""


_CLICKABLE = etree.XPath("descendant-or-self::*[self::a or @onclick]")
# A row of page numbers inside of the list, as a GridView of ASP.NET has.
_PAGER = re.compile(
    r"(?:[\d\s.…/|<>«»‹›()\[\]:：，,]|[首末尾上下前后後]一?[页頁]|[共第每总總到转轉页頁条條记記录錄次数數]|跳转|GO)*",
    re.I,
)
_ROUTE = re.compile(r"[^#]*#(?:[!/?]|[\w-]+[/=?])")
_TEXT_FILE = Rule(xpath="/html[not(head)]/body[not(*[2])]/pre")
_BASE = Rule(xpath="//base/@href")
# What comes and goes in a title while the article stays the same.
_PASSING = re.compile(
    r"[\[【(（](?:置?顶|热|最?新|推?荐|精|new|hot)[!！]?[\]】)）]|[（(\[]?(?:阅读|点击|浏览|人气|回复)\W{0,3}\d+[)）\]]?"
)
# Tag of elements to remove; the parser returns tags in lower case.
_CUT = "CUT"


def read_list(
    page: _Element, url: str, profile: SiteProfile, today: date, encoding: str = "utf-8"
) -> ListPage:
    """Read a list page in ``encoding``. Entries without a link are counted only.

    Raises :class:`ProfileError` if the profile selects no entry, or entries without links or titles,
    or if it is for JSON.
    """
    rules = profile.list
    if not isinstance(rules, ListRules):
        kind = "feeds" if isinstance(rules, FeedListRules) else "JSON"
        raise ProfileError(f"site profile {profile.name} is for {kind}, and {url} is a page")
    base = base_url(page, url)
    found = rules.entry.select(page)
    if not found:
        raise ProfileError(_nothing(profile, "list.entry", rules.entry, url))
    read = [_read_entry(node, base, profile, today, encoding) for node in found]
    entries = distinct_entries(read)
    if not all(entry.title for entry in entries):
        # A heading may have links without a title, too.
        kinds = {_kind_of(entry.url) for entry in entries if entry.title}
        entries = [entry for entry in entries if entry.title or _kind_of(entry.url) in kinds]
    links = [rules.link.first(node) for node in found] if len(entries) < 2 else []
    if route := hash_route(links):
        raise ProfileError(
            f"the entries of {url} lead to {route} and so on, which a script shows on one page: the site "
            "has no page for each article; give the URL of JSON that has the articles' own addresses"
        )
    if not entries:
        part, rule = (
            ("link", rules.link) if not rules.link.first(found[0]) else ("title", rules.title)
        )
        raise ProfileError(_nothing(profile, f"list.{part}", rule, url))
    without = [node for node, entry in zip(found, read, strict=True) if entry is None]
    unlinked = sum(_has_dead_link(node, rules) for node in without)
    # The address that a form leads to is more than a URL.
    onwards = None if isinstance(rules.next, FormPager) else rules.next
    return ListPage(entries, next_url(onwards, page, url, encoding), unlinked=unlinked)


def hash_route(links: Sequence[str]) -> str:
    """Return the first of links to one page that differ behind their ``#``, if most are such; else ``""``."""
    routes = list(dict.fromkeys(link for link in links if _ROUTE.match(link)))
    pages = {route.partition("#")[0] for route in routes}
    return routes[0] if len(pages) == 1 and len(routes) > max(1, len(links) // 2) else ""


def _has_dead_link(node: _Element, rules: ListRules) -> bool:
    """Return whether an entry without a link has a title and something to click, unlike a heading or a pager."""
    is_pager = _PAGER.fullmatch("".join(map(str, node.itertext())))
    return bool(rules.title.first(node)) and bool(_CLICKABLE(node)) and not is_pager


def _kind_of(url: str) -> tuple[str, int, str]:
    """Return what the URLs of the articles of a list have in common."""
    parts = urlsplit(url)
    return parts.netloc, parts.path.count("/"), re.sub(r"=[^&]*", "", parts.query)


def distinct_entries(found: Iterable[ListEntry | None]) -> list[ListEntry]:
    """Return the first entry of each article, or with a title; with the links as listed if all would be one."""
    entries = [entry for entry in found if entry]
    titles = {entry.title for entry in entries if entry.title}
    if len({entry.url for entry in entries}) == 1 and len(titles) > 1:
        entries = [replace(one, url=one.listed_url or one.url, listed_url="") for one in entries]
    first: dict[str, ListEntry] = {}
    for entry in entries:
        if not first.setdefault(entry.url, entry).title:
            first[entry.url] = entry
    return list(first.values())


def read_article_page(
    page: _Element, url: str, profile: SiteProfile, today: date, encoding: str = "utf-8"
) -> ArticlePage:
    """Read one page of an article. Raises :class:`ProfileError` if it has no body by the profile."""
    rules = profile.article
    bodies = (rules.body.select(page) or _TEXT_FILE.select(page)) if rules.body else []
    if rules.body and not bodies:
        raise ProfileError(_nothing(profile, "article.body", rules.body, url))
    # Before elements are removed, since they often include the link to the next page.
    following = next_url(rules.next, page, url, encoding)
    following = without_tracking(following, profile.ignore_parameters)
    title = rules.title.first(page) if rules.title else ""
    stamp = date_text(rules.date, page, today)
    matched = {rule for rule in rules.remove if any(map(rule.select, bodies))}
    if rules.next and following:
        matched.add(rules.next)
    text = text_without(bodies, rules.remove) if rules.body else _main_text(page, url)
    window = " ".join((page.findtext(".//title") or "").split())
    day = find_date(stamp, today)
    return ArticlePage(title, text, day, following, frozenset(matched), window)


def _main_text(page: _Element, url: str) -> str:
    text = main_text(etree.tostring(page, encoding="unicode", method="html"), url)
    if not text:
        raise ProfileError(f"{url} has no main text; give article.body in the profile")
    return text


def _read_entry(
    node: _Element, base: str, profile: SiteProfile, today: date, encoding: str
) -> ListEntry | None:
    rules = profile.list
    assert isinstance(rules, ListRules)
    link, title = _link(rules.link, node, base, encoding), rules.title.first(node)
    if not link:
        return None
    printed = date_text(rules.date, node, today)
    stamp = rules.stamp.first(node) if rules.stamp else ""
    # The title of a bulletin has its date; the list may show the date of the last change.
    read = partial(_listed_date, printed, node, rules.year)
    published, shown = find_full_date(title, today) or read(today), lasting_date(read, today)
    return list_entry(link, title, published, stamp, profile.ignore_parameters, shown)


def list_entry(
    link: str, title: str, published: date | None, stamp: str, ignored: Collection[str], shown: str
) -> ListEntry:
    """Return an entry with the URL that is left of its link without tracking parameters."""
    url = without_tracking(link, ignored)
    return ListEntry(url, title, published, stamp, link if link != url else "", shown)


def lasting_date(read_date: Callable[[date], date | None], today: date) -> str:
    """Return a date as ISO, without the year if it depends on the day of reading; ``""`` for 3天前 and the like."""
    # More than a year later, when a date without a year is another.
    read = read_date(today), read_date(today + timedelta(days=400))
    days = {day for day in read if day}
    if len(days) == 1:
        return days.pop().isoformat()
    ends = {f"{day:%m-%d}" for day in days}
    return ends.pop() if len(ends) == 1 else ""


def _may_be_same(day: str, other: str) -> bool:
    """Return whether two dates as of :func:`lasting_date` may be the same, as far as they are known."""
    return not day or not other or day.endswith(other) or other.endswith(day)


def _comparable(title: str) -> str:
    return "".join(_PASSING.sub("", as_seen(title).lower()).split())


# Entries that stand together often have the same date.
_printed_date = lru_cache(maxsize=1000)(find_date)


def date_text(rule: Rule | None, node: _Element, today: date) -> str:
    """Return the text that a rule selects; with spaces between its elements if only that is a date."""
    text = rule.first(node) if rule else ""
    if rule and text and _printed_date(text, today) is None:
        spaced = rule.first(node, is_spaced=True)
        return spaced if _printed_date(spaced, today) else text
    return text


def _listed_date(printed: str, node: _Element, rule: Rule | None, today: date) -> date | None:
    found = _printed_date(printed, today)
    if not rule or not found or find_full_date(printed, today):
        return found
    return find_full_date(f"{rule.first(node)}-{found.month}-{found.day}", today)


def next_url(rule: Rule | None, page: _Element, url: str, encoding: str = "utf-8") -> str:
    """Return the URL of the page behind that of ``url``: of several links, the one behind the link to itself.

    Thus a rule may select the numbers of all pages but the first, the own one among them.
    """
    base = base_url(page, url)
    values = rule.all(page) if rule else []
    links = [_address(value, base, encoding) for value in values]
    here = absolute_url(url, url)
    if len(set(links)) > 1 and here in links:
        links = [link for link in links[links.index(here) + 1 :] if link != here]
    return links[0] if links else ""


def _link(rule: Rule | None, node: _Element, base: str, encoding: str) -> str:
    return _address(rule.first(node) if rule else "", base, encoding)


def _address(value: str, base: str, encoding: str) -> str:
    return absolute_url(base, value, encoding) if value and not value.startswith("#") else ""


def absolute_url(base: str, href: str, encoding: str = "utf-8") -> str:
    """Return the URL to request: absolute, escaped, host in lower case, without fragment.

    ``encoding`` is that of the page, which browsers use for the query. ``""`` if it is no http(s) URL.
    """
    try:
        parts = urlsplit(urljoin(base, reference(href).partition("#")[0]))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return ""
        host = parts.netloc.lower()
        host = host.removesuffix(":80" if parts.scheme == "http" else ":443")
        return safe_url_string(parts._replace(netloc=host).geturl(), encoding)
    except (ValueError, LookupError):
        return ""


def base_url(page: _Element, url: str) -> str:
    """Return the URL that links of a page are relative to."""
    href = _BASE.first(page)
    return (href and absolute_url(url, href)) or url


def text_without(bodies: Sequence[_Element], rules: Iterable[Rule]) -> str:
    """Return the text of ``bodies``, in document order, without the matches of ``rules`` in them.

    Matches are elements or texts; the text next to them is kept. A body inside another one is part of
    that; a hidden one is left out if it is short or the others have its text. Modifies the tree.
    """
    outermost = _outermost(bodies)
    for rule in rules:
        for body in bodies:
            for node in rule.select(body):
                if node is not body:
                    _mark(node)
        for body in outermost:
            etree.strip_elements(body, _CUT, with_tail=False)
    texts = {body: block_text(body) for body in outermost}
    hidden = {b for b in outermost if any(map(is_hidden, (b, *b.iterancestors())))}
    if hidden:
        seen = "".join("".join(texts[body] for body in outermost if body not in hidden).split())
        for body in hidden if seen else ():
            if is_unseen(body) or "".join(texts[body].split()) in seen:
                del texts[body]
    return "\n".join(texts.values())


def _outermost(bodies: Sequence[_Element]) -> list[_Element]:
    found: list[_Element] = []
    inner: set[_Element] = set()
    for body in bodies:
        if body not in inner:
            found.append(body)
            inner.update(body.iter() if len(bodies) > 1 else ())
    return found


def _mark(node: object) -> None:
    if isinstance(node, _ElementUnicodeResult):
        holder = node.getparent()
        if holder is not None and node.is_tail:
            holder.tail = None
        elif holder is not None and node.is_text:
            holder.text = None
    # Comments are no text.
    elif isinstance(node, _Element) and isinstance(node.tag, str):
        node.tag = _CUT


def _nothing(profile: SiteProfile, part: str, rule: Rule, url: str) -> str:
    return (
        f"site profile {profile.name}: {part} ({rule.xpath or rule.css}) selects nothing on {url};"
        " correct the profile if the site has changed, or give another one"
    )


# Entries of a list that a script replaces or adds to at each click.


def with_earlier_entries(pages: Sequence[str], entry: Rule) -> str:
    """Return the last page, with the entries of earlier ones that it lacks before its first entry.

    ``pages`` is the HTML after each click. A page that has kept all entries is returned as it is.
    """
    trees = [document_fromstring(page) for page in pages]
    last = next((tree for tree in reversed(trees) if entry.select(tree)), None)
    if last is None:
        return pages[-1]
    found = entry.select(last)
    seen = set(map(_content, found))
    place, added = found[0], False
    for tree in trees:
        if tree is last:
            break
        for node in entry.select(tree):
            if (content := _content(node)) not in seen:
                seen.add(content)
                node.tail = "\n"
                place.addprevious(node)
                added = True
    if last is trees[-1] and not added:
        return pages[-1]
    return str(etree.tostring(last, encoding="unicode", method="html"))


def _content(node: etree._Element) -> bytes:
    return etree.tostring(node, with_tail=False, method="c14n")


# Parameters of links that say where a reader came from, or when, and not which article it is.


# courlan's list has cid, uid, ref and source, which are the identifier of an article on some sites.
_TRACKING = re.compile(
    r"utm_\w+|spm(?:_id_from)?|scm|(?:fb|g|dc|y|tw|ms)clid|gbraid|wbraid|mc_[ce]id|_g[al]|igshid|"
    r"hm(?:sr|pl|cu|kw|ci)|bd_vid|vd_source|share_(?:source|medium|token|from|session_id)|"
    r"isappinstalled|nsukey|(?:j|php|asp\.net_)?session_?id|phpsessid|aspsessionid\w*",
    re.IGNORECASE,
)
# On some sites these are all that tells one article from another.
_AMBIGUOUS = re.compile(r"from|_t|_|timestamp|rnd|random|nocache", re.IGNORECASE)
_PATH_SESSION = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)


def without_tracking(url: str, ignored: Collection[str] = ()) -> str:
    """Return a URL without tracking parameters, session identifiers and the parameters ``ignored``.

    ``from`` and times are only left out if a digit of the path or another parameter remains.
    """
    if "?" not in url and ";" not in url:
        return url
    url = _PATH_SESSION.sub("", url)
    names = _names(url)
    dropped = {name for name in names if name in ignored or _TRACKING.fullmatch(name)}
    if names - dropped - _ambiguous(names) or re.search(r"\d", urlsplit(url).path):
        dropped |= _ambiguous(names)
    return url_query_cleaner(url, tuple(dropped), remove=True, unique=False) if dropped else url


def _names(url: str) -> set[str]:
    return {name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}


def _ambiguous(names: Collection[str]) -> set[str]:
    return {name for name in names if _AMBIGUOUS.fullmatch(name)}


def differing_parameters(one: str, other: str) -> set[str]:
    """Return the names of parameters in which two URLs differ; none if they differ in something else."""
    if one.partition("?")[0] != other.partition("?")[0]:
        return set()
    pairs = (set(parse_qsl(urlsplit(url).query, keep_blank_values=True)) for url in (one, other))
    first, second = pairs
    return {name for name, _ in first ^ second}
