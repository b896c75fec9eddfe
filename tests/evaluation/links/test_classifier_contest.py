"""Held-out judgements: nothing is learned from what is judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.datasets.labelled_dataset import (
    DataSet,
    SplitBy,
    cross_validation,
    data_set,
    hold_out,
)
from focuscrawl.evaluation.links.classifier_contest import Contender, Judge, JudgedLinks, held_out
from focuscrawl.pages.link import LabelledLink, LabelledPage, Link

HOSTS = 12


def example(hosts: int = HOSTS) -> DataSet:
    """Each host has twenty links; the number in the anchor tells, nearly, whether it is relevant."""
    links = [
        LabelledLink(
            Link(f"http://h{host}.cn/{n}", anchor=str(n % 10)), f"http://h{host}.cn/", n % 10 > 6
        )
        for host in range(hosts)
        for n in range(20)
    ]
    pages = [LabelledPage(f"http://h{host}.cn/", "", "text", False) for host in range(hosts)]
    return data_set(links, pages)


def reader(lessons: list[DataSet]) -> Contender:
    """A contender that reads the number and remembers what it was given to learn from."""

    def train(part: DataSet) -> Judge:
        lessons.append(part)
        return judge

    def judge(links: Sequence[Link]) -> JudgedLinks:
        scores = np.array([float(link.anchor) for link in links])
        return JudgedLinks(scores, scores / 9)

    return Contender("reader", train)


def test_no_link_and_no_page_of_a_held_out_host_is_learned_from() -> None:
    data, lessons = example(), list[DataSet]()
    splits = cross_validation(data.labels, data.hosts, folds=4)
    held_out(reader(lessons), data, splits)
    assert len(lessons) == 4
    for lesson, split in zip(lessons, splits, strict=True):
        away = {data.hosts[row] for row in split.test}
        assert not away & set(lesson.hosts)
        assert len(lesson.pages) == HOSTS - len(away)
        assert not any(page.url.split("/")[2] in away for page in lesson.pages)


def test_every_link_is_judged_once_and_labels_stay_with_their_links() -> None:
    data = example()
    steps: list[int] = []
    splits = cross_validation(data.labels, data.hosts, folds=4)
    found = held_out(reader([]), data, splits, step=lambda: steps.append(1))
    assert len(steps) == 4
    assert len(found.labels) == len(data.links)
    assert found.labels.tolist() == (found.scores > 6).tolist()
    # The best threshold divides them all, one half does not.
    assert found.chosen.tolist() == found.labels.tolist()
    assert found.intervals(found.chosen)["f1"].estimate == 1
    assert found.intervals(found.likely())["precision"].estimate == pytest.approx(3 / 5)
    assert found.roc_auc() == 1


@pytest.mark.parametrize("by", SplitBy)
def test_one_split_finds_its_threshold_in_the_training_part(by: SplitBy) -> None:
    data, lessons = example(), list[DataSet]()
    split = hold_out(data.labels, data.hosts, by=by)
    found = held_out(reader(lessons), data, [split])
    assert found.chosen.tolist() == found.labels.tolist()
    full, inner = lessons
    assert len(full.links) == len(split.train)
    assert len(inner.links) < len(full.links)


def test_two_hosts_are_enough_for_one_split() -> None:
    data = example(hosts=2)
    found = held_out(reader([]), data, [hold_out(data.labels, data.hosts)])
    assert found.chosen.tolist() == found.labels.tolist()


def test_unlabelled_links_are_left_out_and_redirects_followed() -> None:
    links = [
        LabelledLink(Link("http://a.cn/1"), "http://s.cn/", True),
        LabelledLink(Link("http://a.cn/2"), "http://s.cn/", None),
        LabelledLink(Link("http://www.a.cn/3"), "http://www.s.cn/", False),
    ]
    data = data_set(links, [], {"http://a.cn/1": "http://b.cn/1"})
    assert data.hosts == ["b.cn", "a.cn"]
    assert data.sources == ["s.cn", "s.cn"]
    assert data.labels.tolist() == [True, False]
    with pytest.raises(ArgumentError, match="no link is labelled"):
        data_set(links[1:2], [])
