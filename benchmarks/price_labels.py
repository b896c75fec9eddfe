"""Labelled texts of the recorded maize crawl and of the tests, in the form of ``scrapy evaluate prices``.

    python -m benchmarks.price_labels FOLDER

writes ``yz88_texts.jsonl`` and ``truth_yz88.csv`` (if ``../shared`` is there), ``own_texts.jsonl`` and
``truth_own.csv`` (the texts of ``tests/prices`` that an author wrote without having seen the code; the
rules were corrected with them in view afterwards).
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from focuscrawl.prices.tokens.price_units import unit_named
from tests.prices import example_texts as examples
from tests.prices.test_labelled_prices import LABELS, yz88_texts

BLIND = (
    examples.MOVES_AND_NOTES,
    examples.LISTS_AND_UNITS,
    examples.MANY_SITES,
    examples.MORE_SITES,
)
_QUOTE = re.compile(
    r"(?P<mention>.+?) (?P<low>[\d.]+)(?:-(?P<high>[\d.]+))?/(?P<unit>\S+)"
    r"(?: @(?P<region>\S+))?(?: ~(?P<moisture>\S+))?(?: (?P<change>[+-]\S+))?(?P<second> \*)?(?P<flag> !)?"
)
COLUMNS = (
    "source_id mention region price_yuan_per_ton_low price_yuan_per_ton_high moisture change primary unit score"
).split()


def main(folder: Path) -> None:
    """Write the files."""
    if LABELS.is_dir():
        texts = [
            {"source_id": url, "url": url, "title": title, "text": text, "style": "recorded"}
            for url, title, text in yz88_texts()
        ]
        with (LABELS / "truth_yz88.csv").open(encoding="utf-8-sig", newline="") as file:
            labels = list(csv.DictReader(file))
        labelled = {row["article_url"] for row in labels}
        write(folder, "yz88", [text for text in texts if text["source_id"] in labelled], labels)
    own = [example for block in BLIND for example in block]
    write(
        folder,
        "own",
        [
            {"source_id": f"own{i}", "title": title, "text": text, "style": "own"}
            for i, (title, text, _) in enumerate(own)
        ],
        [label(f"own{i}", quote) for i, (_, _, quotes) in enumerate(own) for quote in quotes],
    )


def label(source_id: str, written: str) -> dict[str, str]:
    """Return a quote of the examples as a row."""
    match = _QUOTE.fullmatch(written)
    assert match is not None, written
    printed = {"t": "ton"}.get(match["unit"], match["unit"])
    unit = unit_named(f"元/{ {'jin': '斤', 'ton': '吨', 'kg': '公斤'}.get(printed, printed) }")
    low, high = float(match["low"]), float(match["high"] or match["low"])
    worth = float(unit.yuan_per_ton)
    return {
        "source_id": source_id,
        "mention": match["mention"],
        "region": match["region"] or "",
        "price_yuan_per_ton_low": f"{low * worth:.10g}",
        "price_yuan_per_ton_high": f"{high * worth:.10g}",
        "moisture": match["moisture"] or "",
        "change": match["change"] or "",
        "primary": "0" if match["second"] else "1",
        "unit": unit.name,
        "score": "0" if match["flag"] else "1",
    }


def write(
    folder: Path, name: str, texts: Iterable[Mapping[str, str]], labels: list[dict[str, str]]
) -> None:
    """Write one pair of files."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)
    (folder / f"{name}_texts.jsonl").write_text(lines, "utf-8")
    with (folder / f"truth_{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(labels[0]))
        writer.writeheader()
        writer.writerows(labels)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
