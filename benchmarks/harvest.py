"""Harvest by topic, set of seeds and policy on the recorded webs, as a table in Markdown.

    python -m benchmarks.harvest FOLDER [--rounds 3] [--topics finance] [--policies crawlee,oracle]

Both recordings are one web. Every crawl is one of ``scrapy lab`` with 16 concurrent requests; the
oracle's is serial, and so the same in every round. A copy of the topic's file under another name has
no model, which is what the user of a new topic has; ``trained`` has classifiers of five folds, none
of which has seen the hosts that it judges. A cell is the mean harvest rate over the rounds at 200,
500 and 1,000 pages, with the spread (largest minus smallest) in brackets; the last columns are the
share of the oracle's over all sets of seeds. Hosts that were not recorded answer 404, which costs a crawl nothing; with
``--off-topic 1`` they all have pages off the topic. FOLDER keeps the results of each round: a repeated
command goes on where the last one ended, and ``--rounds 0`` prints what there is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from statistics import fmean

from benchmarks.harness import BLOGS, ENVIRONMENT, FINANCE, SHARED
from focuscrawl.lab.crawl_outcomes import RUNS_FILE, CrawlOutcome, read_outcomes
from focuscrawl.topics import topic_loading

BUDGETS = (200, 500, 1000)
TOPICS = {"finance": "finance", "machine-learning": "blogs", "security": "blogs"}
ORACLE, TRAINED = "oracle", "trained"
EAGER = ["--concurrency", "16", "--eagerness", "1"]
DEFAULT = ["--concurrency", "16"]
POLICIES = {
    "topic file alone": ("sparse-tunnel", DEFAULT),
    TRAINED: ("sparse-tunnel", DEFAULT),
    "lexicon": ("sparse-tunnel:learn=false:order=lexicon:judge=rule", DEFAULT),
    # Scripts fill all their slots.
    "crawlee": ("crawlee", EAGER),
    "keyword-front": ("keyword-front", EAGER),
    "breadth": ("breadth", EAGER),
    ORACLE: (ORACLE, ["--concurrency", "1"]),
}


def run_lab(topic: str, policy: str, folder: Path, off_topic: float) -> Path:
    """Run one policy from all sets of seeds of a topic; return the folder with its outcomes."""
    work = folder / "lab"
    work.mkdir(parents=True, exist_ok=True)
    truths = SHARED / "replay" / TOPICS[topic]
    (seeds,) = truths.glob("seeds*.json")
    sets = json.loads(seeds.read_text(encoding="utf-8"))[topic]
    (work / f"{topic}.json").write_text(json.dumps(sets), encoding="utf-8")
    shipped = Path(topic_loading.__file__).with_name(f"{topic}.yaml").read_text(encoding="utf-8")
    alone = work / f"{topic}-alone.yaml"
    alone.write_text(shipped.replace(f"name: {topic}\n", f"name: {topic}-alone\n"), "utf-8")
    name, conditions = POLICIES[policy]
    command = [sys.executable, "-m", "scrapy", "lab", *conditions,
               topic if policy == TRAINED else str(alone), "--folds", str(5 * (policy == TRAINED)),
               "--replay", f"{BLOGS},{FINANCE}", "--truth", str(truths / f"truth_{topic}.csv"),
               "--seeds", str(work / f"{topic}.json"), "--policies", name,
               "--budget", str(BUDGETS[-1]), "--off-topic", str(off_topic), "--out", str(work)]  # fmt: skip
    done = subprocess.run(command, cwd=work, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{policy} on {topic} ended with {done.returncode}: {done.stderr[-500:]}")
    return work


def outcomes_of(topic: str, policy: str, folder: Path) -> dict[str, list[CrawlOutcome]]:
    """Return the outcomes of all rounds by the name of the set of seeds."""
    found: dict[str, list[CrawlOutcome]] = {}
    for path in sorted(folder.glob(f"round-*/{topic}/{policy}/{RUNS_FILE}")):
        for outcome in read_outcomes([path.parent]):
            found.setdefault(outcome.seeds, []).append(outcome)
    return found


def harvest(outcomes: list[CrawlOutcome], budget: int) -> tuple[float, float]:
    """Return the mean harvest rate and its spread."""
    rates = [outcome.harvest(budget) for outcome in outcomes]
    return fmean(rates), max(rates) - min(rates)


def table(topic: str, policies: list[str], folder: Path) -> str:
    """Return the table of a topic, with the rows of the policies that have been run."""
    runs = {policy: outcomes_of(topic, policy, folder) for policy in policies}
    runs = {policy: found for policy, found in runs.items() if found}
    sets = sorted({name for found in runs.values() for name in found})
    head = [topic, "rounds", *sets, *(f"of oracle, {budget:,}" for budget in BUDGETS)]
    lines = [" | ".join(head), " | ".join(["---"] * len(head))]
    means = {policy: [fmean(harvest(one, budget)[0] for one in found.values()) for budget in BUDGETS]
             for policy, found in runs.items()}  # fmt: skip
    for policy, found in runs.items():
        row = [policy, str(max(map(len, found.values())))]
        for name in sets:
            pairs = [harvest(found[name], budget) for budget in BUDGETS]
            rates, spreads = (" ".join(map(short, each)) for each in zip(*pairs, strict=True))
            row.append(f"{rates} ({spreads})" if len(found[name]) > 1 else rates)
        shares = zip(means[policy], means.get(ORACLE, ()), strict=False)
        row += [f"{own / best:.2f}" for own, best in shares] or ["-"] * len(BUDGETS)
        lines.append(" | ".join(row))
    return "\n".join(f"| {line} |" for line in lines)


def short(rate: float) -> str:
    """Return a rate in three digits.

    >>> short(0.25), short(1.0)
    ('.250', '1.000')
    """
    return f"{rate:.3f}".removeprefix("0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--topics", type=lambda text: text.split(","), default=list(TOPICS))
    parser.add_argument("--policies", type=lambda text: text.split(","), default=list(POLICIES))
    parser.add_argument("--off-topic", type=float, default=0.0)
    options = parser.parse_args()
    if unknown := {*options.topics} - {*TOPICS} | {*options.policies} - {*POLICIES}:
        parser.error(
            f"unknown: {', '.join(unknown)}; choose from {', '.join([*TOPICS, *POLICIES])}"
        )
    if not (BLOGS.exists() and FINANCE.exists()):
        sys.exit(f"the recordings are not here ({BLOGS}, {FINANCE}); nothing measured")
    folder = options.folder.resolve()
    for number in range(1, options.rounds + 1):
        for topic, policy in product(options.topics, options.policies):
            place = folder / f"round-{number}" / topic / policy
            if (place / RUNS_FILE).exists() or (policy == ORACLE and number > 1):
                continue
            work = run_lab(topic, policy, folder, options.off_topic)
            place.mkdir(parents=True, exist_ok=True)
            shutil.move(work / RUNS_FILE, place / RUNS_FILE)
            print(f"round {number}: {policy} on {topic}", file=sys.stderr, flush=True)
    print("\n\n".join(table(topic, options.policies, folder) for topic in options.topics))


if __name__ == "__main__":
    main()
