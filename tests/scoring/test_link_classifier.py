"""The link classifier compared with an exact implementation of its formula, and with itself."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.pages.link import Link, Position
from focuscrawl.scoring import link_classifier
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import FeatureGroup, LinkFeatures
from focuscrawl.scoring.naive_bayes import MultinomialNaiveBayes, NaiveBayes
from focuscrawl.scoring.probability_calibration import Calibration, fit_calibration
from focuscrawl.scoring.sample_weights import folds_by_host
from focuscrawl.scoring.score_cache import CachedScorer

LEXICON = ("机器学习", "神经网络", "deep learning")
WORDS = (
    "机器学习",
    "深度",
    "学习",
    "玉米",
    "价格",
    "足球",
    "阅读全文",
    "Deep-Learning",
    "2019",
    "谷歌",
    "",
)

texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) | st.text(max_size=20)
links = st.builds(
    Link,
    url=st.sampled_from(
        ["http://a.cn/tags/%E5%AD%A6%E4%B9%A0/", "http://b.cn/?p=1", "http://c.cn/", "x", ""]
    ),
    anchor=texts,
    before=texts,
    after=texts,
    position=st.sampled_from(list(Position)),
)
labelled = st.lists(st.tuples(links, st.booleans()), min_size=1, max_size=12)
small_sets = st.lists(
    st.tuples(st.frozensets(st.sampled_from("abcd")), st.booleans()), min_size=1, max_size=8
)


def exact_log_odds(examples: list[tuple[frozenset[str], bool]], requested: frozenset[str]) -> float:
    """Formula (2) in fractions, smoothing 1, over all features that were seen."""
    vocabulary = frozenset().union(*(features for features, _ in examples))
    odds = Fraction(1)
    for label, power in ((True, 1), (False, -1)):
        members = [features for features, is_relevant in examples if is_relevant is label]
        value = Fraction(len(members) + 1)
        for feature in vocabulary:
            share = Fraction(sum(feature in row for row in members) + 1, len(members) + 2)
            value *= share if feature in requested else 1 - share
        odds *= value**power
    return math.log(odds)


@given(small_sets, st.frozensets(st.sampled_from("abcde")))
def test_naive_bayes_equals_its_formula(
    examples: list[tuple[frozenset[str], bool]], requested: frozenset[str]
) -> None:
    model = NaiveBayes(smoothing=1.0)
    model.partial_fit(*zip(*examples, strict=True))
    assert model.linear().decision(requested) == pytest.approx(
        exact_log_odds(examples, requested), abs=1e-9
    )


@given(
    st.lists(
        st.tuples(st.dictionaries(st.sampled_from("abc"), st.floats(0.5, 4)), st.booleans()),
        max_size=6,
    )
)
def test_multinomial_weights_are_log_ratios(
    examples: list[tuple[dict[str, float], bool]],
) -> None:
    model = MultinomialNaiveBayes(smoothing=1.0)
    model.partial_fit([row for row, _ in examples], [label for _, label in examples])
    found = model.linear().weights
    for name, weight in found.items():
        shares = []
        for side in (True, False):
            rows = [row for row, label in examples if label is side]
            total = sum(sum(row.values()) for row in rows)
            shares.append((sum(row.get(name, 0) for row in rows) + 1) / (total + len(found)))
        assert weight == pytest.approx(math.log(shares[0] / shares[1]))


@settings(deadline=None)
@given(labelled, st.sampled_from(FeatureGroup))
def test_a_page_of_links_is_scored_as_its_links_one_at_a_time(
    examples: list[tuple[Link, bool]], group: FeatureGroup
) -> None:
    found, labels = map(list, zip(*examples, strict=True))
    classifier = LinkClassifier(LinkFeatures(LEXICON, group=group), min_count=0).fit(found, labels)
    together = classifier.score(found)
    assert together == [classifier.score([link])[0] for link in found]
    assert CachedScorer(classifier, size=4).score(found * 2) == together * 2
    fresh = LinkClassifier(classifier.features, model=classifier.model)
    assert [fresh.score([link])[0] for link in reversed(found)] == together[::-1]
    with pytest.MonkeyPatch.context() as forgetful:
        forgetful.setattr(link_classifier, "_REMEMBERED", 2)
        forgetful.setattr(link_classifier, "_MOST_REMEMBERED", 5)
        fresh = LinkClassifier(classifier.features, model=classifier.model)
        halves = [found[: len(found) // 2], found[len(found) // 2 :]]
        assert [one for half in halves * 2 for one in fresh.score(half)] == together * 2


@settings(deadline=None)
@given(labelled, st.sampled_from(FeatureGroup))
def test_the_reasons_add_up_to_the_score(
    examples: list[tuple[Link, bool]], group: FeatureGroup
) -> None:
    found, labels = map(list, zip(*examples, strict=True))
    classifier = LinkClassifier(LinkFeatures(LEXICON, group=group), min_count=0).fit(found, labels)
    for scored in classifier.score(found):
        reasons = classifier.explain(scored.link)
        assert math.fsum(reason.weight for reason in reasons) == pytest.approx(scored.score)
        assert len({reason.feature for reason in reasons}) == len(reasons)
        weights = [abs(reason.weight) for reason in reasons]
        assert weights == sorted(weights, reverse=True)


@settings(deadline=None)
@given(labelled, st.integers(0, 12))
def test_incremental_training_equals_training_at_once(
    examples: list[tuple[Link, bool]], cut: int
) -> None:
    found, labels = map(list, zip(*examples, strict=True))
    features = LinkFeatures(LEXICON)
    whole = LinkClassifier(features, min_count=0).fit(found, labels)
    parts = LinkClassifier(features, min_count=0)
    parts.partial_fit(found[:cut], labels[:cut]).partial_fit(found[cut:], labels[cut:])
    assert parts.decision(found) == whole.decision(found)


def test_each_group_adds_features() -> None:
    link = Link(
        "http://a.cn/tags/%E7%A5%9E%E7%BB%8F%E7%BD%91%E7%BB%9C/?page=2",
        "第2章 玉米", "神經網絡", "Deep Learning 机器学习", position=Position.NAVIGATION,
    )  # fmt: skip
    anchor, context, url = (
        set(LinkFeatures(LEXICON, group=group).of([link])[0]) for group in FeatureGroup
    )
    assert "anchor:玉米" in anchor
    assert {name.partition(":")[0] for name in anchor} == {"anchor"}
    assert anchor < context < url
    assert {
        "context:神经网络",
        "context:机器学习",
        "context:lexicon≥1",
        "context:lexicon≥2",
    } <= context
    assert {"url:神经网络", "url:lexicon≥1", "position:navigation"} <= url
    assert not {"anchor:lexicon≥1", "context:lexicon≥4"} & url


def test_classifiers_of_other_algorithms_have_the_same_features() -> None:
    found = [Link("http://a.cn/", "机器学习"), Link("http://a.cn/", "足球")] * 4
    labels = [True, False] * 4
    for algorithm in ("logistic", "svm"):
        classifier = LinkClassifier(LinkFeatures(LEXICON), algorithm=algorithm).fit(found, labels)
        yes, no = classifier.decision(found[:2])
        assert yes > no
        with pytest.raises(ValueError, match="cannot be trained incrementally"):
            classifier.partial_fit(found, labels)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=40))
def test_all_rows_of_a_host_are_held_out_in_one_fold(rows: list[tuple[str, bool]]) -> None:
    hosts, labels = [host for host, _ in rows], [label for _, label in rows]
    seen: list[int] = []
    for train, held_out in folds_by_host(labels, hosts, 3):
        assert not {hosts[row] for row in train} & {hosts[row] for row in held_out}
        assert sorted(train + held_out) == list(range(len(rows)))
        assert len({labels[row] for row in train}) == 2
        seen += held_out
    assert len(seen) == len(set(seen))


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200),
    st.integers(2, 7),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
)
@settings(deadline=None)
def test_probabilities_rise_with_the_score(
    scores: list[float], every: int, one: float, other: float
) -> None:
    curve = fit_calibration(scores, [row % every == 0 for row in range(len(scores))])
    low, high = curve(min(one, other)), curve(max(one, other))
    assert 0 <= low <= high <= 1


def test_calibrated_probabilities_match_frequencies() -> None:
    # Log-odds three times too large: of the links with score 3 only 73 % are relevant, as 1 says.
    scores, labels = [], []
    for odds in (-2.0, -1.0, 0.0, 1.0, 2.0):
        relevant = round(1000 * Calibration()(odds))
        scores += [3 * odds] * 1000
        labels += [True] * relevant + [False] * (1000 - relevant)
    curve = fit_calibration(scores, labels)
    for odds in (-2.0, -1.0, 0.0, 1.0, 2.0):
        assert curve(3 * odds) == pytest.approx(Calibration()(odds), abs=0.02)


def test_the_cache_is_bounded_and_counts_hits_and_misses() -> None:
    classifier = LinkClassifier(LinkFeatures(LEXICON))
    cache = CachedScorer(classifier, size=10)
    for start in range(0, 100, 4):
        cache.score([Link(f"http://a.cn/{number}") for number in range(start, start + 4)])
        assert len(cache) <= 10 + 4
    cache.score([Link("http://a.cn/99"), Link("http://a.cn/98"), Link("http://a.cn/0")])
    assert (cache.hits, cache.misses) == (2, 101)
    cache.forget()
    assert len(cache) == 0


@pytest.mark.parametrize(
    ("labels", "weights"),
    [
        ([True], None),
        ([True, -1], None),
        ([True, 2], None),
        ([True, False], [1.0]),
        ([True, False], [1.0, math.nan]),
        ([True, False], [1.0, -1.0]),
    ],
)
def test_invalid_labels_and_weights_raise_and_change_nothing(
    labels: list[bool], weights: list[float] | None
) -> None:
    model = NaiveBayes()
    with pytest.raises(ValueError, match=r"label|weight|zip"):
        model.partial_fit(["a", "b"], labels, weights)
    assert model == NaiveBayes()


@pytest.mark.parametrize("algorithm", ["logistic", "svm"])
def test_too_few_words_raise_one_sentence(algorithm: Any) -> None:
    links = [Link("http://a.cn/"), Link("http://b.cn/")]
    classifier = LinkClassifier(LinkFeatures(LEXICON, group=1), algorithm=algorithm)
    with pytest.raises(ArgumentError, match="too few for"):
        classifier.fit(links, [True, False])
