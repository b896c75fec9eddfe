"""Speed of both price readers in quotes and megabytes per second on one core.

Reads the recorded articles and the labelled texts next to the repository, or invented bulletins:
    python benchmarks/quotes_per_second.py [--seconds 3]
The seed rules know only the firms of the recorded articles, so they are not timed on other texts.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import time
from pathlib import Path

from parsel import Selector
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.prices import READERS
from focuscrawl.text.visible_lines import block_text

SHARED = Path(__file__).resolve().parents[2] / "shared"
RECORDING = SHARED / "replay/maize-2017.warc.gz"
ARTICLES = SHARED / "labels/articles.csv"
WEB_TEXTS = SHARED / "labels/web_texts.jsonl"
FIRMS = "寿光金玉米 诸城兴贸淀粉 昌乐盛泰 英轩实业 西王集团 滨州金汇 梨树县 公主岭市 锦州港".split()


def recorded_texts() -> list[str]:
    """Return the recorded articles, joined from their continuation pages."""
    if not (RECORDING.is_file() and ARTICLES.is_file()):
        return []
    pages: dict[str, str] = {}
    with RECORDING.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                html = record.content_stream().read().decode("gb18030", "replace")
                regions = Selector(html).css("div.content")
                url = record.rec_headers.get_header("WARC-Target-URI")
                pages[url] = block_text(regions[0].root) if regions else ""
    with ARTICLES.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return ["\n".join(pages[url] for url in row["page_urls"].split()) for row in rows]


def web_texts() -> list[str]:
    if not WEB_TEXTS.is_file():
        return []
    with WEB_TEXTS.open(encoding="utf-8") as file:
        return [json.loads(line)["text"] for line in file]


def invented_texts(count: int, seed: int = 1) -> list[str]:
    dice = random.Random(seed)
    return ["\n".join(_invented_line(dice) for _ in range(40)) for _ in range(count)]


def _invented_line(dice: random.Random) -> str:
    firm, price = dice.choice(FIRMS), dice.randrange(1500, 2600)
    forms = (
        f"{firm}，玉米收购价格{price / 2000:.3f}元/斤，落{dice.randrange(1, 9)}厘。水分15%以内。",
        f"{firm}玉米收购价{price}-{price + 20}元/吨，较昨日上涨{dice.randrange(5, 30)}元/吨；",
        f"吉林省 {firm} 玉米 {dice.randrange(13, 18)}%水分 {price}.00 元/吨",
    )
    return dice.choice(forms)


def measure(reader: str, texts: list[str], seconds: float) -> tuple[float, float]:
    """Return quotes and megabytes (UTF-8) per second over at least ``seconds``."""
    read = READERS[reader]
    read(texts[0])
    size = sum(len(text.encode()) for text in texts) / 1e6
    quotes = rounds = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        quotes += sum(len(read(text, title="玉米价格")) for text in texts)
        rounds += 1
    elapsed = time.perf_counter() - start
    return quotes / elapsed, size * rounds / elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    seconds = parser.parse_args().seconds
    sets = {"recorded": recorded_texts(), "web": web_texts(), "invented": invented_texts(50)}
    for name, texts in sets.items():
        readers = ["rules"] if name == "web" else list(READERS)
        for reader in readers if texts else ():
            quotes, megabytes = measure(reader, texts, seconds)
            print(f"{name:9} {reader:6} {quotes:9,.0f} quotes/s {megabytes:7.2f} MB/s")


if __name__ == "__main__":
    main()
