"""Mutations of a page's bytes: damage, repetition, wrong encodings, and the readers' own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from focuscrawl.text.page_charset import detect

USUAL_SIZE = 200_000
LARGEST_SIZE = 4_000_000
EXCERPT_SIZE = 20_000
_MEAN_EXCERPT = 3_000
_SHARE_LARGE = 0.01
_MOST_MUTATIONS = 6
_TAG = re.compile(rb"<[^<>]{1,3000}>")
_ATTRIBUTE = re.compile(
    rb"\s[\w:-]{1,40}\s*=\s*(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s\"'<>]{1,300})"
)
_CHARSETS = (
    "utf-8", "utf-8-sig", "gb18030", "gbk", "big5hkscs", "utf-16", "utf-16-le", "utf-16-be", "utf-32",
    "utf-7", "latin-1", "shift_jis", "euc-kr", "hz",
)  # fmt: skip
_LABELS = (
    *_CHARSETS, "gb2312", "big5", "GB_2312-80", "x-nonsense", "hex", "rot13", "undefined", "idna",
    "utf8;charset=gbk", "", "\u5168", "a" * 300,
)  # fmt: skip
# What parsers and regular expressions trip over, on any page.
_MARKUP = (
    "<", ">", "&", '"', "'", "</", "<!--", "-->", "<!", "<?", "<![CDATA[", "]]>", "&#x0;", "&#xD800;",
    "&#1114112;", "&amp", "\x00", "\x0b", "\x1a", "\ufeff", "\u202e", "\u0301", "\u200d", "\U0001f468",
    "\ufffe", "\U0010ffff", "İ", "ﬀ", "㍿", "\r", "\n", "\t", " ", "\u3000", "\xa0",
    "<p>", "<div>", "<b>", "<a href=x>", "<a href='//[::1'>", "<a href='http://[v1.x]/'>", "<font size=3><p>",
    "<table>", "<tr>", "<td>", "<td colspan=9999999 rowspan=9999999>", "<ul><li>", "<select><option>",
    "<script>", "</script>", "<style>", "<textarea>", "<title>", "<plaintext>", "<noscript>", "<iframe>",
    "<svg>", "<math>", "<template>", "<frameset>", "<base href='http://[/'>", "<base href='//'>",
    "<meta http-equiv=refresh content='0;url=.'>", "<body>", "</body>", "<html>", "</html>", "<head>",
    "<pre>", "<code>", "<br>", "<img alt=x>", "<form>", "<button>", "<nobr>", "<i>", "<object>", "<details>",
    '<script type="application/ld+json">{"@type":"Organization","name":', "data-cfemail='ff",
    "javascript:", "data:text/html,", "%", "%00", "\\", "(", ")", "[", "]", "{", "}", "0", "9",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it came: ``charset`` is what the Content-Type header says, ``""`` for nothing."""

    url: str
    charset: str
    body: bytes

    @property
    def content_type(self) -> str:
        """The Content-Type header."""
        return "text/html" + (f"; charset={self.charset}" if self.charset else "")


def mutated(page: Page, others: Sequence[Page], words: Sequence[str], random: Random) -> Page:
    """Return ``page`` after one to six mutations; ``words`` are those the reader looks for.

    One result in a hundred may have ``LARGEST_SIZE`` bytes, the others ``USUAL_SIZE``.
    """
    limit = LARGEST_SIZE if random.random() < _SHARE_LARGE else USUAL_SIZE
    return _mutated(page, others, words, random, limit)


def mutated_excerpt(
    page: Page, others: Sequence[Page], words: Sequence[str], random: Random
) -> Page:
    """Return a part of ``page`` after one to six mutations, ``EXCERPT_SIZE`` bytes at most.

    It takes a tenth of the time of a whole page, and each mutation hits a larger share of it.
    """
    start = random.randrange(len(page.body) + 1)
    end = start + int(random.expovariate(1 / _MEAN_EXCERPT))
    return _mutated(replace(page, body=page.body[start:end]), others, words, random, EXCERPT_SIZE)


def _mutated(
    page: Page, others: Sequence[Page], words: Sequence[str], random: Random, limit: int
) -> Page:
    for _ in range(random.randint(1, _MOST_MUTATIONS)):
        mutation = random.choice(_MUTATIONS)
        page = mutation(page, others, words, random, limit)
        page = replace(page, body=page.body[:limit])
    return page


_Mutation = Callable[[Page, Sequence[Page], Sequence[str], Random, int], Page]


def _piece(body: bytes, random: Random, mean: int = 60) -> tuple[int, int]:
    """Return start and end of a piece; most are short, a few are long."""
    start = random.randrange(len(body) + 1)
    length = int(random.expovariate(1 / (mean if random.random() < 0.8 else 30 * mean)))
    return start, min(len(body), start + length)


def _times(size: int, limit: int, random: Random) -> int:
    """Return how often a piece of that size is repeated: a few times, or up to the limit."""
    most = max(2, limit // max(size, 1))
    return random.randint(2, most) if random.random() < 0.3 else random.randint(2, min(most, 40))


def _tag(body: bytes, random: Random) -> re.Match[bytes] | None:
    start = random.randrange(len(body) + 1)
    return _TAG.search(body, start) or _TAG.search(body)


def _flip(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    body = bytearray(page.body)
    for _ in range(random.randint(1, 64)):
        if body:
            body[random.randrange(len(body))] ^= 1 << random.randrange(8)
    return replace(page, body=bytes(body))


def _insert(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    at = random.randrange(len(page.body) + 1)
    new = random.randbytes(random.randint(1, 16))
    return replace(page, body=page.body[:at] + new + page.body[at:])


def _delete(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    start, end = _piece(page.body, random)
    return replace(page, body=page.body[:start] + page.body[end:])


def _truncate(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    return replace(page, body=page.body[: random.randrange(len(page.body) + 1)])


def _repeat(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, limit: int) -> Page:
    start, end = _piece(page.body, random)
    piece = page.body[start:end]
    again = piece * _times(len(piece), limit, random)
    return replace(page, body=page.body[:start] + again[:limit] + page.body[end:])


def _change_tag(
    page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, limit: int
) -> Page:
    """Remove, double, nest, move or exchange a tag."""
    body = page.body
    match = _tag(body, random)
    if not match:
        return page
    tag, start, end = match[0], match.start(), match.end()
    match random.randrange(5):
        case 0:
            new = b""
        case 1:
            new = tag * 2
        case 2:
            new = (tag * _times(len(tag), limit, random))[:limit]
        case 3:
            at = random.randrange(start + 1)
            return replace(page, body=body[:at] + tag + body[at:start] + body[end:])
        case _:
            other = _tag(body, random)
            new = other[0] if other else b""
    return replace(page, body=body[:start] + new + body[end:])


def _change_attribute(
    page: Page, _o: Sequence[Page], words: Sequence[str], random: Random, limit: int
) -> Page:
    """Remove, double, multiply or exchange an attribute, or change its value."""
    body = page.body
    start = random.randrange(len(body) + 1)
    match = _ATTRIBUTE.search(body, start) or _ATTRIBUTE.search(body)
    if not match:
        return page
    own = match[0]
    match random.randrange(5):
        case 0:
            new = b""
        case 1:
            new = own * 2
        case 2:
            name, _, value = own.partition(b"=")
            count = _times(len(own) + 4, min(limit, USUAL_SIZE), random)
            new = b"".join(b"%s%d=%s" % (name, number, value) for number in range(count))
        case 3:
            other = _ATTRIBUTE.search(body, random.randrange(len(body) + 1))
            new = other[0] if other else b""
        case _:
            name = own.partition(b"=")[0]
            new = b'%s="%s"' % (name, _text(words, random, 2000).encode("utf-8", "replace"))
    return replace(page, body=body[: match.start()] + new + body[match.end() :])


def _encode(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    """Write the page in another charset; the declaration stays."""
    text = page.body.decode(detect(page.body, page.charset), "replace")
    return replace(page, body=text.encode(random.choice(_CHARSETS), "xmlcharrefreplace"))


def _declare(page: Page, _o: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    """Declare another charset, in the header or on the page; the bytes stay."""
    label = random.choice(_LABELS)
    if random.random() < 0.5:
        return replace(page, charset=label)
    meta = f'<meta charset="{label}">'.encode()
    return replace(page, charset="", body=meta + page.body)


def _splice(page: Page, others: Sequence[Page], _w: Sequence[str], random: Random, _l: int) -> Page:
    """Go on as another page does from somewhere."""
    other = random.choice(others)
    start, end = random.randrange(len(page.body) + 1), random.randrange(len(other.body) + 1)
    return replace(page, body=page.body[:start] + other.body[end:])


def _say(page: Page, _o: Sequence[Page], words: Sequence[str], random: Random, limit: int) -> Page:
    """Insert what the reader looks for, once or again and again."""
    at = random.randrange(len(page.body) + 1)
    charset = detect(page.body, page.charset)
    new = _text(words, random, limit).encode(charset, "xmlcharrefreplace")
    return replace(page, body=page.body[:at] + new + page.body[at:])


def _text(words: Sequence[str], random: Random, limit: int) -> str:
    """Return a few words and marks, separated or not, repeated or not."""
    chosen = [random.choice(words if random.random() < 0.7 else _MARKUP) for _ in range(random.randint(1, 8))]  # fmt: skip
    text = random.choice(("", "", " ", "\n", "、", "：")).join(chosen)
    size = len(text.encode("utf-8", "replace"))
    return text * (_times(size, limit, random) if random.random() < 0.5 else 1)


_MUTATIONS: tuple[_Mutation, ...] = (
    _flip, _insert, _delete, _truncate, _repeat, _repeat, _change_tag, _change_tag, _change_attribute,
    _change_attribute, _encode, _declare, _splice, _say, _say,
)  # fmt: skip
