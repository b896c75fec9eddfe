"""Robustness and speed of the extraction of contact data on broken and huge pages.

    python benchmarks/contacts_reading.py [ARCHIVE.warc.gz] [--pages N] [--seed N]

Pages of a recording (default: ../shared/contacts next to the repository) are mutated: pieces are cut
out, duplicated, exchanged with those of other pages, characters are replaced. Each must be read
without an exception. Then pages of 5 MB are read, and their CPU seconds are printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.templates.extraction import Reading, combine, read_page
from focuscrawl.templates.template_loading import load_template
from focuscrawl.text.page_charset import detect

ARCHIVE = Path(__file__).resolve().parents[2] / "shared/contacts/contacts.warc.gz"
HUGE = 5_000_000
MOST_SECONDS = 2.0
SPECIAL = (
    "<", ">", "&", '"', "'", "</", "<!--", "-->", "<td>", "</table>", "<table><tr>", "<![CDATA[",
    "<script>", "</div>", "<br>", "&#x0;", "&#xD800;", "\x00", "\ud800", "\ufeff", "\ue900",
    "\ue90f", "：", "电话：", "地址", "@", "(", ")", "[", "]", "【", "】", "+86-", "0571-", "data-cfemail='",
    '{"@type":', "\\", "%", "\u3000", "İ", "\u0345", "㍿", "𝟎",
)  # fmt: skip


def texts_of(archive: Path) -> list[str]:
    bodies = [page.body for page in recorded_pages(archive) if page.status == 200]
    return [body.decode(detect(body), "replace") for body in bodies if b"<" in body]


def mutated(page: str, pages: list[str], chance: random.Random) -> str:
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(page) + 1)
        end = min(len(page), at + int(chance.expovariate(1 / 60)))
        match chance.randrange(6):
            case 0:
                page = page[:at] + page[end:]
            case 1:
                page = page[:end] + page[at:]
            case 2:
                other = chance.choice(pages)
                start = chance.randrange(len(other) + 1)
                page = page[:at] + other[start : start + end - at] + page[end:]
            case 3:
                page = page[:at] + chance.choice(SPECIAL) + page[at:]
            case 4:
                page = page[:at] + chr(chance.randrange(0x110000)) + page[at + 1 :]
            case _:
                page = page[:at] + "".join(chance.sample(page[at:end], end - at)) + page[end:]
    return page if chance.random() < 0.95 else page[: chance.randrange(len(page) + 1)]


def huge_pages(pages: list[str]) -> Iterator[tuple[str, str]]:
    longest = max(pages, key=len)
    yield "a recorded page again and again", longest * (HUGE // len(longest) + 1)
    yield "all recorded pages", ("".join(pages) * 10)[:HUGE]
    for piece in ("<p>电话：0571-8800{:04}</p>", "<table><tr><td>地址</td><td>文三路{}号</td>", "<div>",
                  "<ul><li>", "电话：", "<span>传真</span>", "<td>邮箱</td>", "a@", "("):  # fmt: skip
        count = HUGE // len(piece) + 1
        text = "".join(piece.format(n % 10_000) for n in range(count))
        yield piece, text[:HUGE]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", nargs="?", type=Path, default=ARCHIVE)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    fields = load_template("contacts").fields
    pages = texts_of(arguments.archive)
    chance = random.Random(arguments.seed)
    failed, slowest, began = 0, 0.0, time.perf_counter()
    for _ in range(arguments.pages):
        page = mutated(chance.choice(pages), pages, chance)
        start = time.perf_counter()
        try:
            reading = read_page(page, "http://firm.test/", fields)
            combine(Reading.from_json(reading.to_json()), [reading], fields)
        except Exception:
            failed += 1
            traceback.print_exc()
        slowest = max(slowest, time.perf_counter() - start)
    seconds = time.perf_counter() - began
    print(
        f"{arguments.pages} mutated pages of {len(pages)}: {failed} exceptions,"
        f" {1000 * seconds / max(arguments.pages, 1):.1f} ms a page, slowest {slowest:.2f} s"
    )
    for name, page in huge_pages(pages):
        # CPU time, since other programs may use the machine at the same time.
        start = time.process_time()
        read_page(page, "http://firm.test/", fields)
        seconds = time.process_time() - start
        failed += seconds > MOST_SECONDS
        print(f"{seconds:5.2f} s  {len(page) / 1e6:.1f} M characters of {name[:40]!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
