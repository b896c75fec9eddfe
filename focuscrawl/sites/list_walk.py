"""Incremental walk through the list pages of a site: which page to read next, and the entries to request.

An entry that stands on a page that a walk reads is requested, or known. A walk ends where the list joins
what earlier runs have read, or at the end of the list; what it cannot be sure of is a doubt, which makes
the run incomplete and is believed when the next run meets it again. Dates and clocks decide nothing
about the end of a walk, unless the user gives ``since``.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice, pairwise
from typing import Any, Literal, NamedTuple

from focuscrawl.sites.foreign_pages import is_home
from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.page_forms import is_posted
from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.spider_arguments import TitleFilter
from focuscrawl.stored_records import KnownArticle

# More entries than a site pins to the top of its list.
_LEAST_JOINT = 5
_MOST_PINNED = 30
_LEAST_CHAIN = 200
_KEY_DIGITS = 16
# Behind a hole the list goes on, so something is missing, however often that happens.
_NEVER_BELIEVED = ("hole ", "loop ")
_RUN_AGAIN = "run again: if the next run meets this again, it is believed"
# Pages that are remembered for a look, and pages of a walk that are all read a second time.
_MOST_PAGES, _MOST_CHECKED = 60, 10
_MOST_PASSES = 3
# Entries below one that tell whether it is out of order, even if as many are pinned as may be.
_NEIGHBOURS = 2 * _MOST_PINNED
_MOST_HOLES = 10
_MOST_TRIED = 1000
_NUMBER = re.compile(r"\d+")

Kind = Literal["page", "again", "probe", "check", "look"]
Trouble = Literal["missing", "no entries", "foreign", "failed"]


class ListStep(NamedTuple):
    """A list page to request. All but a plain ``page`` must not come from a cache."""

    url: str
    kind: Kind


@dataclass(slots=True)
class Choice:
    """Decision about one list page. ``late`` entries were missed by earlier runs."""

    fetch: list[ListEntry] = field(default_factory=list)
    unchanged: int = 0
    late: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    next: ListStep | None = None


@dataclass(frozen=True, slots=True)
class _Answer:
    """A page that was read (``page``), or the reason why there is none."""

    url: str
    kind: Kind
    page: ListPage | None = None
    keys: Sequence[str] = ()
    late: int = 0
    trouble: Trouble | None = None
    sentence: str = ""


@dataclass(slots=True)
class _Pass:
    """One way down the list: the entries in order, and how they join the chain of earlier runs."""

    entries: dict[str, date | None] = field(default_factory=dict)
    pages: list[tuple[str, Sequence[str]]] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)
    indexes: set[int] = field(default_factory=set)
    joined: int = 0
    """The number of consecutive entries of the chain that the pass has read last."""
    place: int = 0
    """The place of the last of these in the chain, without what is floating."""
    is_below: bool = False
    """Whether the pass has read so much of the chain that it could stop."""
    is_counted: bool = False
    more: str = ""
    gaps: dict[str, str] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    doubts: dict[str, str] = field(default_factory=dict)
    repeats: int = 0
    overlaps: int = 0
    older: int = 0
    """The number of entries read last that are all older than ``since``."""
    end: str = ""
    ended: Literal["", "since", "joint", "end"] = ""
    end_is_sure: bool = True


_Steps = Generator[ListStep, _Answer, None]


@dataclass(slots=True)
class ListWalk:
    """Walk of a list from its first page until the rest is known.

    Call :meth:`start`, request the page of the step that it returns, and pass what came of it to
    :meth:`read` or :meth:`fail`, which return the next step, until there is none. A known, complete
    article is not requested again unless its stamp, title or date on the list has changed, or its prices
    are to be read and were not.

    The walk goes down page by page. It stops where at least five consecutive entries are those of the
    chain of earlier runs, and most of the entries above these in the chain have been seen as well. A page
    that has no entries, only entries that were seen, or a gap to the chain is requested again, and the
    page behind it tells whether the list has ended there. If the walk has read several pages, it reads
    them again from the last to the first (of more than ten only the first), since entries slip
    from page to page if one is inserted or deleted meanwhile. At last it looks at one page further down,
    at random, and if an entry is unknown there, it reads the rest of the list.

    ``is_whole_due`` lets the walk go to the end of the list. ``believed`` has the doubts of the run
    before, ``shown`` what the list has shown of its upper entries, ``siblings`` the walks of all start
    URLs, which may be the pages of one list.
    """

    title: TitleFilter
    since: date | None = None
    until: date | None = None
    max_pages: int | None = None
    coverage: Coverage | None = None
    reads_prices: bool = False
    believed: frozenset[str] = frozenset()
    is_whole_due: bool = False
    has_next: bool = True
    shown: Mapping[str, str] = field(default_factory=dict)
    siblings: Mapping[str, ListWalk] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons why entries are not wanted, by ``url_md5``, beside dates and titles."""
    has_other_addresses: bool = False
    """Whether the entries of the last run may be there under other addresses."""
    pick: Callable[[Sequence[str]], str] = random.choice
    wanted: int = 0
    first_entries: int = 0
    has_ended: bool = False
    loops: bool = False
    leads_nowhere: bool = False
    trouble: str = ""
    """The reason why the walk was aborted before the end of the list, ``""`` if it was not."""
    visited: set[str] = field(default_factory=set)
    listed: dict[str, ListEntry] = field(default_factory=dict)
    newest: date | None = None
    oldest: date | None = None
    late: int = 0
    _start: str = ""
    _step: ListStep | None = None
    _steps: _Steps | None = None
    _kind: Kind = "page"
    _pass: _Pass = field(default_factory=_Pass)
    _seen: dict[str, str] = field(default_factory=dict)
    _solid: list[str] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    _top: list[str] = field(default_factory=list)
    _unknown: set[str] = field(default_factory=set)
    _late_keys: set[str] = field(default_factory=set)
    _known_in_a_row: int = 0

    def start(self, url: str) -> ListStep:
        """Return the first step; ``url`` is that of the first page."""
        if self.coverage:
            floating = self.coverage.floating
            self._solid = [key for key in self.coverage.chain if key not in floating]
            self._places = {key: place for place, key in enumerate(self._solid)}
        self._start = url
        self._steps = self._walk()
        self._step = next(self._steps)
        return self._step

    def read(self, page: ListPage, url: str, known: Mapping[str, KnownArticle]) -> Choice:
        """Take the page at ``url`` and decide on its entries; ``known`` are those in the stores."""
        assert self._step
        kind, choice = self._step.kind, Choice()
        if kind == "page" and not self._pass.pages:
            self.first_entries = self.first_entries or len(page.entries)
        keys = [_key(entry) for entry in page.entries]
        self._choose(page.entries, keys, known, choice)
        if kind in ("page", "again"):
            self._note_dates(page)
        choice.next = self._advance(_Answer(url, kind, page, keys, choice.late))
        return choice

    def fail(
        self, trouble: Trouble, url: str, sentence: str = "", following: str = ""
    ) -> ListStep | None:
        """Take the failure of the page at ``url``, and return the next step.

        A page without entries may link to a ``following`` one.
        """
        page = ListPage([], following) if following else None
        return self._advance(_Answer(url, self.kind, page, trouble=trouble, sentence=sentence))

    def end_unread(self) -> None:
        """End before the first page: the list has nothing that the last run has not seen, or no entries."""
        self._step, self.has_ended = None, True

    @property
    def pages(self) -> int:
        """The number of list pages read on the last way down."""
        return len(self._pass.pages)

    @property
    def kind(self) -> Kind:
        """The kind of the step that is to be answered, ``page`` before the start."""
        return self._step.kind if self._step else "page"

    @property
    def repeats_first(self) -> bool:
        """Whether the second list page has nothing but entries of the first."""
        return self.pages == 1 and self._pass.repeats > 0

    @property
    def doubts(self) -> list[str]:
        """Sentences on what is doubtful for the first time, so that the walk proves nothing."""
        return [
            text if name.startswith(_NEVER_BELIEVED) else f"{text}; {_RUN_AGAIN}"
            for name, text in self._doubtful.items()
            if not self._is_believed(name)
        ]

    @property
    def believed_doubts(self) -> list[str]:
        """Sentences on what was as doubtful in the run before, and is believed now."""
        return [text for name, text in self._doubtful.items() if self._is_believed(name)]

    @property
    def _doubtful(self) -> dict[str, str]:
        return self._pass.doubts | self._lost_joint()

    def _is_believed(self, name: str) -> bool:
        return name in self.believed and not name.startswith(_NEVER_BELIEVED)

    def _lost_joint(self) -> dict[str, str]:
        """Doubt a list that shares nothing with what the last run read: what stood between was not seen.

        The pages of a list may be walked as lists of their own, from whose tops entries move to the next.
        """
        way = self._pass
        is_met = bool(way.indexes) or self.has_other_addresses
        if way.ended != "end" or is_met or not (self._solid and way.entries):
            return {}
        others = [walk for walk in self.siblings.values() if walk is not self]
        if _are_most_in(self._solid, {key for walk in others for key in walk._seen}):
            return {}
        if _are_most_in(list(way.entries), {key for walk in others for key in walk._places}):
            return {}
        keys = list(way.entries)
        # Believed as soon as the list joins what the run before has read.
        names = [name for key in keys if (name := f"joint {key}") in self.believed]
        sentence = (
            f"no entry of the last run is left on {self._start}; what has come and gone meanwhile, or "
            "stands on pages that are not reached, is missing"
        )
        return {(names or [f"joint {keys[len(keys) // 2]}"])[0]: sentence}

    @property
    def oldest_first(self) -> bool:
        """Whether the entries of several pages are listed from the oldest to the newest."""
        dated = sum(day is not None for day in list(self._pass.entries.values())[:_LEAST_CHAIN])
        is_ascending = dated > 1 and 5 * len(self._out_of_order()) > 4 * dated
        return self.pages > 1 and (is_ascending or self._grows_at_end())

    def misses(self, known: KnownArticle) -> bool:
        """Return whether an article is no longer listed although its date and title say it should be."""
        if not (known.published and self.oldest and self.newest):
            return False
        first, last = self.since or date.min, self.until or date.max
        # Strictly, since articles of the oldest day may be on the next list page.
        is_within = self.oldest < known.published <= self.newest
        return (
            is_within
            and first <= known.published <= last
            and known.url_md5 not in self.listed
            and self.title.matches(known.title)
        )

    def state(self, today: date, unstored: Collection[str] = ()) -> dict[str, Any] | None:
        """Return what to store for the next run: coverage and doubts; None if nothing was found out.

        ``unstored`` are check codes of articles that could not be stored, such as those that robots.txt
        forbids.
        """
        if not self.has_ended:
            return None
        coverage = self._new_coverage(today, unstored)
        kept = coverage or self.coverage
        doubts = sorted(self._doubtful)
        if not (coverage or doubts or self.believed):
            return None
        shown = dict(islice({**self._seen, **self.shown, **self._seen}.items(), _MOST_TRIED))
        return (kept.to_json() if kept else {}) | {"doubts": doubts, "shown": shown}

    def _new_coverage(self, today: date, unstored: Collection[str]) -> Coverage | None:
        way = self._pass
        if self.trouble or self.doubts or not way.ended or self.until is not None:
            return None
        before = self.coverage or Coverage(today)
        joins = way.ended == "joint"
        order = list(dict.fromkeys([*self._top, *way.entries]))
        if joins:
            last = before.chain.index(self._solid[way.place])
            order += [key for key in before.chain[last + 1 :] if key not in way.entries]
        length = max(_LEAST_CHAIN, 2 * self.first_entries)
        order = order[:length]
        pages = [url for url, _ in way.pages[1:]]
        pages += [url for url in before.pages if joins and url not in pages]
        step = max(1, -(-len(pages) // _MOST_PAGES))
        is_end = way.ended == "end"
        # The largest number, so that a list that was lost is reported until the profile is corrected.
        return Coverage(
            today,
            self.since if way.ended == "since" else before.since if joins else None,
            max(self.first_entries, before.entries),
            tuple(order),
            frozenset(self._floating(order)),
            # The last one always: a page behind the end may repeat it.
            tuple(pages[::-step][::-1]),
            (way.end or way.pages[-1][0]) if is_end else before.end if joins else "",
            way.end_is_sure if is_end else before.end_is_sure,
            before.whole if joins else today,
            self._tried(before, unstored, joins=joins),
            self._grows_at_end(),
        )

    def _tried(self, before: Coverage, unstored: Collection[str], *, joins: bool) -> frozenset[str]:
        tried = {check_code[:_KEY_DIGITS] for check_code in unstored} & self._seen.keys()
        tried |= self._late_keys
        kept = before.tried if joins else before.tried & self._seen.keys()
        return frozenset(sorted(tried | kept)[:_MOST_TRIED])

    def _floating(self, order: list[str]) -> set[str]:
        """Return the entries that say nothing about what stands below them."""
        if self._grows_at_end() or (self.late and self._solid):
            # What stood above new entries has not told that they were there.
            return set(order)
        floating = self._out_of_order()
        before = self.coverage or Coverage(date.min)
        new = (
            [place for place, key in enumerate(order) if self._is_new(key)] if before.chain else []
        )
        if self._solid and not new:
            floating |= before.floating
        elif new and new[0] > _MOST_PINNED and not self._solid:
            # Again not on top.
            return set(order)
        elif new and new[0] <= _MOST_PINNED:
            # They have kept their places above what is new.
            floating.update(order[: new[0]])
        return floating & set(order)

    def _grows_at_end(self) -> bool:
        way, before = self._pass, self.coverage
        # Entries that were older than ``since`` are not new.
        if not (before and before.chain) or before.since:
            return False
        keys = list(way.entries)
        if not keys or way.ended != "end" or self._unknown.intersection(keys[:_LEAST_JOINT]):
            return False
        return before.grows_at_end or keys[-1] in self._unknown

    @property
    def _loose(self) -> frozenset[str]:
        """The entries that were floating before."""
        return self.coverage.floating if self.coverage else frozenset()

    def _is_new(self, key: str) -> bool:
        """Return whether an entry is not among those that the top of the list had before."""
        return key not in self._places and key not in self._loose

    def _out_of_order(self) -> set[str]:
        """Return the entries most of whose neighbours below are newer."""
        entries = islice(self._pass.entries.items(), _LEAST_CHAIN)
        dated = [(key, day) for key, day in entries if day]
        found = set()
        for place, (key, day) in enumerate(dated):
            below = dated[place + 1 : place + 1 + _NEIGHBOURS]
            if 2 * sum(other > day for _, other in below) > len(below):
                found.add(key)
        return found

    def _choose(
        self,
        entries: Sequence[ListEntry],
        keys: Sequence[str],
        known: Mapping[str, KnownArticle],
        choice: Choice,
    ) -> None:
        """Divide the entries that the run has not seen before."""
        for entry, key in zip(entries, keys, strict=True):
            if key in self._seen:
                continue
            self._seen[key] = entry.shown
            if not self._is_wanted(entry, choice.dropped):
                continue
            self.wanted += 1
            self.listed[entry.url_md5] = entry
            held = known.get(entry.url_md5)
            if held is None:
                self._unknown.add(key)
            if self._is_late(key, held):
                choice.late += 1
                self._late_keys.add(key)
            if self._is_settled(entry, held):
                choice.unchanged += 1
            else:
                choice.fetch.append(entry)
        self.late += choice.late

    def _is_late(self, key: str, held: KnownArticle | None) -> bool:
        """Return whether an entry, by its place on the list, should be stored already."""
        if not self.coverage or self.kind == "check":
            return False
        if not self.coverage.chain:
            # A version before this one has taken the rest as covered.
            self._known_in_a_row = self._known_in_a_row + 1 if held else 0
            self._pass.is_below |= self._known_in_a_row >= _LEAST_JOINT
        is_below = self._pass.is_below or self.kind == "look"
        return held is None and is_below and key not in self.coverage.tried

    def _is_settled(self, entry: ListEntry, known: KnownArticle | None) -> bool:
        if known is None or known.is_gone or not known.is_complete:
            return False
        if self.reads_prices and not known.has_prices_read:
            return False
        if (shown := self.shown.get(_key(entry))) and entry.has_changed(shown, known):
            return False
        return not entry.stamp or entry.proves_nothing or entry.stamp == known.stamp

    def _is_wanted(self, entry: ListEntry, dropped: Counter[str]) -> bool:
        # What was changed last before a day was published before it.
        day = entry.published or entry.changed
        if self.since and day and day < self.since:
            reason = "before since"
        elif self.until and entry.published and entry.published > self.until:
            reason = "after until"
        elif not self.title.matches(entry.title):
            reason = "title"
        elif entry.url_md5 in self.refused:
            reason = self.refused[entry.url_md5]
        else:
            return True
        dropped[reason] += 1
        return False

    def _note_dates(self, page: ListPage) -> None:
        dates = [entry.published for entry in page.entries if entry.published]
        if dates:
            self.newest = max(dates) if self.newest is None else max(self.newest, *dates)
            # The last entry instead of the minimum, since an old one may be pinned to the top.
            self.oldest = dates[-1]

    def _advance(self, answer: _Answer) -> ListStep | None:
        assert self._step
        assert self._steps
        self.visited.update((self._step.url, answer.url))
        if self._step.kind != "look":
            self._pass.visited.update((self._step.url, answer.url))
        try:
            self._step = self._steps.send(answer)
        except StopIteration:
            self._step, self.has_ended = None, True
        return self._step

    # The way of the walk, as a generator of steps that is sent the answers.

    def _walk(self) -> _Steps:
        yield from self._read_list("page")
        if self._pass.ended != "joint" or self.trouble:
            return
        if (yield from self._look()):
            self.is_whole_due = True
            yield from self._read_list("again")

    def _read_list(self, kind: Kind) -> _Steps:
        """Go down the list until it has not changed meanwhile."""
        for number in range(_MOST_PASSES):
            self._pass, self._top = _Pass(), []
            way = self._pass
            yield from self._down(kind)
            if self.trouble or not way.ended:
                return
            has_moved = yield from self._check()
            is_long = len(way.pages) > _MOST_CHECKED
            if self.trouble or not has_moved:
                break
            if number + 1 == (_MOST_PASSES - 1 if is_long else _MOST_PASSES):
                way.doubts["moves"] = f"the list at {self._start} changed while it was read"
                break
            # What has moved may have come from a cache.
            kind = "again"
        way.doubts |= {
            f"gap {key}": sentence for key, sentence in way.gaps.items() if key not in way.checked
        }
        if way.ended == "end":
            self._expect_known()

    def _expect_known(self) -> None:
        """Doubt the end of a list if many entries stood below it at the last run.

        As many as have come in on top may have been pushed out of the list.
        """
        way = self._pass
        below = [key for key in self._solid[way.place + 1 :] if key not in way.entries]
        new = len(way.entries) - len(way.indexes)
        is_shorter = (
            any(url not in way.visited for url in self.coverage.pages) if self.coverage else False
        )
        if is_shorter and way.indexes and len(below) >= new + _LEAST_JOINT:
            url = way.pages[-1][0]
            way.doubts[f"end {below[0]}"] = (
                f"the list ends on {url}, where {len(below)} entries followed at the last run"
            )

    def _down(self, kind: Kind) -> _Steps:
        self._kind = kind
        answer: _Answer | None = yield from self._ask(self._start)
        while answer and not self.trouble:
            if self._adds_nothing(answer):
                answer = yield from self._behind(answer)
                continue
            self._join(answer)
            if self._stops():
                return
            answer = yield from self._next(answer)

    def _ask(self, url: str) -> Generator[ListStep, _Answer, _Answer]:
        """Request a page, and again if there is something wrong with it."""
        answer = yield ListStep(url, self._kind)
        if self._pass.pages and (self._adds_nothing(answer) or self._begins_old(answer)):
            answer = yield ListStep(url, "again")
        is_first = not self._pass.pages and not answer.page
        if answer.trouble == "failed" or (answer.trouble and is_first):
            self.trouble = answer.sentence or f"list page failed: {answer.url}"
        return answer

    def _adds_nothing(self, answer: _Answer) -> bool:
        return not any(key not in self._pass.entries for key in answer.keys)

    def _behind(self, answer: _Answer) -> Generator[ListStep, _Answer, _Answer | None]:
        """Return the page behind one that adds nothing if it goes on, None at the end of the list.

        Behind several empty pages that link to the next one, such as days without a newspaper, it may go on.
        """
        way = self._pass
        way.repeats += bool(answer.keys)
        for _ in range(_MOST_HOLES):
            counted = self._counted_on(answer.url)
            linked = answer.page.next_url if answer.page else ""
            following = (linked if linked not in way.visited else "") or counted
            behind = (yield ListStep(following, "probe")) if following else None
            leads_on = bool(behind and behind.page and not behind.keys and behind.page.next_url)
            if behind is None or (self._adds_nothing(behind) and not leads_on):
                break
            blank = "has no entries" if linked and not answer.keys else ""
            what = "has nothing new" if answer.page else answer.sentence or "could not be read"
            way.doubts[f"{'empty' if blank else 'hole'} {answer.url}"] = (
                f"list page {answer.url}: {blank or what}, but {following} goes on"
            )
            if sum(name.startswith("hole ") for name in way.doubts) >= _MOST_HOLES:
                self.trouble = f"{_MOST_HOLES} list pages up to {answer.url} have nothing new"
            if not leads_on:
                return behind
            answer = behind
        self._end_oddly(answer, is_counted=bool(counted))
        return None

    def _end_oddly(self, answer: _Answer, *, is_counted: bool) -> None:
        way = self._pass
        way.ended = "end"
        # The next run looks there again.
        way.end, way.end_is_sure = answer.url, False
        if not way.pages:
            # An empty list of JSON.
            way.pages.append((answer.url, []))
            self.trouble = answer.sentence
            return
        last = next(reversed(way.entries))
        has_blanks = any(name.startswith("empty ") for name in way.doubts)
        trouble = "no entries" if has_blanks and answer.trouble == "foreign" else answer.trouble
        if answer.keys and len(way.pages) == 1 and not way.is_counted:
            self.trouble = f"the second page of the list is the first again: {answer.url}"
        elif way.more and len(way.pages) == 1 and not answer.keys:
            self.trouble = (
                f"the second page of the list has no entries ({answer.url}), but {way.more}"
            )
        elif answer.keys and not (way.is_counted or is_counted):
            self._doubt_loop(answer)
        elif trouble == "foreign":
            self.trouble = f"{answer.sentence}; the list pages behind it are not known"
        elif trouble == "no entries" or (trouble == "missing" and not way.is_counted):
            missing = f"list page {answer.url} does not exist"
            way.doubts[f"end {last}"] = f"the list ends oddly: {answer.sentence or missing}"

    def _doubt_loop(self, answer: _Answer) -> None:
        """Doubt an end where the list leads back, unless its last page has few entries, or fewer than others."""
        *before, last = [len(keys) for _, keys in self._pass.pages]
        if before and last >= max(min(before), _LEAST_JOINT):
            self._pass.doubts[f"loop {answer.url}"] = (
                f"the list leads back on {answer.url}, and its last page has as many entries as others, so"
                " that further ones may be missing; correct list.next"
            )

    def _join(self, answer: _Answer) -> None:
        """Append a page to the pass, and follow the chain of earlier runs."""
        way, floating = self._pass, self._loose
        if gap := self._gap(answer):
            way.gaps[gap] = (
                f"list page {answer.url} does not join the one before it: an entry that stood between "
                "them is on neither"
            )
        assert answer.page
        way.is_counted, way.more = answer.page.is_counted, answer.page.more
        last = next((key for key in reversed(way.entries) if key not in floating), "")
        first = way.pages[0][1] if way.pages else ()
        # Some sites repeat what is pinned on each page.
        way.overlaps += any(
            key == last or (key in way.entries and key not in first) for key in answer.keys
        )
        for entry, key in zip(answer.page.entries, answer.keys, strict=True):
            if key in way.entries:
                continue
            way.entries[key] = entry.published
            if self.since and entry.published:
                way.older = way.older + 1 if entry.published < self.since else 0
            if key in floating:
                continue
            place = self._places.get(key)
            if place is None:
                way.joined = 0
            else:
                way.joined, way.place = way.joined + 1, place
                way.indexes.add(place)
        way.pages.append((answer.url, answer.keys))
        way.is_below |= self._is_joined()

    def _begins_old(self, answer: _Answer) -> bool:
        """Return whether a page begins with an entry of the chain, and the one before has ended with a new one.

        Such a page may be one of yesterday from a cache.
        """
        way = self._pass
        return bool(way.pages) and not way.joined and self._first_solid(answer) in self._places

    def _first_solid(self, answer: _Answer) -> str:
        return next((key for key in answer.keys if key not in self._loose), "")

    def _gap(self, answer: _Answer) -> str:
        """Return the entry of the chain that should stand above the first one of a page, but was not seen."""
        if not self._begins_old(answer):
            return ""
        place = self._places[self._first_solid(answer)]
        above = self._solid[place - 1] if place else ""
        return "" if above in self._pass.entries else above

    def _stops(self) -> bool:
        way = self._pass
        # More of them than may be pinned to the top, or have been put there together.
        if way.older > _MOST_PINNED:
            way.ended = "since"
        elif way.is_below and not self.is_whole_due and self.coverage and self.coverage.chain:
            way.ended = "joint"
        elif self.max_pages is None or len(way.pages) < self.max_pages:
            return False
        return True

    def _is_joined(self) -> bool:
        """Return whether everything below is covered: the pass has reached the chain from its top on."""
        way, coverage = self._pass, self.coverage
        if coverage is None or way.joined < _LEAST_JOINT:
            return False
        if coverage.since and not (self.since and coverage.since <= self.since):
            return False
        # Old entries may have been moved to the top together, with new ones below them.
        on_top = sum(place < len(way.indexes) for place in way.indexes)
        return 2 * on_top >= len(way.indexes)

    def _following(self, answer: _Answer) -> str:
        """Return the URL of the next page, ``""`` if there is none that was not visited."""
        assert answer.page
        url = answer.page.next_url
        # After it has led on, a link to the page itself or to the home page is that of the last page.
        self.leads_nowhere = self.pages > 1 and (url == answer.url or (bool(url) and is_home(url)))
        self.loops = url in self._pass.visited and not self.leads_nowhere
        return "" if self.loops or self.leads_nowhere else url

    def _next(self, answer: _Answer) -> Generator[ListStep, _Answer, _Answer | None]:
        """Return the page after one, None at the end of the list, which is confirmed by a request."""
        way = self._pass
        if following := self._following(answer):
            return (yield from self._ask(following))
        behind = self._counted_on(answer.url)
        if self.has_next:
            again = yield ListStep(behind, "probe") if behind else ListStep(answer.url, "again")
            if behind and not self._adds_nothing(again):
                return again
            way.end_is_sure = bool(behind) and again.trouble != "failed"
            if again.page and not behind and (following := self._following(again)):
                return (yield from self._ask(following))
            if again.page and not behind and again.page.next_url in way.visited:
                self._doubt_loop(again)
        way.ended = "end"
        return None

    def _counted_on(self, url: str) -> str:
        """Return the URL that follows by counting from the last two pages read, or the last one and ``url``."""
        urls = [*(address for address, _ in self._pass.pages[-2:]), url]
        found = (next_counted(*pair) for pair in pairwise(urls))
        return next((one for one in found if one and one not in self._pass.visited), "")

    def _check(self) -> Generator[ListStep, _Answer, bool]:
        """Read the pages again from below, and return whether the list has changed meanwhile.

        Insertions on top are no harm: they have pushed entries to pages that were still to be read. But
        they may hide a deletion, so they are waited for.
        """
        way = self._pass
        is_quiet = not way.overlaps and not any(self._is_new(key) for key in way.entries)
        if len(way.pages) == 1 or (way.ended == "joint" and is_quiet):
            return False
        for _ in range(_MOST_PASSES):
            before = len(self._top)
            if (yield from self._check_once()):
                return True
            if self.trouble or len(self._top) == before:
                break
        return bool(self._top and way.repeats)

    def _check_once(self) -> Generator[ListStep, _Answer, bool]:
        way = self._pass
        floating = self._loose
        has_moved = False
        # The last one, too: it may be an old one from a cache, or an entry may have slipped past it.
        places = range(len(way.pages) - 1, -1, -1) if len(way.pages) <= _MOST_CHECKED else [0]
        for place in places:
            url, before = way.pages[place]
            answer = yield ListStep(url, "check")
            if not answer.page:
                self.trouble = answer.sentence or f"list page failed when read again: {url}"
                return False
            way.checked.update(answer.keys)
            has_moved |= not _only_pushed_down(before, answer.keys, floating)
            way.pages[place] = url, answer.keys
        self._top = [key for key in answer.keys if key not in way.entries]
        return has_moved

    def _look(self) -> Generator[ListStep, _Answer, bool]:
        """Look at a page further down; return whether the list is to be read to its end."""
        coverage = self.coverage
        assert coverage
        pages = [url for url in coverage.pages if url not in self.visited]
        is_end = bool(coverage.end) and not coverage.end_is_sure
        if not is_end and not pages:
            return False
        answer = yield ListStep(coverage.end if is_end else self.pick(pages), "look")
        following = answer.page.next_url if answer.page and not answer.page.is_counted else ""
        seen = ("", self._start, coverage.end, *coverage.pages)
        goes_on = is_end and following not in seen and not is_home(following)
        late = answer.late
        if goes_on and answer.keys and coverage.pages and not late:
            # The pagers of some sites lead on for ever, to the last page or to the first.
            last = yield ListStep(coverage.pages[-1], "look")
            late = last.late
            goes_on = not {*answer.keys} <= {*last.keys, *self._pass.entries}
        if is_end and not (goes_on or late or answer.trouble == "failed"):
            self.coverage = replace(coverage, end_is_sure=True)
        return bool(goes_on or late)


def _key(entry: ListEntry) -> str:
    return entry.url_md5[:_KEY_DIGITS]


def _only_pushed_down(before: Sequence[str], now: Sequence[str], floating: frozenset[str]) -> bool:
    """Return whether a page has its entries in place, or behind others, and none has vanished from it."""
    first = [key for key in before if key not in floating]
    then = [key for key in now if key not in floating]
    if set(first) == set(then):
        return True
    both = [key for key in then if key in set(first)]
    return bool(both) and both == first[: len(both)] and then[-len(both) :] == both


def _are_most_in(keys: Sequence[str], others: Collection[str]) -> bool:
    """Return whether most of the first ``keys`` are among the others."""
    first = keys[: 2 * _LEAST_JOINT]
    return 2 * sum(key in others for key in first) > len(first)


def next_counted(before: str, url: str) -> str:
    """Return the URL after ``before`` and ``url`` if they differ in one number; else ``""``.

    Of a first page, the number may be missing. What a form sends is not counted on.
    """
    if is_posted(url):
        return ""
    numbers, others = _NUMBER.findall(before), _NUMBER.findall(url)
    if _NUMBER.sub("0", before) != _NUMBER.sub("0", url):
        added = list((Counter(others) - Counter(numbers)).elements())
        is_second = added in (["1"], ["2"]) and others.count(added[0]) == 1
        third = str(int(added[0]) + 1) if is_second else ""
        return re.sub(rf"(?<!\d){added[0]}(?!\d)", third, url) if is_second else ""
    places = [
        place for place, pair in enumerate(zip(numbers, others, strict=True)) if len(set(pair)) > 1
    ]
    if len(places) != 1:
        return ""
    (place,) = places
    number = 2 * int(others[place][-9:]) - int(numbers[place][-9:])
    matches = list(_NUMBER.finditer(url))
    start, end = matches[place].span()
    return f"{url[:start]}{number:0{len(others[place])}d}{url[end:]}" if number >= 0 else ""
