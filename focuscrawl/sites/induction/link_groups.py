"""Groups of links at the same place of a page template: the candidates for the main list of a page."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urldefrag, urljoin

from lxml import etree
from lxml.etree import _Element

from focuscrawl.network.address_rules import reference
from focuscrawl.sites.induction.stable_names import without_hashes
from focuscrawl.sites.page_reading import base_url
from focuscrawl.text.chinese_dates import find_date
from focuscrawl.text.seen_text import text_under

# Classes that tell entries of one list apart: numbered, generated, or of a state.
_VARIES = re.compile(
    r"first|last|odd|even|active|current|on|cur|hover|selected|sticky|wow|animated|fadein\w*"
    r"|(?:tag|category|status|format)-.*|.*\d{2,}.*|(?:item|no|li|list|post)-?\d+",
    re.IGNORECASE,
)
# So many entries, and such a share of all, at a depth are no exceptions.
_MARKED_DEPTH = 1
_SEVERAL, _SHARE = 3, 0.1
_EMPHASIS = frozenset({"strong", "b", "em", "i", "u", "font"})
# Links of a pager, which may stand in a row of the list.
_PAGER_LINK = re.compile(
    r"\W*(?:\d{1,3}|(?:[首尾末]|第一|最[后後]一?|[上下前后後]\s*(?:一|\d+)?)\s*[页頁]"
    r"|(?:first|last|prev(?:ious)?|next)(?: page)?)\W*|[<>«»‹›|]+",
    re.IGNORECASE,
)
_UNSEEN = ("script", "style", "noscript", "template", etree.Comment)

Step = tuple[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link element and its absolute URL without fragment."""

    element: _Element
    url: str


@dataclass(frozen=True, slots=True, eq=False)
class LinkGroup:
    """Links whose paths of tags and stable classes agree.

    ``entries`` has the links of the group by entry: the largest element around a link with no link of
    the group to another URL.
    """

    path: tuple[Step, ...]
    entries: dict[_Element, list[PageLink]]

    @property
    def urls(self) -> list[str]:
        """The distinct URLs, from top to bottom."""
        return list(dict.fromkeys(links[0].url for links in self.entries.values()))


def remove_unseen(page: _Element) -> None:
    """Remove scripts, styles and comments from the tree, and keep the text behind them."""
    etree.strip_elements(page, *_UNSEEN, with_tail=False)


def stable_classes(element: _Element) -> frozenset[str]:
    """Return the classes that all entries of a list may share."""
    classes = without_hashes((element.get("class") or "").split())
    return frozenset(c for c in classes if not _VARIES.fullmatch(c))


def text_of(element: _Element) -> str:
    """Return the text under an element with single spaces."""
    return " ".join(text_under(element).split())


def dated_text(element: _Element, today: date) -> str:
    """Return the text under an element; with spaces between its elements if only that is a date."""
    text = text_of(element)
    if len(element) and text and find_date(text, today) is None:
        spaced = " ".join(text_under(element, " ").split())
        return spaced if find_date(spaced, today) else text
    return text


def page_links(page: _Element, url: str) -> Iterator[PageLink]:
    """Yield the links to other pages than that of ``url``."""
    here, base = urldefrag(url).url, base_url(page, url)
    for element in page.iter("a"):
        href = reference(element.get("href") or "")
        try:
            target = urldefrag(urljoin(base, href)).url
        except ValueError:
            continue
        if href and target != here and target.startswith(("http://", "https://")):
            yield PageLink(element, target)


def link_groups(page: _Element, url: str) -> list[LinkGroup]:
    """Return the groups of at least two URLs on the page of ``url``."""
    paths: dict[_Element, tuple[Step, ...]] = {}
    groups: dict[tuple[Step, ...], list[PageLink]] = defaultdict(list)
    for link in page_links(page, url):
        if not _PAGER_LINK.fullmatch(_label(link.element)):
            groups[_path(link.element, paths)].append(link)
    found = []
    for path, links in _merged(groups):
        for part in _tables(links):
            found += [(path, part), *((path, column) for column in _columns(part))]
    return [
        LinkGroup(path, _entries(links))
        for path, links in found
        if len({link.url for link in links}) > 1
    ]


def _label(link: _Element) -> str:
    text = text_of(link)
    return text or next((image.get("alt") or "" for image in link.iter("img")), "")


def _tables(links: list[PageLink]) -> list[list[PageLink]]:
    """Return the links, and those of each table; without the former if a table has most of them.

    Old pages have nothing but tables: for the menu, the list, and for one entry. Tables side by side with
    as many columns and addresses of one form are one.
    """
    own: dict[_Element | None, list[PageLink]] = defaultdict(list)
    for link in links:
        own[next(link.element.iterancestors("table"), None)].append(link)
    if len(own) == 1:
        return [links]
    parts: dict[tuple[_Element | None, int, str], list[PageLink]] = defaultdict(list)
    for table, some in own.items():
        width, form = Counter(map(_form, some)).most_common(1)[0][0]
        around = table.getparent() if table is not None else None
        parts[around, width, form if len(some) > 1 else ""] += some
    several = [part for part in parts.values() if len({link.url for link in part}) > 1]
    if len(parts) == 1 or any(2 * len(part) > len(links) for part in several):
        return several
    return [links, *several]


def _form(link: PageLink) -> tuple[int, str]:
    """Return the number of cells in the row of a link, 0 outside of tables, and its address without numbers."""
    row = next(link.element.iterancestors("tr"), ())
    address = link.url if "?" in link.url else link.url.rpartition("/")[0]
    return sum(1 for cell in row if cell.tag in ("td", "th")), re.sub(r"\d+", "", address)


def _columns(links: list[PageLink]) -> list[list[PageLink]]:
    """Return the first, second, … links of each parent or row, if most of these have as many of them."""
    of_parent: dict[_Element | None, list[PageLink]] = defaultdict(list)
    for link in links:
        cell = next(link.element.iterancestors())
        of_parent[cell.getparent() if cell.tag == "td" else cell].append(link)
    usual = Counter(map(len, of_parent.values())).most_common(1)[0][0]
    rows = [row for row in of_parent.values() if len(row) == usual]
    if usual == 1 or len(of_parent) == 1 or 2 * len(rows) <= len(of_parent):
        return []
    return [list(column) for column in zip(*rows, strict=True)]


def _path(element: _Element, known: dict[_Element, tuple[Step, ...]]) -> tuple[Step, ...]:
    # Without recursion, since a page may nest deeper than its limit.
    pending = []
    node: _Element | None = element
    while node is not None and node.tag != "body" and node not in known:
        pending.append(node)
        node = node.getparent()
    path = known.get(node, ()) if node is not None else ()
    for node in reversed(pending):
        # Some entries of a list are in bold type.
        is_emphasis = node.tag in _EMPHASIS and not node.get("class")
        path = known[node] = path if is_emphasis else (*path, (str(node.tag), stable_classes(node)))
    return path


def _merged(
    groups: dict[tuple[Step, ...], list[PageLink]],
) -> list[tuple[tuple[Step, ...], list[PageLink]]]:
    """Add groups to larger ones of the same path, but for classes that some entries have as well."""
    merged: list[tuple[tuple[Step, ...], list[PageLink]]] = []
    for path, links in sorted(groups.items(), key=lambda group: -len(group[1])):
        for known, others in merged:
            if _is_variant(path, known):
                others.extend(links)
                break
        else:
            merged.append((path, list(links)))
    return merged


def _is_variant(path: Sequence[Step], known: Sequence[Step]) -> bool:
    return len(path) == len(known) and all(
        one == other
        or (
            one[0] == other[0]
            # Entries may be marked by a class where the others have none; whole lists differ by theirs.
            and (depth <= _MARKED_DEPTH or bool(one[1] and other[1]))
            and (one[1] <= other[1] or one[1] >= other[1])
        )
        for depth, (one, other) in enumerate(zip(reversed(path), reversed(known), strict=True))
    )


def _entries(links: list[PageLink]) -> dict[_Element, list[PageLink]]:
    urls_under: dict[_Element, set[str]] = defaultdict(set)
    for link in links:
        for node in (link.element, *link.element.iterancestors()):
            urls_under[node].add(link.url)
    alone = [_largest_alone(link.element, urls_under) for link in links]
    # An entry that is the only one of its list, or of its month, has that whole list to itself.
    depths = Counter(_depth(entry) for entry in dict.fromkeys(alone))
    least = max(_SEVERAL, _SHARE * depths.total())
    most_common = max(depths, key=lambda depth: (depths[depth], depth))
    usual = max((depth for depth, count in depths.items() if count >= least), default=most_common)
    entries: dict[_Element, list[PageLink]] = defaultdict(list)
    for link, entry in zip(links, alone, strict=True):
        entries[_not_above(usual, link.element, entry)].append(link)
    return dict(entries)


def _largest_alone(link: _Element, urls_under: dict[_Element, set[str]]) -> _Element:
    entry = link
    for node in link.iterancestors():
        if node.tag in ("body", "html") or len(urls_under[node]) > 1:
            break
        entry = node
    return entry


def _not_above(depth: int, link: _Element, entry: _Element) -> _Element:
    missing = depth - _depth(entry)
    if missing <= 0:
        return entry
    between = [link, *itertools.takewhile(lambda node: node is not entry, link.iterancestors())]
    return between[-min(missing, len(between))]


def _depth(element: _Element) -> int:
    return sum(1 for _ in element.iterancestors())
