"""Harvest of the recorded blogs by the crawl's own judge, corrected, and in truth, as a table in Markdown.

    python -m benchmarks.judged_harvest FOLDER [--budgets 200,500,1000]

Six crawls (two topics, three sets of seeds) by each judge, as ``scrapy crawl tunnel`` with 16 concurrent requests:
with classifiers of five folds, none of which has seen the hosts that it judges, and by the page rule. The figures
of the correction are those of ``quality.json`` beside the folds, on all hosts of the recording. FOLDER keeps the
models, and the report of each crawl: a repeated command goes on where the last one ended.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.harness import BLOGS, ENVIRONMENT, SHARED

TOPICS = ("machine-learning", "security")
JUDGES = ("model", "rule")
BUDGETS = (200, 500, 1000)
_TRUTH = SHARED / "replay" / "blogs"


def scrapy(folder: Path, *command: str) -> str:
    """Run a command of focuscrawl and return its standard output."""
    whole = [sys.executable, "-m", "scrapy", *command]
    done = subprocess.run(whole, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def trained(topic: str, seeds: dict[str, list[str]], folder: Path) -> Path:
    """Train the classifiers of the folds, by a lab of one page; return the folder of the models."""
    models = folder / topic / "models"
    if not (models / topic / "folds.json").exists():
        folder.joinpath(f"{topic}.json").write_text(json.dumps(seeds), encoding="utf-8")
        scrapy(folder, "lab", topic, "--replay", str(BLOGS), "--truth", str(_TRUTH / f"truth_{topic}.csv"),
               "--seeds", f"{topic}.json", "--policies", "breadth", "--budget", "1", "--out", topic)  # fmt: skip
    return models


def harvest(topic: str, seeds: list[str], judge: str, budget: int, place: Path) -> dict[str, Any]:
    """Crawl, unless that has been done; return the harvest of the crawl's report."""
    report = place / "report.json"
    if not report.exists():
        # A crawl that was cut short would go on.
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "seeds.txt").write_text("\n".join(seeds) + "\n", encoding="utf-8")
        folder = place.parents[3]
        said = scrapy(
            folder, "crawl", "tunnel", "--json", "-a", f"topic={topic}", "-a", f"judge={judge}",
            "-a", f"seeds={place / 'seeds.txt'}", "-a", f"max_pages={budget}", "-a", "text=plain",
            "-a", f"truth={_TRUTH / f'truth_{topic}.csv'}",
            "-s", f"FOCUSCRAWL_REPLAY={BLOGS}", "-s", f"FOCUSCRAWL_DATA={place}",
            "-s", f"FOCUSCRAWL_MODELS={folder / topic / 'models'}", "-s", "CONCURRENT_REQUESTS=16",
            "-s", "AUTOTHROTTLE_ENABLED=False",
            "-s", "DOWNLOAD_DELAY=0", "-s", f"LOG_FILE={place / 'crawl.log'}",
        )  # fmt: skip
        report.write_text(said, encoding="utf-8")
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["harvest"]
    return found


def short(rate: float) -> str:
    """Return a rate in three digits.

    >>> short(0.25), short(1.0)
    ('.250', '1.000')
    """
    return f"{rate:.3f}".removeprefix("0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--budgets", type=lambda text: [*map(int, text.split(","))], default=BUDGETS
    )
    options = parser.parse_args()
    folder = options.folder.resolve()
    if not BLOGS.exists():
        sys.exit(f"the recording is not here ({BLOGS}); nothing measured")
    folder.mkdir(parents=True, exist_ok=True)
    sets = json.loads((_TRUTH / "seeds.json").read_text(encoding="utf-8"))
    print(
        "judge | pages | seeds | own judge | corrected | truth\n--- | --- | --- | --- | --- | ---"
    )
    for judge in JUDGES:
        for budget in options.budgets:
            rows = []
            for topic in TOPICS:
                trained(topic, sets[topic], folder)
                for name, seeds in sets[topic].items():
                    place = folder / topic / judge / str(budget) / name
                    found = harvest(topic, seeds, judge, budget, place)
                    fixed, truth = found["corrected"], found["truth"]
                    rows.append((found["own"], fixed["rate"], truth))
                    bounds = (
                        f"{short(fixed['rate'])} [{short(fixed['low'])}, {short(fixed['high'])}]"
                    )
                    out = "" if fixed["low"] <= truth <= fixed["high"] else " (outside)"
                    print(f"{judge} | {budget} | {topic} {name} | {short(found['own'])} | {bounds} | {short(truth)}{out}", flush=True)  # fmt: skip
            means = " | ".join(short(fmean(column)) for column in zip(*rows, strict=True))
            print(f"{judge} | {budget} | **mean of six** | {means}", flush=True)


if __name__ == "__main__":
    main()
