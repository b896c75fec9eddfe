"""Order of the numbers of a series, and the rule that ends the walk."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

# Compact sets of integers stored as runs.


class Runs:
    """A set of integers, stored as first and last number of each run: 16 bytes per run.

    >>> 5 in Runs([1, 2, 3, 7]), 2 in Runs([1, 2, 3, 7])
    (False, True)
    """

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._firsts, self._lasts = array("q"), array("q")
        for number in sorted(numbers):
            if self._lasts and number <= self._lasts[-1] + 1:
                self._lasts[-1] = number
            else:
                self._firsts.append(number)
                self._lasts.append(number)

    def __contains__(self, number: int) -> bool:
        return self.after(number) > number

    def after(self, number: int) -> int:
        """Return the number after the run that contains ``number``, ``number`` itself if none does."""
        place = bisect_right(self._firsts, number) - 1
        return max(number, self._lasts[place] + 1) if place >= 0 else number

    def __bool__(self) -> bool:
        return bool(self._firsts)

    @property
    def first(self) -> int:
        """The smallest number; raises IndexError if the set is empty."""
        return self._firsts[0]

    @property
    def amid(self) -> int:
        """The middle number of the middle run; raises IndexError if the set is empty."""
        middle = len(self._firsts) // 2
        return (self._firsts[middle] + self._lasts[middle]) // 2

    @property
    def last(self) -> int:
        """The largest number; raises IndexError if the set is empty."""
        return self._lasts[-1]


DEFAULT_STOP_AFTER = 100
DEFAULT_REACH = 4096


class Settled(NamedTuple):
    """A number without an article below one with an article, and the reason."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkRules:
    """Bounds of a walk; numbers are ``start``, ``start + step`` … up to ``stop``.

    After ``stop_after`` consecutive numbers without an article it gallops: it requests the numbers
    1, 2, 4 … steps further, up to ``reach``. If one of them has an article, the walk continues where
    the gap began; otherwise the series has ended. At most ``read_ahead`` numbers wait for a
    response.
    """

    start: int = 1
    stop: int | None = None
    step: int = 1
    stop_after: int = DEFAULT_STOP_AFTER
    reach: int = DEFAULT_REACH
    read_ahead: int = 64


class NumberWalk:
    """Order of the numbers of a series that a run has to request.

    ``held`` have an article in the stores; ``missing`` had none in earlier runs, with True for those
    that are due for a retry. All others below the end are requested once, including those that a
    killed run left open. ``next`` returns a number or None; each returned number must be reported by
    one of ``found``, ``missing`` and ``failed``, in any order.

    A number without an article is *settled* once a higher one has been found: a number above the
    highest may simply not be published yet. The requested numbers do not depend on the order of the
    responses. Memory: 16 bytes per run of known numbers, and the numbers not settled yet.
    """

    def __init__(
        self,
        rules: WalkRules,
        held: Collection[int] = (),
        missing: Mapping[int, bool] | None = None,
    ) -> None:
        known = missing or {}
        self._rules = rules
        self._held = Runs(held)
        self._missing = Runs(known)
        self._not_due = Runs(number for number, is_due in known.items() if not is_due)
        steps = (self._held.last - rules.start) // rules.step if self._held else -1
        self.highest = rules.start + max(steps, -1) * rules.step
        self._cursor = rules.start
        self._out: set[int] = set()
        self._open: dict[int, str] = {}
        self._probes: deque[int] = deque()
        # Requested numbers above the cursor.
        self._requested_ahead: set[int] = set()
        self._galloped_from: int | None = None
        self._highest_failed = -1

    @property
    def samples(self) -> list[int]:
        """The last, a middle and the first number with a stored article; empty if there is none."""
        held = self._held
        return list(dict.fromkeys((held.last, held.amid, held.first))) if held else []

    @property
    def is_done(self) -> bool:
        """True if all numbers were reported and the end is reached."""
        return not self._out and self._peek() is None

    def next(self) -> int | None:
        """Return the next number to request; None while responses are pending, or at the end."""
        if len(self._out) >= self._rules.read_ahead:
            return None
        number = self._peek()
        if number is None:
            return None
        if self._probes:
            self._probes.popleft()
            self._requested_ahead.add(number)
        else:
            self._cursor = number + self._rules.step
        self._out.add(number)
        return number

    def found(self, number: int) -> list[Settled]:
        """Note that a number has an article; return the numbers that this settles."""
        self._out.remove(number)
        if number <= self.highest:
            return []
        self.highest = number
        settled = [Settled(n, reason) for n, reason in sorted(self._open.items()) if n < number]
        for one in settled:
            del self._open[one.number]
        return settled

    def missing(self, number: int, reason: str) -> list[Settled]:
        """Note that a number has no article; return it if it is settled."""
        self._out.remove(number)
        # A number that was settled by an earlier run stays settled.
        if number < self.highest or number in self._missing:
            return [Settled(number, reason)]
        self._open[number] = reason
        return []

    def failed(self, number: int) -> None:
        """Note that the request for a number failed; the next run retries it."""
        self._out.remove(number)
        self._highest_failed = max(self._highest_failed, number)

    @property
    def is_end_known(self) -> bool:
        """True if every requested number above the highest was reported to have no article."""
        return self._highest_failed <= self.highest

    def _peek(self) -> int | None:
        if self._probes:
            return self._probes[0]
        number = self._next_in_order()
        if number is not None or self._out or not self._may_gallop():
            return number
        self._gallop()
        return self._probes[0] if self._probes else None

    def _next_in_order(self) -> int | None:
        step = self._rules.step
        while self._cursor <= self._last_in_order():
            beyond = max(self._held.after(self._cursor), self._not_due.after(self._cursor))
            if beyond > self._cursor:
                # A whole run at once, since a million numbers may be known.
                self._cursor += -(-(beyond - self._cursor) // step) * step
            elif self._cursor in self._requested_ahead:
                self._cursor += step
            else:
                return self._cursor
        return None

    def _is_known(self, number: int) -> bool:
        return number in self._held or number in self._not_due or number in self._requested_ahead

    def _last_in_order(self) -> int:
        """Return the last number that may be requested before a higher one is found."""
        rules = self._rules
        if not rules.stop_after and rules.stop is not None:
            return rules.stop
        tail = self.highest + rules.stop_after * rules.step
        return tail if rules.stop is None else min(tail, rules.stop)

    def _may_gallop(self) -> bool:
        return bool(self._rules.stop_after) and self._galloped_from != self.highest

    def _gallop(self) -> None:
        """Add the probes beyond the last number in order."""
        rules = self._rules
        self._galloped_from = self.highest
        last = self._last_in_order()
        jump = 1
        while jump <= rules.reach:
            number = last + jump * rules.step
            is_within = rules.stop is None or number <= rules.stop
            if is_within and not self._is_known(number):
                self._probes.append(number)
            jump *= 2
