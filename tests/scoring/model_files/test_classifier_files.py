"""Models on disk: unchanged after loading, and one sentence for every error of a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import ModelError
from focuscrawl.pages.link import Link
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.link_classifier import Algorithm, LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup, LinkFeatures
from focuscrawl.scoring.model_files.classifier_files import (
    load_links,
    load_pages,
    save_links,
    save_pages,
)
from focuscrawl.scoring.model_files.scorer_loading import is_trained, load_page_judge, load_scorer
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures
from focuscrawl.topics import load_topic

LEXICON = ("机器学习", "神经网络")
LINKS = [
    Link(f"http://{host}.cn/{word}/{number}", f"{word}入门 {number}", before="上一篇", after=word)
    for host in "abcdef"
    for number in range(10)
    for word in ("机器学习", "足球")
]
LABELS = ["机器学习" in link.anchor for link in LINKS]
HOSTS = [link.url.split("/")[2] for link in LINKS]


def trained(algorithm: Algorithm = "nb", group: FeatureGroup = FeatureGroup.URL) -> LinkClassifier:
    classifier = LinkClassifier(LinkFeatures(LEXICON, group=group), algorithm=algorithm)
    return classifier.fit(LINKS, LABELS, HOSTS)


@pytest.mark.parametrize(
    ("algorithm", "group"),
    [*(("nb", group) for group in FeatureGroup), ("logistic", FeatureGroup.URL), ("svm", FeatureGroup.URL)],
)  # fmt: skip
def test_a_link_model_scores_as_before(
    tmp_path: Path, algorithm: Algorithm, group: FeatureGroup
) -> None:
    classifier = trained(algorithm, group)
    loaded = load_links(save_links(classifier, tmp_path / "new" / "t", "t", "120 links"))
    assert loaded.score(LINKS) == classifier.score(LINKS)
    assert loaded.name == f"t ({algorithm}, 120 links)"
    assert loaded.features.group is group


def test_a_loaded_model_can_be_trained_further(tmp_path: Path) -> None:
    classifier = trained()
    loaded = load_links(save_links(classifier, tmp_path, "t", ""))
    for each in (classifier, loaded):
        each.partial_fit(LINKS[:10], LABELS[:10])
    assert loaded.decision(LINKS) == classifier.decision(LINKS)


def test_a_page_model_judges_as_before(tmp_path: Path) -> None:
    pages = [(link.anchor, f"{link.anchor} 神经网络") for link in LINKS]
    classifier = PageClassifier(PageFeatures(LEXICON)).fit(pages, LABELS, HOSTS)
    loaded = load_pages(save_pages(classifier, tmp_path, "t", "120 pages"))
    assert loaded.score(pages) == classifier.score(pages)
    assert [page.relevant for page in loaded.score(pages)] == LABELS


def test_rare_words_are_not_written(tmp_path: Path) -> None:
    classifier = trained().partial_fit([Link("http://a.cn/", "张三丰的电话")], [True])
    text = save_links(classifier, tmp_path, "t", "").read_text("utf-8")
    assert "张三丰" not in text
    assert "机器学习" in text


def _edited(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    def edit(text: str) -> str:
        data = json.loads(text)
        change(data)
        return json.dumps(data)

    return edit


DAMAGES = {
    "cut short": (lambda text: text[: len(text) // 2], "damaged or cut short"),
    "empty": (lambda text: "", "damaged or cut short"),
    "deep": (lambda text: "[" * 100_000, "damaged or cut short"),
    "a list": (lambda text: "[1]", "not a model of this kind"),
    "newer": (
        _edited(lambda data: data.update(format=2)),
        "has format 2, but this focuscrawl reads 1",
    ),
    "no counts": (_edited(lambda data: data.pop("counts")), r"not a model of this kind \(counts\)"),
    "negative": (_edited(lambda data: data.update(totals=[-1.0, 1.0])), "not a model of this kind"),
    "infinite": (lambda text: text.replace('"smoothing":0.3', '"smoothing":1e999'), "not a model"),
    "more than all": (
        _edited(lambda data: data.update(totals=[0.0, 0.0])),
        "not a model of this kind",
    ),
    "falling": (_edited(lambda data: data.update(calibration=[-1.0, 0.0, 0.0])), "not a model"),
    "no format": (_edited(lambda data: data.pop("format")), "not a model of this kind"),
    "huge": (_edited(lambda data: data.update(smoothing=1.7e308)), "not a model of this kind"),
    "pages": (_edited(lambda data: data.update(kind="pages")), "not a model of this kind"),
    "other rules": (
        _edited(lambda data: data.update(tokeniser="rjieba-0.2/999")),
        "was trained with tokeniser rjieba-0.2/999, this focuscrawl has rjieba-0.2/1; train it again",
    ),
    "other engine": (
        _edited(lambda data: data.update(tokeniser="pkuseg-1.0/1")),
        "trained with tokeniser pkuseg-1.0/1, this focuscrawl has",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_file_raises_one_sentence(tmp_path: Path, damage: str) -> None:
    edit, sentence = DAMAGES[damage]
    path = save_links(trained(), tmp_path, "t", "")
    path.write_text(edit(path.read_text("utf-8")), "utf-8")
    with pytest.raises(ModelError, match=sentence) as caught:
        load_links(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_missing_and_unwritable_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        load_links(tmp_path / "links.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot write the model"):
        save_links(trained(), tmp_path / "file" / "t", "t", "")


def test_the_users_model_comes_first_then_the_shipped_one_then_the_lexicon(tmp_path: Path) -> None:
    agriculture = load_topic("agriculture")
    assert isinstance(load_scorer(agriculture, tmp_path), LexiconScorer)
    assert not is_trained(load_scorer(agriculture, tmp_path))
    assert load_page_judge(agriculture, tmp_path).name == "agriculture (page rule)"
    save_links(trained(), tmp_path / "agriculture", "agriculture", "my links")
    assert load_scorer(agriculture, tmp_path).name == "agriculture (nb, my links)"
    assert is_trained(load_scorer(agriculture, tmp_path))
