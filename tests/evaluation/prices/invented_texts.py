"""Labelled texts that the rules read well in one part and badly in another, written by a pattern."""

from __future__ import annotations

import csv
import json
from pathlib import Path

PLACES = "长春 四平 松原 白城 吉林 辽源 通化 白山 延边 梨树 榆树 农安 德惠 九台 双阳 公主岭".split()

PAGES = 4  # of each site


def write_texts(folder: Path, *, count: int = 16) -> tuple[Path, Path]:
    """Write the texts of ``count`` sites: one right price, and one that a reader takes for a second one."""
    texts, rows = [], []
    for number, place in enumerate(PLACES[:count] * PAGES):
        price = 1690 + number
        text = f"{place}玉米{price}元/吨。市场人士介绍，前些时候大家议论，{price - 60}元/吨就有人动心。"
        url = f"http://site{number % count}.example.cn/{number}"
        texts.append(
            {
                "source_id": f"t{number}",
                "url": url,
                "title": "玉米价格",
                "text": text,
                "style": "short",
            }
        )
        rows.append([f"t{number}", place, price, price, "玉米"])
    texts_file, labels = folder / "texts.jsonl", folder / "labels.csv"
    texts_file.write_text("\n".join(json.dumps(t, ensure_ascii=False) for t in texts), "utf-8")
    with labels.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            "source_id mention price_yuan_per_ton_low price_yuan_per_ton_high commodity".split()
        )
        writer.writerows(rows)
    return texts_file, labels
