"""How fast both price readers are: quotes and megabytes a second on one core.

Reads the recorded texts beside the repository, or invented ones where these are absent:
    python benchmarks/quotes_per_second.py [--seconds 3]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from focuscrawl.prices import READERS

LABELS = Path(__file__).resolve().parents[2] / "shared/labels/web_texts.jsonl"
FIRMS = "寿光金玉米 诸城兴贸淀粉 昌乐盛泰 英轩实业 西王集团 滨州金汇 梨树县 公主岭市 锦州港".split()


def recorded_texts() -> list[str]:
    if not LABELS.is_file():
        return []
    with LABELS.open(encoding="utf-8") as file:
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
    """Return quotes and megabytes (UTF-8) a second over at least ``seconds``."""
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
    sets = {"recorded": recorded_texts(), "invented": invented_texts(50)}
    for name, texts in sets.items():
        for reader in READERS if texts else ():
            quotes, megabytes = measure(reader, texts, seconds)
            print(f"{name:9} {reader:6} {quotes:9,.0f} quotes/s {megabytes:7.2f} MB/s")


if __name__ == "__main__":
    main()
