"""Quality that no change may lower: ``models/floors.json``, on hosts that the classifiers have not seen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from focuscrawl.evaluation.classification_metrics import quality
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet, data_set
from focuscrawl.evaluation.datasets.recorded_web_labels import (
    RecordedWeb,
    read_recorded_web,
    read_truth,
)
from focuscrawl.evaluation.model_training import Figures, train_links, train_pages
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.scoring.link_features import FeatureGroup
from focuscrawl.scoring.model_files.scorer_loading import find_model, load_page_judge, load_scorer
from focuscrawl.topics import load_topic

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT.parent / "shared" / "replay"
BLOGS = RECORDINGS / "blogs-2026.warc.gz"
FLOORS = json.loads((ROOT / "models" / "floors.json").read_text("utf-8"))
# Of the blogs; that of finance is of further sites, too.
TOPICS = ["machine-learning", "security"]


@pytest.fixture(scope="module")
def web() -> RecordedWeb:
    if not BLOGS.exists():
        pytest.skip(f"the recorded sites are not here ({BLOGS})")
    return read_recorded_web([BLOGS], RECORDINGS / "blogs" / f"truth_{TOPICS[0]}.csv")


def labelled(web: RecordedWeb, topic: str) -> DataSet:
    """Return the web with the labels of another topic, without reading it again."""
    truth = read_truth(RECORDINGS / "blogs" / f"truth_{topic}.csv")
    links = [
        seen._replace(label=truth.get(web.final_url.get(seen.link.url, seen.link.url)))
        for seen in web.links
    ]
    pages = [page._replace(label=truth[canonical_url(page.url)]) for page in web.pages]
    return data_set(links, pages, web.final_url)


def check(figures: Figures | None, floor: dict[str, float]) -> None:
    assert figures is not None
    assert figures.average_precision.estimate >= floor["average_precision"]
    assert figures.f1.estimate >= floor["f1"]
    assert figures.calibration_error <= floor["calibration_error"]


# Training on the first topic, twice, takes more than a minute.
@pytest.mark.parametrize(
    "name", [pytest.param(TOPICS[0], marks=pytest.mark.exhaustive), *TOPICS[1:]]
)
def test_classifiers_are_as_good_as_they_were(web: RecordedWeb, name: str) -> None:
    data, topic = labelled(web, name), load_topic(name)
    links = train_links(data, topic).figures
    check(links, FLOORS[name]["links"])
    check(train_pages(data.pages, topic).figures, FLOORS[name]["pages"])
    if name == TOPICS[0]:
        # Table 1 of the paper: the context is worth its cost.
        anchors = train_links(data, topic, group=FeatureGroup.ANCHOR).figures
        assert anchors
        assert links
        assert anchors.average_precision.estimate < links.average_precision.estimate


@pytest.mark.parametrize("name", TOPICS)
def test_the_shipped_models_are_those_of_this_code(
    web: RecordedWeb, name: str, tmp_path: Path
) -> None:
    check_shipped(labelled(web, name), name, tmp_path)


# To read and to train on both recordings takes minutes.
@pytest.mark.exhaustive
def test_finance_is_as_good_as_it_was_and_shipped(tmp_path: Path) -> None:
    truth = RECORDINGS / "finance" / "truth_finance.csv"
    if not truth.exists():
        pytest.skip(f"the recorded sites are not here ({truth})")
    recordings = [BLOGS, RECORDINGS / "finance-2026.warc.gz"]
    data, topic = read_recorded_web(recordings, truth).data_set(), load_topic("finance")
    check(train_links(data, topic).figures, FLOORS["finance"]["links"])
    check(train_pages(data.pages, topic).figures, FLOORS["finance"]["pages"])
    check_shipped(data, "finance", tmp_path)


def check_shipped(data: DataSet, name: str, tmp_path: Path) -> None:
    topic = load_topic(name)
    scores = np.array([link.score for link in load_scorer(topic, tmp_path).score(data.links)])
    assert quality(data.labels, scores, scores > 0).average_precision > 0.93
    judged = load_page_judge(topic, tmp_path).score(
        [(page.title, page.text) for page in data.pages]
    )
    right = [page.label == said.relevant for page, said in zip(data.pages, judged, strict=True)]
    assert sum(right) / len(right) > 0.93


@pytest.mark.parametrize("name", FLOORS)
def test_every_shipped_model_has_its_card_and_its_floor(name: str, tmp_path: Path) -> None:
    for file in ("links.json", "pages.json", "README.md"):
        found = find_model(name, (file,), tmp_path)
        assert found
        assert found.stat().st_size > 500
    assert {path.parent.name for path in (ROOT / "models").glob("*/links.json")} == set(FLOORS)
