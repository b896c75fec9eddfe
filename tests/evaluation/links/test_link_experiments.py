"""All experiments on a small web of our own."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.evaluation.classification_metrics import Interval
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet, SplitBy, data_set
from focuscrawl.evaluation.links.contenders import Setup
from focuscrawl.evaluation.links.evaluation_report import draw, tables_of
from focuscrawl.evaluation.links.link_experiments import ExperimentPlan, ExperimentResults, run
from focuscrawl.evaluation.result_tables import ResultTable
from focuscrawl.pages.link import LabelledLink, LabelledPage, Link
from focuscrawl.scoring.link_features import FeatureGroup
from focuscrawl.topics import Topic
from tests.evaluation.small_web import OTHERS, SUBJECTS

TOPIC = Topic(name="networks", lexicon={"神经网络": 3.0, "梯度下降": 2.0, "排骨": -1.0})
PLAN = ExperimentPlan(folds=3, algorithms=("nb", "svm"))


def example(pages: bool = True) -> DataSet:
    """Anchors tell of half the links what they are; of the other half the text after them does."""
    chance = random.Random(2)
    links, texts = [], []
    for host in range(12):
        for number in range(40):
            is_relevant = chance.random() < 0.35
            subject = chance.choice(SUBJECTS if is_relevant else OTHERS)
            told = chance.random() < 0.5
            url = f"http://h{host}.test/{number}"
            link = Link(url, subject if told else "阅读全文", after="" if told else subject)
            links.append(LabelledLink(link, f"http://h{host}.test/", is_relevant))
            texts.append(LabelledPage(url, subject, f"{subject} 笔记 " * 9, is_relevant))
    return data_set(links, texts if pages else [])


@pytest.fixture(scope="module")
def results() -> ExperimentResults:
    return run(example(), Setup(TOPIC), PLAN)


@pytest.fixture(scope="module")
def tables(results: ExperimentResults) -> dict[str, ResultTable]:
    return {table.name: table for table in tables_of(results)}


def _estimates(table: ResultTable, column: str) -> dict[str, float]:
    number = list(table.columns).index(column)
    cells = {str(row[0]): row[number] for row in table.rows}
    return {
        name: cell.estimate if isinstance(cell, Interval) else float(cell)
        for name, cell in cells.items()
    }


def test_every_table_is_there_with_its_figures(tables: dict[str, ResultTable]) -> None:
    names = ["data", "table1", "table2", "comparison", "calibration", "entropy", "speed"]
    assert list(tables) == names
    assert {row[0] for row in tables["table1"].rows} == {
        "3 folds by host", "7:3 by host", "7:3 by link"
    }  # fmt: skip
    assert len(tables["table1"].rows) == 3 * len(FeatureGroup)
    assert [row[0] for row in tables["table2"].rows] == [
        "pages", "pages, page classifier", "links", "links, with their URL"
    ]  # fmt: skip
    contenders = ["lexicon only", "nb", "svm", "ACHE features"]
    assert [row[0] for row in tables["comparison"].rows] == contenders
    assert [row[0] for row in tables["calibration"].rows] == contenders[1:]
    links, hosts, pages = tables["data"].rows
    assert links[:2] == ("links", 480)
    assert hosts[:3] == ("hosts linked to", 12, 12)
    assert pages[:2] == ("pages", 480)
    found = _estimates(tables["comparison"], "average precision")
    assert found["nb"] > found["lexicon only"]
    assert min(_estimates(tables["speed"], "links/s").values()) > 0


def test_context_tells_what_the_anchor_does_not(results: ExperimentResults) -> None:
    anchor, context = (
        results.groups["3 folds by host", group]
        for group in (FeatureGroup.ANCHOR, FeatureGroup.CONTEXT)
    )
    assert context.intervals(context.chosen)["f1"].low > anchor.intervals(anchor.chosen)["f1"].high


def test_pictures(results: ExperimentResults, tmp_path: Path) -> None:
    drawn = draw(results, tmp_path)
    assert [path.name for path in drawn] == [
        "comparison.png", "precision-recall.png", "reliability.png", "entropy.png"
    ]  # fmt: skip
    assert all(path.stat().st_size > 5000 for path in drawn)


def test_without_pages_there_is_no_table_2_and_no_entropy(tmp_path: Path) -> None:
    steps: list[str] = []
    plan = ExperimentPlan(folds=2, by=SplitBy.LINK, algorithms=("nb",))
    found = run(example(pages=False), Setup(TOPIC), plan, steps.append)
    names = [table.name for table in tables_of(found)]
    assert names == ["data", "table1", "comparison", "calibration", "speed"]
    assert len(steps) == plan.trainings() - 2 * plan.folds
    assert "entropy.png" not in [path.name for path in draw(found, tmp_path)]


def test_pages_of_one_label_are_not_learned_from() -> None:
    data = example()
    pages = [page._replace(label=False) for page in data.pages]
    pages[0] = pages[0]._replace(label=True)
    found = run(
        replace(data, pages=pages), Setup(TOPIC), ExperimentPlan(folds=2, algorithms=("svm",))
    )
    assert not found.page_trained
    assert "relevant, halves by host" not in found.entropies
