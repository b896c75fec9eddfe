"""Pages that sites give in place of articles: captchas, logins, error pages, their home page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from statistics import median
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from lxml import etree
from lxml.etree import _Element

from focuscrawl.items import check_code
from focuscrawl.sites.page_forms import is_posted
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.text.cut_titles import without_ellipsis
from focuscrawl.text.normal_form import composed, normal_form
from focuscrawl.text.seen_text import text_under

# Runs with the same answer, and days between the first and the last where more than a text speaks
# against it.
_TRIES, _DAYS = 3, 2
# So many articles show how the others of the site are; a page of less than a third is short.
_KNOWN, _SHORT = 3, 3
_LONGEST_PHRASE, _LONGEST_SENTENCE, _LONGEST_HINT = 300, 120, 60
# So many articles with one text are enough where nothing else is known of the site.
_SEVERAL = 5
# Share of the pairs of characters of a title.
_MOST_OF = 0.6
# A stored text more than so many times as long is not replaced where something else speaks against it.
_SHRUNK = 2
_MOST_GROUPS, _MOST_ALIKE, _MOST_ASKED, _MOST_LENGTHS, _MOST_COUNTED = 2000, 1000, 5000, 50, 200
_BLOCK = re.compile(
    r"验证码|(?:人机|安全|滑动|身份)(?:验证|校验|检查)|频繁|访问异常|异常(?:访问|流量|请求)|行为异常|(?:访问|请求)(?:受限|过多|被)"
    r"|(?:限制|禁止|拒绝)\S{0,4}访问|(?:稍后|稍候)再?(?:试|重试|访问)|(?:系统|服务器)繁忙|防火墙|captcha|too many requests"
    r"|rate limit|access denied|forbidden|unusual traffic|are (?:a )?(?:human|robot)|checking your browser",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"登[录陆入]|会员|付费|订阅后|权限|关注公众号|\blog ?in\b|\bsign ?in\b|subscribe", re.IGNORECASE
)
_MISSING = re.compile(
    r"不存在|已\S{0,4}(?:删除|下线|下架|失效|过期|移除)|(?:找|查|访问)不到|(?:未|没有?)找到|无法(?:访问|显示|找到)|出错|错误"
    r"|not found|no longer|\b404\b|does ?n.t exist|error occurred",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"(?:编译器|运行时|VBScript|ODBC|ADODB|OLE DB|SQL)\S{0,20}\s?(?:错误|error)|error '[0-9a-f]{8}'|Fatal error: |SQLSTATE\["
    r"|Server Error in '|Stack trace:|Traceback \(most",
    re.IGNORECASE,
)
_LOGIN_URL = re.compile(
    r"log_?[io]n|sign_?in|passport|\bsso\b|\bcas\b|denglu|verify|captcha|challenge|antispider|\bwaf\b",
    re.IGNORECASE,
)
_ERROR_URL = re.compile(r"error|\b404\b|not_?found|\bgone\b|deleted|sorry|cuowu", re.IGNORECASE)
_HOME = re.compile(r"(?:/(?:index|default|home|main)(?:\.[a-z]{2,5})?)?/?", re.IGNORECASE)
_ASCII = re.compile(r"[!-~]+")

SENT_HOME, SENT_LOGIN = "sent home", "sent to a login"
Outcome = Literal["again", "gone", "believed"]


def is_home(url: str) -> bool:
    """Return whether a URL is that of a home page."""
    parts = urlsplit(url)
    return not (parts.query or is_posted(url)) and bool(_HOME.fullmatch(parts.path))


def page_title(page: _Element) -> str:
    """Return the title of a page: the longest heading in the title of its window, or all of that."""
    nodes = [*page.iter("title"), *page.iter("h1", "h2")]
    named, *headings = [" ".join(text_under(node).split()) for node in nodes] or [""]
    return max((one for one in headings if one and one in named), key=len, default=named)


def shows_title(page: _Element, url: str, title: str) -> bool:
    """Return whether a page has most of the title of an article other than in links to other pages.

    Lists shorten titles, and name the kind of an article in them.
    """
    wanted = _letters(without_ellipsis(title))
    for node in page.iter("title", "h1"):
        if node.find(".//a") is None and wanted in _letters("".join(map(str, node.itertext()))):
            return True
    text = _letters(normal_form(_text_besides_links(page, url)))
    wanted = _letters(normal_form(wanted))
    numbers = {int(number) for number in re.findall(r"\d{1,9}", text)}
    if not all(int(number) in numbers for number in re.findall(r"\d{1,9}", wanted)):
        return False
    pairs = [wanted[at : at + 2] for at in range(max(1, len(wanted) - 1))]
    return sum(pair in text for pair in pairs) >= _MOST_OF * len(pairs)


def _text_besides_links(page: _Element, url: str) -> str:
    base = base_url(page, url)
    texts: list[str] = []
    walk = etree.iterwalk(page, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            texts.append(node.tail or "")
        elif node.tag in ("script", "style") or (
            node.tag == "a" and absolute_url(base, node.get("href") or "") not in ("", url)
        ):
            walk.skip_subtree()
        else:
            texts += (node.text or "", node.get("content") or "" if node.tag == "meta" else "")
    return "".join(texts)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


@dataclass(slots=True)
class PageAnswer:
    """What a site gave for a page of an article: keys of the text, and the signs that it is none.

    ``said`` is the kind of a phrase of such pages in a short text, ``sent`` the reason why the
    target of a redirect is no article, ``reason`` the verdict, ``""`` for an article.
    """

    url: str
    title: str
    published: date | None
    key: str
    exact: str
    length: int
    is_titled: bool | None
    said: str = ""
    sent: str = ""
    is_first: bool = True
    is_shrunk: bool = False
    is_cut: bool = False
    reason: str = ""

    @classmethod
    def of(
        cls,
        url: str,
        title: str,
        published: date | None,
        text: str,
        *,
        is_titled: bool | None = None,
    ) -> PageAnswer:
        """Return the answer for the article at ``url``; whether it ``is_titled`` is not known of stored texts."""
        # An error page may repeat what was requested, and has the time and a number of its own.
        plain = " ".join(text.split()).replace(" ".join(title.split()), "")
        key = _key(_ASCII.sub(lambda run: "" if re.search(r"\d", run[0]) else run[0], plain))
        said = _phrase(text)
        # Not the other way round: most texts are long, and only a phrase loads the dictionaries.
        said = "" if said and _phrase(title) else said
        return cls(url, title, published, key, _key(plain), len(plain), is_titled, said)

    def replaces(self, stored: str, text: str, *, is_closed: bool) -> None:
        """Note which ``stored`` text the answer is to replace; its page ``is_closed`` if it has an end tag."""
        before, now = "".join(stored.split()), "".join(text.split())
        self.is_shrunk = len(before) > _SHRUNK * len(now)
        self.is_cut = self.is_shrunk and (not now or (not is_closed and before.startswith(now)))

    def redirected(self, asked: str, given: str, *, is_list: bool, is_other: bool) -> None:
        """Note a redirect, which leads to a list page (``is_list``) or to another article (``is_other``)."""
        before, after = urlsplit(asked), urlsplit(given)
        if before[2:4] == after[2:4] or self.is_titled:
            return
        is_folder = after.path.endswith("/") and before.path.startswith(after.path)
        if _LOGIN_URL.search(given) and not _LOGIN_URL.search(asked):
            self.sent = SENT_LOGIN
        elif is_home(given):
            self.sent = SENT_HOME
        elif is_list or (is_folder and not after.query):
            self.sent = "sent to the list"
        elif is_other:
            self.sent = "sent to another article"
        elif _ERROR_URL.search(given) and not _ERROR_URL.search(asked):
            self.sent = "sent to an error page"
        self.exact = self.key = _key(given)


def _key(text: str) -> str:
    return check_code(text)[:16]


def _phrase(text: str) -> str:
    if _FAULT.search(text[-_LONGEST_SENTENCE:]):
        return "error"
    if len(text) > _LONGEST_PHRASE:
        return ""
    try:
        text.encode("gb2312")
        text = composed(text)
    except UnicodeEncodeError:
        # Traditional characters, for which dictionaries are loaded.
        text = normal_form(text)
    kinds = [("block", _BLOCK)]
    if len(text) <= _LONGEST_SENTENCE:
        kinds += [("missing", _MISSING), ("login", _LOGIN)]
    return next((kind for kind, pattern in kinds if pattern.search(text)), "")


_REASONS = {
    "block": "captcha or limit", "missing": "no such article", "login": "login", "error": "error page",
}  # fmt: skip


@dataclass(slots=True)
class _Group:
    """Answers that differ in nothing but numbers, by exact text and title."""

    titles: set[str] = field(default_factory=set)
    same: dict[str, dict[str, list[PageAnswer]]] = field(default_factory=dict)
    count: int = 0

    def join(self, answer: PageAnswer) -> Iterable[PageAnswer]:
        """Add an answer, and return those whose verdict may be another now."""
        self.count += 1
        if self.count > _MOST_ALIKE:
            return (answer,)
        own = self.same.setdefault(answer.exact, {})
        had_two, had_title = len(self.titles) > 1, answer.title in own
        self.titles.add(answer.title)
        own.setdefault(answer.title, []).append(answer)
        if len(self.titles) > 1 and not had_two:
            return self.answers()
        is_more = not had_title and len(own) <= _SEVERAL
        return [one for each in own.values() for one in each] if is_more else (answer,)

    def answers(self) -> list[PageAnswer]:
        return [one for own in self.same.values() for each in own.values() for one in each]


class _Asked(NamedTuple):
    """The answer that an article gave when it was last requested, in how many runs, and since which day.

    ``outcome`` is that of the last of them.
    """

    key: str
    reason: str
    tries: int
    first: str
    outcome: Outcome = "again"


class ForeignPages:
    """Recognises pages that are no articles by what several answers of a site share.

    ``state`` is that of the last run: how the articles of the site are, and which answers it gave
    in place of articles. See :meth:`outcome` for an answer that stays the same.
    """

    def __init__(self, state: Mapping[str, Any] | None, today: date) -> None:
        state = state or {}
        self._today = today
        self._titled: int = state.get("titled", 0)
        self._untitled: int = state.get("untitled", 0)
        self._lengths = deque[int](state.get("lengths", ()), _MOST_LENGTHS)
        self._asked = {url: _Asked(*values) for url, values in state.get("asked", {}).items()}
        self._believed: set[str] = set(state.get("believed", ()))
        self._is_audited: bool = state.get("is_audited", False)
        self._groups: dict[str, _Group] = {}
        self._read: set[str] = set()
        self._settled = Counter[Outcome]()
        self.found: dict[str, PageAnswer] = {}
        """Answers of this run that are to be requested again, by URL."""
        self.late: dict[str, PageAnswer] = {}
        """Those of them that were taken for articles first."""

    @property
    def _shows_titles(self) -> bool:
        """Whether the pages of articles show the titles of the list."""
        return self._titled >= max(_KNOWN, 4 * self._untitled)

    def add(self, answer: PageAnswer) -> str:
        """Judge an answer, and those before it again; return the reason why it is no article."""
        knew_titles = self._shows_titles
        group = self._groups.setdefault(answer.key, _Group())
        if len(self._groups) > _MOST_GROUPS:
            del self._groups[next(iter(self._groups))]
        found = self._judged(group, group.join(answer))
        if not answer.reason and answer.is_first:
            self._titled += bool(answer.is_titled)
            self._untitled += not answer.is_titled and group.count == 1
            self._lengths.append(answer.length)
            self._read.add(check_code(answer.url))
        if self._shows_titles and not knew_titles:
            found += [
                one for each in self._groups.values() for one in self._judged(each, each.answers())
            ]
        self.found |= {one.url: one for one in found}
        self.late |= {one.url: one for one in found if one is not answer}
        return answer.reason

    @property
    def needs_audit(self) -> bool:
        """Whether stored texts may be no articles: none was judged, or the last run has seen new ones."""
        return not self._is_audited or bool(self._new_keys())

    def _new_keys(self) -> set[str]:
        found = self._asked.values()
        return {one.key for one in found if one.tries == 1 and one.outcome == "again"}

    def audit(self, stored: Sequence[PageAnswer]) -> list[PageAnswer]:
        """Return those of the stored texts that are no articles; they are to be requested again."""
        if self._is_audited:
            new = self._new_keys()
            return [one for one in stored if one.key in new]
        groups: dict[str, _Group] = defaultdict(_Group)
        self._lengths.extend(answer.length for answer in stored[-_MOST_LENGTHS:])
        for answer in stored:
            groups[answer.key].join(answer)
        self._is_audited = True
        return [one for each in groups.values() for one in self._judged(each, each.answers())]

    def outcome(self, answer: PageAnswer, *, holds_other: bool) -> Outcome:
        """Decide what becomes of an article that was recognised as none.

        It is requested again until it has given the same answer in three runs. Then it counts as gone
        if it is one that the site sends elsewhere, or of which it says so, or of which an earlier text
        is stored (``holds_other``); otherwise the answer is believed. Where its title is missing, or
        the answer is about logins and limits, two days must have passed. A captcha is never believed.
        """
        asked = self._asking(answer)
        is_gone = answer.sent not in ("", SENT_LOGIN) or answer.said == "missing"
        is_titled = bool(answer.is_titled) and not answer.is_shrunk
        is_plain = is_gone or (is_titled and not answer.said)
        has_waited = (self._today - date.fromisoformat(asked.first)).days >= _DAYS
        is_wall = answer.said == "block" and not (answer.is_titled or answer.sent)
        if asked.tries < _TRIES or is_wall or not (is_plain or has_waited):
            return "again"
        is_login = answer.sent == SENT_LOGIN or (answer.said == "login" and not answer.is_titled)
        outcome: Outcome = "gone" if is_gone or holds_other or is_login else "believed"
        self._settled[outcome] += asked.outcome == "again"
        self._asked[check_code(answer.url)] = asked._replace(outcome=outcome)
        del self.found[answer.url]
        if outcome == "believed" and is_plain:
            self._believed.add(answer.key)
        return outcome

    def sentence(self, count: int) -> str:
        """Return a sentence on the pages that are no articles, of ``count`` requested; ``""`` without any."""
        if not self.found:
            return ""
        alike = Counter(one.key for one in self.found.values())
        reasons = Counter(
            "same text" if alike[one.key] > 1 and not one.sent else one.reason
            for one in self.found.values()
        )
        words = ", ".join(f"{number} {reason}" for reason, number in reasons.most_common())
        words = next(iter(reasons)) if len(reasons) == 1 else words
        return (
            f"{len(self.found)} of {count} entries gave a page that is no article ({words}); "
            "the next run requests them again"
        )

    def note(self) -> str:
        """Return a sentence on the articles that are no longer requested; ``""`` without any."""
        gone, believed = self._settled["gone"], self._settled["believed"]
        said = [f"{believed} are stored with it"] if believed else []
        said += [f"{gone} count as gone"] if gone else []
        return (
            f"of the articles with the same answer in {_TRIES} runs, {' and '.join(said)}"
            if said
            else ""
        )

    def to_json(self) -> dict[str, Any]:
        """Return the state for the next run as a JSON object."""
        asked = {
            url: one
            for url, one in self._asked.items()
            if one.outcome == "believed" or url not in self._read
        }
        asked |= {check_code(one.url): self._asking(one) for one in self.found.values()}
        # Halved, so that a site may change.
        scale = 2 if self._titled + self._untitled > _MOST_COUNTED else 1
        return {
            "titled": self._titled // scale,
            "untitled": self._untitled // scale,
            "lengths": list(self._lengths),
            "asked": dict(list(asked.items())[-_MOST_ASKED:]),
            "believed": sorted(self._believed)[:_MOST_ASKED],
            "is_audited": self._is_audited,
        }

    def _asking(self, answer: PageAnswer) -> _Asked:
        before = self._asked.get(check_code(answer.url))
        if before and before.key == answer.key:
            return before._replace(tries=before.tries + 1)
        return _Asked(answer.key, answer.reason, 1, self._today.isoformat())

    def _judged(self, group: _Group, answers: Iterable[PageAnswer]) -> list[PageAnswer]:
        """Set the reasons of answers of a group, and return those that have one now."""
        fresh = [one for one in answers if not one.reason]
        for one in fresh:
            one.reason = self._reason(one, len(group.titles), len(group.same.get(one.exact, ())))
        return [one for one in fresh if one.reason]

    def _reason(self, one: PageAnswer, alike: int, same: int) -> str:
        """Return why a text is no article that ``alike`` titles have, ``same`` of them exactly; else ``""``."""
        before = self._asked.get(check_code(one.url))
        if before and before.key == one.key:
            one.sent = one.sent or (before.reason if before.reason.startswith("sent ") else "")
            return "" if before.outcome == "believed" else before.reason
        is_foreign = one.is_titled is False and self._shows_titles
        if one.is_cut or (one.is_shrunk and (one.said or is_foreign)):
            return _REASONS.get(one.said, "shorter than before")
        is_plain = one.is_titled and not one.said
        if is_plain and (not one.length or one.key in self._believed):
            return ""
        is_short = len(self._lengths) >= _KNOWN and _SHORT * one.length < median(self._lengths)
        if one.sent or one.said == "error":
            return one.sent or _REASONS[one.said]
        if not one.is_first:
            # Last pages are short, and tables of prices may be those of the day before.
            return _REASONS[one.said] if one.said and is_foreign else ""
        if (same >= _SEVERAL and not one.is_titled) or (
            same > 1 and (is_foreign or is_short or one.said)
        ):
            return "same text"
        if alike > 1 and (is_foreign or one.said == "block"):
            return "same text"
        if one.said and (not one.is_titled or (is_short and one.length <= _LONGEST_HINT)):
            return _REASONS[one.said]
        return "without its title" if is_foreign and is_short else ""
