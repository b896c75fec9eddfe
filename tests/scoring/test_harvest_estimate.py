"""The estimate of the true harvest rate, and the file with a judge's figures."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from focuscrawl.errors import ModelError
from focuscrawl.evaluation.model_training import measured_quality
from focuscrawl.pages.link import LabelledPage
from focuscrawl.scoring.harvest_estimate import HarvestEstimator, JudgeQuality, read_quality
from focuscrawl.scoring.page_classifier import ScoredPage


def web(seed: int, hosts: int, best: float) -> list[tuple[str, float, float, bool]]:
    """Return pages (host, probability by words, by link, truth) whose words and links say different things.

    ``best`` is the probability that a page is behind a good link: a crawl chooses such pages.
    """
    drawn = random.Random(seed)
    found = []
    for number in range(hosts * 40):
        link = 0.8 if drawn.random() < best else 0.1
        is_relevant = drawn.random() < link
        page = 0.9 if drawn.random() < (0.7 if is_relevant else 0.1) else 0.2
        found.append((f"h{number % hosts}.test", page, link, is_relevant))
    return found


def quality() -> JudgeQuality:
    known = web(1, hosts=60, best=0.15)
    urls = [f"http://{host}/{number}" for number, (host, *_) in enumerate(known)]
    pages = [LabelledPage(url, "", "", one[3]) for url, one in zip(urls, known, strict=True)]
    judged = [ScoredPage(0.0, page) for _, page, _, _ in known]
    links = {url: [one[2]] for url, one in zip(urls, known, strict=True)}
    measured = measured_quality(pages, judged, links)
    assert measured
    return measured


@pytest.mark.parametrize("best", [0.1, 0.5, 0.95])
def test_the_truth_is_within_the_interval_however_well_the_crawl_chooses(best: float) -> None:
    measured, within = quality(), 0
    for seed in range(20):
        crawl = web(100 + seed, hosts=10, best=best)
        estimator = HarvestEstimator(measured)
        for host, page, link, _ in crawl:
            estimator.add(host, page, link)
        found = estimator.estimate()
        assert found
        truth = sum(one[3] for one in crawl) / len(crawl)
        assert abs(found.rate - truth) < 0.08
        within += found.low <= truth <= found.high
    assert within >= 17


def test_few_pages_and_errors_that_go_together_are_uncertain() -> None:
    plain = quality()
    together = plain.model_copy(update={"clustering": 2.0})
    widths = []
    for measured, pages in ((plain, 400), (plain, 4), (together, 400)):
        estimator = HarvestEstimator(measured)
        assert estimator.estimate() is None
        for _ in range(pages):
            estimator.add("a.test", 0.6, 0.6)
        found = estimator.estimate()
        assert found
        widths.append(found.high - found.low)
    assert widths[0] < widths[1]
    assert widths[0] < widths[2]


def test_a_judge_measured_on_one_label_has_no_quality() -> None:
    page = LabelledPage("http://a.test/", "", "", True)
    assert measured_quality([page], [ScoredPage(0.0, 0.9)], {page.url: [0.5]}) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 2, "topic_version": "", "judges": {}}', "\ud800"]
)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "quality.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ModelError, match=r"train the model again$"):
        read_quality(path)
    path.unlink()
    with pytest.raises(ModelError, match="cannot read"):
        read_quality(path)
