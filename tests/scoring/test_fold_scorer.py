"""Classifiers of folds: each host is judged by one not trained on it, also after loading."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import ModelError
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet
from focuscrawl.evaluation.datasets.recorded_web_labels import read_recorded_web
from focuscrawl.evaluation.model_training import deal_hosts, train_folds, training_parts
from focuscrawl.pages.link import Link
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.fold_scorer import FoldPageJudge, FoldScorer
from focuscrawl.scoring.model_files.fold_files import FOLDS_FILE, load_fold_judge, load_fold_scorer
from focuscrawl.scoring.model_files.scorer_loading import (
    PageRuleJudge,
    judge_at,
    load_page_judge,
    load_scorer,
)
from focuscrawl.topics import load_topic
from tests.evaluation.small_web import html, moved, small_web
from tests.replay.warcs import write_warc

FOLDS = 3
TOPIC = load_topic("machine-learning", Path("topics"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    folder = tmp_path_factory.mktemp("web")
    recording, truth = small_web(folder, hosts=7, posts=10)
    return read_recorded_web([recording], truth).data_set()


@pytest.fixture(scope="module")
def models(data: DataSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    train_folds(data, TOPIC, FOLDS, folder / TOPIC.name, "small web")
    return folder


def test_a_fold_is_not_trained_on_its_hosts(data: DataSet) -> None:
    fold_of = deal_hosts(data, FOLDS)
    for fold, part in enumerate(training_parts(data, fold_of, FOLDS)):
        learned = {*part.hosts, *part.sources, *(host_of(page.url) for page in part.pages)}
        learned |= {host_of(link.url) for link in part.links}
        assert learned == {host for host in fold_of if fold_of[host] != fold}
    assert {*fold_of} == {f"blog{host}.test" for host in range(7)}


def test_hosts_behind_redirects_and_without_links_have_folds_too(tmp_path: Path) -> None:
    pages = [
        html(
            f"http://{name}.test/", name, ("http://old.test/", "旧"), ("http://b.test/x", f"{name}")
        )
        for name in "abcd"
    ]
    pages += [moved("http://old.test/", "http://a.test/"), html("http://b.test/x", "x")]
    truth = tmp_path / "truth.csv"
    truth.write_text("url,relevant\nhttp://a.test/,1\nhttp://b.test/x,0\nhttp://c.test/,1\n")
    recording = write_warc(tmp_path / "web.warc.gz", pages)
    data = read_recorded_web([recording], truth).data_set()
    more = DataSet(
        [*data.links, Link("http://c.test/", "c"), Link("http://d.test/", "d")],
        labels=[*data.labels, True, False],  # type: ignore[arg-type]
        hosts=[*data.hosts, "c.test", "d.test"],
        sources=[*data.sources, "e.test", "a.test"],
        pages=data.pages,
    )
    fold_of = deal_hosts(more, 2)
    assert {*fold_of} == {"a.test", "b.test", "c.test", "d.test", "e.test", "old.test"}
    assert fold_of["old.test"] == fold_of["a.test"]


def test_each_link_is_scored_by_the_fold_of_its_host(data: DataSet, models: Path) -> None:
    scorer = load_scorer(TOPIC, models)
    assert isinstance(scorer, FoldScorer)
    fold_of = deal_hosts(data, FOLDS)
    unknown = data.links[0]._replace(url="http://www.new.test/post/3")
    links = [*data.links, unknown]
    for link, scored in zip(links, scorer.score(links), strict=True):
        classifier = scorer.classifiers[fold_of.get(host_of(link.url), 0)]
        assert scored == classifier.score([link])[0]
        assert scorer.explain(link) == classifier.explain(link)
    alone = data.links[0]
    scores = {classifier.score([alone])[0].score for classifier in scorer.classifiers}
    assert len(scores) == FOLDS


def test_each_page_is_judged_by_the_fold_of_its_host(data: DataSet, models: Path) -> None:
    judge = load_page_judge(TOPIC, models)
    assert isinstance(judge, FoldPageJudge)
    fold_of = deal_hosts(data, FOLDS)
    for page in data.pages:
        assert judge_at(judge, page.url) is judge.classifiers[fold_of[host_of(page.url)]]
    first = data.pages[0]
    assert judge.score([(first.title, first.text)]) == judge.classifiers[0].score(
        [(first.title, first.text)]
    )
    rule = PageRuleJudge(TOPIC)
    assert judge_at(rule, "http://blog1.test/") is rule


def test_all_folds_learn_from_the_crawl(data: DataSet, models: Path) -> None:
    scorer = load_fold_scorer(models / TOPIC.name / FOLDS_FILE)
    news = [Link(f"http://blog{n}.test/new", "榫卯 结构") for n in range(7)]
    before = [scored.score for scored in scorer.score(news)]
    scorer.partial_fit(news * 3, [True] * 21)
    after = [scored.score for scored in scorer.score(news)]
    assert all(new > old for new, old in zip(after, before, strict=True))


def test_pages_of_one_label_are_judged_by_the_rule(data: DataSet, tmp_path: Path) -> None:
    off_topic = [page for page in data.pages if not page.label]
    part = DataSet(data.links, data.labels, data.hosts, data.sources, off_topic)
    path = train_folds(part, TOPIC, 2, tmp_path / TOPIC.name, "no relevant pages")
    assert load_fold_judge(path) is None
    assert isinstance(load_page_judge(TOPIC, tmp_path), PageRuleJudge)


def _edited(**changes: Any) -> Callable[[str], str]:
    return lambda text: json.dumps(json.loads(text) | changes)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text[:-5], "damaged or cut short"),
        (lambda _: "[]", "not a valid folds.json"),
        (_edited(hosts={"a.test": 3}), r"not a valid folds.json \(hosts\)"),
        (_edited(folds="3"), r"not a valid folds.json \(folds\)"),
        (_edited(folds=4), "cannot read the model .*fold-3"),
    ],
)
def test_a_broken_file_raises_one_sentence(
    models: Path, tmp_path: Path, spoil: Callable[[str], str], said: str
) -> None:
    folder = tmp_path / TOPIC.name
    folder.mkdir()
    for path in (models / TOPIC.name).iterdir():
        if path.is_dir():
            (folder / path.name).symlink_to(path)
    file = folder / FOLDS_FILE
    file.write_text(spoil((models / TOPIC.name / FOLDS_FILE).read_text("utf-8")), "utf-8")
    with pytest.raises(ModelError, match=said) as error:
        load_scorer(TOPIC, tmp_path)
    assert "\n" not in str(error.value)
