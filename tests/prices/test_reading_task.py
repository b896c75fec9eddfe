"""What the readers of a crawl go by, while somebody edits the files."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from focuscrawl.prices.confidence.price_model import MODEL_FILE
from focuscrawl.prices.confidence.price_model import __file__ as price_model
from focuscrawl.prices.reading_task import read_text, reading_options

TEXT = "山东诸城兴贸玉米收购价2300元/吨。"


def test_files_that_change_during_a_crawl_change_nothing_in_it(tmp_path: Path) -> None:
    aliases, model = tmp_path / "aliases.yaml", tmp_path / "model.json"
    aliases.write_text("某某集团: [诸城兴贸]", "utf-8")
    model.write_bytes(Path(price_model).with_name(MODEL_FILE).read_bytes())
    settings = {
        "FOCUSCRAWL_READER": "rules", "FOCUSCRAWL_ALIASES": str(aliases),
        "FOCUSCRAWL_PRICE_MODEL": str(model), "FOCUSCRAWL_PRICE_CONFIDENCE": None,
    }  # fmt: skip
    options = reading_options(settings)
    for file in (aliases, model):
        file.write_text("{half", "utf-8")
    (found,) = read_text(options, TEXT, "山东玉米价格", date(2026, 3, 5))
    assert found.entity == "某某集团"
