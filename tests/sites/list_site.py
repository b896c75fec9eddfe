"""A model of a site with a list that changes while it is read, and a crawler that has the walk only.

Entries are numbers. What can happen to the list and to its answers is drawn by a random generator, so
that a history is given by its seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, NamedTuple

from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.list_walk import ListWalk
from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.spider_arguments import TitleFilter
from focuscrawl.stored_records import KnownArticle
from tests.sites.stored import stored

START = date(2026, 3, 1)
ROOT = "http://list.test/"
_CHANGES = "new new new flood delete delete pin bump date swap late".split()


@dataclass
class Listed:
    """An entry: its number, and the date that the list prints."""

    number: int
    day: date | None


@dataclass
class Site:
    """A list of pages; ``style`` says how they lead on, ``tail`` what is behind the last page.

    ``blanks`` are pages without entries that lead on, such as days without a newspaper. A run wants the
    entries of the last ``since`` days only, or all.
    """

    random: random.Random
    style: str
    tail: str
    size: int
    is_dated: bool
    entries: list[Listed] = field(default_factory=list)
    pinned: list[Listed] = field(default_factory=list)
    today: date = START
    added: int = 0
    hidden: set[int] = field(default_factory=set)
    """Entries that were put below old ones, so that no top of the list tells of them."""
    old: set[int] = field(default_factory=set)
    """Entries that the last complete run has seen."""
    answers: dict[int, str] = field(default_factory=dict)
    """What is wrong with a page for as long as it stands here."""
    snapshot: list[int] = field(default_factory=list)
    blanks: frozenset[int] = frozenset()
    since: int | None = None

    @classmethod
    def drawn(cls, draw: random.Random) -> Site:
        """Return a site with some entries."""
        style = draw.choice(("linked", "linked", "counted", "hidden numbers"))
        tail = draw.choice(("empty", "missing", "last again", "first again"))
        if style != "counted":
            tail = draw.choice(("missing", "missing", "leads to itself", "leads back"))
        site = cls(draw, style, tail, draw.choice((3, 5, 10, 20)), draw.random() < 0.7)
        if style == "linked" and draw.random() < 0.3:
            site.blanks = frozenset(draw.choice(((2,), (1, 2), (3, 4, 5), (2, 4))))
        elif site.is_dated and draw.random() < 0.2:
            site.since = 30
        site.publish(draw.randrange(1, 6 * site.size))
        for _ in range(draw.choice((0, 0, 1, 2, 4))):
            site.pin()
        return site

    @property
    def listed(self) -> list[Listed]:
        return [*self.pinned, *self.entries]

    @property
    def first_day(self) -> date | None:
        """The first day that a run wants."""
        return self.today - timedelta(days=self.since) if self.since else None

    @property
    def numbers(self) -> list[int]:
        return [one.number for one in self.listed]

    def _new(self, day: date) -> Listed:
        self.added += 1
        return Listed(self.added, day if self.is_dated else None)

    def publish(self, count: int) -> None:
        """Put new entries on top, below the pinned ones."""
        for _ in range(count):
            self.entries.insert(0, self._new(self.today))

    def move_up(self) -> None:
        """Put a block of old notices on top."""
        for _ in range(self.random.randrange(10, 25)):
            self.entries.insert(0, self._new(self.today - timedelta(days=400)))

    def pin(self) -> None:
        """Pin an old or a new entry, with a date of long ago, of today or to come."""
        if len(self.pinned) >= 4:
            self.pinned.pop(self.random.randrange(len(self.pinned)))
            return
        days = self.random.choice((-300, 0, 0, 200))
        self.pinned.insert(0, self._new(self.today + timedelta(days=days)))

    def change(self) -> None:
        """Let one thing happen to the list."""
        draw, entries = self.random, self.entries
        what = draw.choice(_CHANGES)
        if what == "new":
            self.publish(draw.randrange(1, 4))
        elif what == "flood":
            self.publish(draw.randrange(1, 4 * self.size))
        elif what == "pin":
            self.pin()
        elif len(entries) > 1:
            place = draw.randrange(len(entries))
            if what == "delete":
                del entries[place]
            elif what == "bump":
                entries.insert(0, entries.pop(place))
            elif what == "date" and entries[place].day and not self.since:
                entries[place].day = START + timedelta(days=draw.randrange(-400, 400))
            elif what == "swap" and place:
                entries[place - 1 : place + 1] = entries[place], entries[place - 1]
            elif what == "late":
                entries.insert(place, self._new(self.today - timedelta(days=place)))

    def note_hidden(self) -> None:
        """Note the new entries that stand below five or more that a complete run has seen."""
        above = 0
        for one in self.listed:
            if one.number in self.old:
                above += 1
            elif above >= 5:
                self.hidden.add(one.number)

    def page(self, place: int, number_of: dict[str, int]) -> tuple[str, ListPage | None]:
        """Return the answer for a page, and the page if there is one."""
        fault = self.answers.get(place, "")
        if fault in ("failed", "foreign", "no entries"):
            return fault, None
        numbers = self.snapshot if fault == "stale" and self.snapshot else self.numbers
        full = max(1, -(-len(numbers) // self.size))
        places = [one for one in range(1, full + 9) if one not in self.blanks][:full]
        last = places[-1]
        shown = place
        if place > last:
            if self.tail == "missing":
                return "missing", None
            shown = {"last again": last, "first again": 1}.get(self.tail, place)
        index = places.index(shown) if shown in places else full
        chosen = numbers[index * self.size : (index + 1) * self.size]
        days = {one.number: one.day for one in self.listed}
        entries = [
            ListEntry(f"{ROOT}{number}.html", f"第{number}期", days.get(number), "")
            for number in chosen
        ]
        if fault == "empty":
            entries = []
        leads_on = place < last and fault not in ("no pager", "loop")
        following = self.url(place + 1) if self.style == "counted" or leads_on else ""
        if self.style != "counted" and (fault == "loop" or place == last):
            loops = {"leads to itself": place, "leads back": max(1, place - 1)}
            if fault == "loop" or self.tail in loops:
                following = self.url(loops.get(self.tail, place))
        if self.style == "counted" and not entries:
            following = ""
        number_of.setdefault(following, place + 1)
        if place in self.blanks and leads_on:
            return "no entries", ListPage([], following)
        return "", ListPage(entries, following, self.style == "counted")

    def url(self, place: int) -> str:
        """Return the URL of a page; those of some sites tell nothing about their number."""
        if self.style == "hidden numbers":
            return f"{ROOT}list/{'abcdefghijklmnopqrstuvwxyz'[place % 26]}{'x' * (place // 26)}"
        return f"{ROOT}list?page={place}"


class Events(NamedTuple):
    """What happens during a run.

    Before each answer something happens to the list with the probability ``moves``. With the probability
    ``heals``, a fault is over after its first answer. A run that dies stores its articles until then, but
    no state.
    """

    is_whole: bool = False
    moves: float = 0.0
    heals: float = 0.0
    dies_after: int | None = None


@dataclass
class Run:
    """What came of a run: its requests, whether it was complete, and what it found late."""

    steps: list[str]
    is_complete: bool
    late: int


class History:
    """Runs on a site, one after the other, with the articles and the state that they have stored."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.stored: dict[str, KnownArticle] = {}
        self.state: dict[str, Any] | None = None
        self.days = 0

    def run(self, events: Events) -> Run:
        """Run once."""
        site, draw = self.site, self.site.random
        site.note_hidden()
        state = self.state
        walk = ListWalk(
            TitleFilter(""),
            since=self.site.first_day,
            coverage=Coverage.from_json(state),
            believed=frozenset(state["doubts"] if state else ()),
            is_whole_due=events.is_whole,
            pick=draw.choice,
        )
        step = walk.start(site.url(1))
        number_of = {site.url(place): place for place in range(1, 200)}
        steps: list[str] = []
        while step:
            if events.dies_after is not None and len(steps) >= events.dies_after:
                return Run(steps, False, 0)
            if draw.random() < events.moves:
                site.change()
            steps.append(step.kind)
            assert len(steps) < 2000
            place = number_of[step.url]
            # A cache is passed by where the walk asks for that.
            if step.kind != "page" and draw.random() < events.heals:
                site.answers.pop(place, None)
            trouble, page = site.page(place, number_of)
            if page is None and not walk.pages and walk.kind == "page":
                return Run(steps, False, 0)
            if page is None or trouble:
                following = page.next_url if page else ""
                step = walk.fail(trouble, step.url, trouble, following)  # type: ignore[arg-type]
                continue
            choice = walk.read(page, step.url, self.stored)
            for entry in choice.fetch:
                self.stored[entry.url_md5] = stored(entry)
            step = choice.next
        found = walk.state(site.today)
        self.state = found or self.state
        is_complete = not (walk.trouble or walk.doubts)
        site.note_hidden()
        if is_complete:
            site.old = set(site.numbers) - set(self.missing())
        return Run(steps, is_complete, walk.late)

    def missing(self) -> list[int]:
        """Return the entries of the list that are not stored."""
        urls = {known.url for known in self.stored.values()}
        first = self.site.first_day or date.min
        wanted = [one.number for one in self.site.listed if (one.day or first) >= first]
        return [one for one in wanted if f"{ROOT}{one}.html" not in urls]


@dataclass
class Outcome:
    """What came of a history: what was lost, the runs so far, and the requests of a quiet morning."""

    lost: list[int]
    runs: list[Run]
    quiet: list[str]


_FAULTS = ("stale", "stale", "empty", "failed", "foreign", "no entries", "no pager", "loop")


def play(seed: int, begin: Callable[[Site], History] = History) -> Outcome:
    """Play a history of three to eight days, then a healthy day with new entries, and a quiet one.

    Lost is what a run that was complete has not stored, although it stood on the list before and after
    it. Left out are entries that were put below five old ones: no top of the list tells of them, and the
    walk to the end of the list finds them. So it does with what slips between pages when entries are
    deleted, or a cache gives an old page, while more than ten pages are read, and what is behind an old page
    of a cache that cannot be passed by. Lists with three entries a page have no stale answers,
    for one may look right in all that is on it.
    """
    draw = random.Random(seed)
    site = Site.drawn(draw)
    history = begin(site)
    runs: list[Run] = []
    for day in range(draw.randrange(3, 9)):
        site.today += timedelta(days=1)
        for _ in range(draw.choice((0, 0, 1, 1, 2, 4)) if day else 0):
            site.change()
        if site.since and day == 1:
            site.move_up()
        faults = [one for one in _FAULTS if one != "stale" or site.size >= 5]
        site.answers = {draw.randrange(2, 6): draw.choice(faults)} if draw.random() < 0.35 else {}
        before = set(site.numbers)
        moves, heals = draw.choice((0, 0, 0.1, 0.4)), draw.choice((0, 0.5, 1))
        dies_after = draw.randrange(1, 8) if draw.random() < 0.15 else None
        run = history.run(Events(moves=moves, heals=heals, dies_after=dies_after))
        runs.append(run)
        missing = before.intersection(history.missing()) & set(site.numbers) - site.hidden
        is_stale = "stale" in site.answers.values()
        is_left_out = (moves or is_stale) and len(site.numbers) > 10 * site.size
        # Nothing tells of a list page of yesterday that is served as if it were of today.
        is_left_out |= is_stale and heals < 1
        # An end that is not sure is looked at by the next run.
        is_sure = not history.state or history.state.get("end_is_sure", True)
        if run.is_complete and missing and is_sure and not is_left_out:
            return Outcome(sorted(missing), runs, [])
        if draw.random() < 0.6:
            site.snapshot = site.numbers
    site.answers = {}
    # What is doubtful is believed by the second of them.
    runs += [history.run(Events(is_whole=True)) for _ in range(3)]
    if missing := history.missing():
        return Outcome(missing, runs, [])
    site.publish(2)
    runs.append(history.run(Events()))
    return Outcome(history.missing(), runs, history.run(Events()).steps)
