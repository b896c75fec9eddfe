"""Search for readers with superlinear running time, over all words of all lists and their pairs.

    python benchmarks/reader_complexity.py [READER ...] [--words 5] [--pairs] [--size-factor 1] [--all]

Prints each reader, form and repeated piece whose time grows by more than a factor of 2.5 when the
text doubles, and the slowest piece of each reader; ``--all`` uses every word of every list, which
takes hours.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.complexity import vocabulary
from tests.complexity.growth import LARGEST_FACTOR, Growth, growth
from tests.complexity.readers import Form, Reader, readers, url_readers

LIMIT = 12  # seconds a measurement


class TooSlow(BaseException):
    """A measurement that was aborted."""


def _too_slow(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlow


def pieces_for(name: str, most: int, *, with_pairs: bool) -> Iterator[tuple[str, str]]:
    """Yield list and piece for a reader: parts of URLs for readers of URLs, tags for readers of pages."""
    if name in url_readers():
        yield from (("URL parts", piece) for piece in vocabulary.url_pieces())
    else:
        yield from vocabulary.pieces(most, with_pairs=with_pairs)
        yield from (("tags", piece) for piece in vocabulary.tag_pieces())


def measured(reader: Reader, form: Form, piece: str, factor: float) -> Growth | None:
    """Return the growth, None if the measurement takes too long."""
    sample: Callable[[int], str] = lambda size: form(piece, size)  # noqa: E731
    signal.alarm(LIMIT)
    try:
        return growth(reader.read, sample, int(reader.size * factor))
    except TooSlow:
        return None
    finally:
        signal.alarm(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--words", type=int, default=5, help="of each list")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--all", action="store_true", help="every word of every list")
    parser.add_argument("--size-factor", type=float, default=1.0)
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_slow)
    known = {**readers(), **url_readers()}
    for name in given.readers or known:
        reader, slowest, count = known[name], (0.0, ""), 0
        most = sys.maxsize if given.all else given.words
        for words, piece in pieces_for(name, most, with_pairs=given.pairs):
            for form in reader.forms:
                count += 1
                found = measured(reader, form, piece, given.size_factor)
                what = f"{form.__name__} of {piece[:30]!r} ({words})"
                if found is None:
                    print(f"{name}: {what}: over {LIMIT} s", flush=True)
                    continue
                slowest = max(slowest, (found.seconds[-1], what))
                if found.factor > LARGEST_FACTOR:
                    print(f"{name}: {what}: x{found.factor:.1f}: {found}", flush=True)
        print(f"{name}: {count} measurements, slowest {slowest[0]:.2f} s for {slowest[1]}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
