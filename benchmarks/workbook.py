"""Time and peak memory of writing a workbook with many quotes.

Run: python -m benchmarks.workbook [QUOTES]    (default: 200,000)
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from focuscrawl.items import Quote
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import ArticleSummary, StoredQuote

QUOTES_PER_DAY = 200
REGIONS = ("山东", "吉林", "辽宁", "黑龙江", "河北", "河南", "内蒙古", "安徽")
FIRST_DAY = date(2023, 1, 2)


def invented_quotes(number: int) -> Iterator[StoredQuote]:
    """Yield quotes of 200 plants, one per plant and day, 20 per article; the same in every run."""
    chance = random.Random(7)
    for index in range(number):
        days, plant = divmod(index, QUOTES_PER_DAY)
        day = FIRST_DAY + timedelta(days=days)
        price = Decimal(2300 + plant + days // 5 + chance.randint(-30, 30))
        quote = Quote(
            date=day,
            commodity="玉米",
            mention=f"第{plant}玉米",
            entity=f"第{plant}玉米深加工企业",
            entity_is_known=plant % 50 != 0,
            region=REGIONS[plant % len(REGIONS)],
            price_low=price / 2000,
            price_high=(price + 20) / 2000,
            unit="元/斤",
            price_yuan_per_ton_low=price,
            price_yuan_per_ton_high=price + 20,
            moisture="14%",
            goods_condition="挂牌收购",
            price_change=Decimal("0.005") * chance.randint(-2, 2),
            span=f"第{plant}玉米收购价格{price / 2000}-{(price + 20) / 2000}元/斤,较昨日调整",
            text_start=index % 3000,
            text_end=index % 3000 + 9,
            flag="超出合理范围" if index % 997 == 0 else "",
        )
        article = f"{day}-{plant // 20}"
        yield StoredQuote(
            quote=quote,
            article_url=f"http://127.0.0.1/jiage/{article}.html",
            article_title=f"{article} 国内玉米深加工企业收购价格汇总",
            site="demo",
        )


def invented_articles(number: int) -> Iterator[ArticleSummary]:
    for index in range(number):
        url = f"http://127.0.0.1/jiage/{index}.html"
        yield ArticleSummary(
            url=url,
            site="demo",
            title=f"第{index}期玉米价格",
            published=FIRST_DAY,
            page_urls=[url],
            missing_urls=[f"{url}?page=2"] if index % 50 == 0 else [],
            is_complete=index % 50 != 0,
            is_gone=index % 90 == 0,
            first_seen=datetime(2023, 1, 2, tzinfo=UTC),
        )


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prices.xlsx"
        begun = time.perf_counter()
        write_workbook(path, invented_quotes(number), invented_articles(number // 20))
        seconds = time.perf_counter() - begun
        size = path.stat().st_size / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{number:,} quotes: {seconds:.1f} s, peak {peak:.0f} MB, file {size:.1f} MB")


if __name__ == "__main__":
    main()
