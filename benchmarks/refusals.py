"""Pages of recorded blogs that newsite takes for lists, and those that it refuses.

    python benchmarks/refusals.py [--every N]

The kind of each page is that of ``shared/replay/blogs``: a hub (a list) or a post. Of the hubs, those
whose links lead nowhere are lists of pages that were not recorded, whose links were turned into #.
"""

from __future__ import annotations

import argparse
from collections import Counter

from lists import SHARED, TODAY, key_of, rows
from parsel import Selector

from focuscrawl.errors import ProfileError
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.text.page_charset import detect

REASONS = (
    "single article", "menus only", "no list of links", "a script loads", "lead nowhere",
    "have the link", "login", "search form", "no such page", "JavaScript", "is empty", "no selector",
)  # fmt: skip


def outcome(html: str, url: str) -> str:
    try:
        draft_list(Selector(html or "<p>", type="html").root, url, TODAY)
    except ProfileError as error:
        return next((reason for reason in REASONS if reason in str(error)), str(error))
    return "a list"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("--every", type=int, default=6, metavar="N", help="read every Nth page")
    given = parser.parse_args()
    truth = rows(SHARED / "replay/blogs/truth_security.csv")
    kinds = {key_of(row["url"]): row["page_type"] for row in truth}
    pages = (
        (kinds[key_of(page.url)], page)
        for page in recorded_pages(SHARED / "replay/blogs-2026.warc.gz")
        if page.status == 200 and kinds.get(key_of(page.url)) in ("hub", "post")
    )
    counts: dict[str, Counter[str]] = {"hub": Counter(), "post": Counter()}
    for number, (kind, page) in enumerate(pages):
        if number % given.every == 0:
            html = page.body.decode(detect(page.body), "replace").lstrip("\ufeff")
            counts[kind][outcome(html, page.url)] += 1
    for kind, found in counts.items():
        print(f"{kind}: {found.total()} pages")
        for reason, count in found.most_common():
            print(f"  {reason:16} {count:4} {count / found.total():.3f}")


if __name__ == "__main__":
    main()
