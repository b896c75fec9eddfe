"""Labels learned from what was found behind a link."""

from __future__ import annotations

from focuscrawl.labelling.label_store import label_by_targets, target_relevance
from focuscrawl.pages.link import LabelledLink, Link


def seen(url: str, anchor: str = "下一篇", label: bool | None = None) -> LabelledLink:
    return LabelledLink(Link(url, anchor), "http://from.test/", label)


def test_a_link_has_the_judgement_of_its_page_and_none_if_that_was_not_fetched() -> None:
    links = [seen("http://a.test/"), seen("http://b.test/"), seen("http://c.test/", label=True)]
    found = {"http://a.test/": True, "http://b.test/": False}
    labelled = list(label_by_targets(links, found))
    assert [entry.label for entry in labelled] == [True, False, None]
    assert [entry._replace(label=None) for entry in labelled] == [
        entry._replace(label=None) for entry in links
    ]


def test_every_link_to_a_page_becomes_an_example() -> None:
    links = [seen("http://a.test/", anchor) for anchor in ("股市", "阅读更多", "")]
    labels = [entry.label for entry in label_by_targets(links, {"http://a.test/": True})]
    assert labels == [True] * 3


def test_a_redirect_has_the_judgement_of_its_last_target() -> None:
    judged = {"http://c.test/": True}
    redirects = {"http://a.test/": "http://b.test/", "http://b.test/": "http://c.test/"}
    assert target_relevance(judged, redirects) == dict.fromkeys({*redirects, *judged}, True)


def test_redirects_that_go_in_a_circle_or_nowhere_say_nothing() -> None:
    redirects = {
        "http://a.test/": "http://b.test/",
        "http://b.test/": "http://a.test/",
        "http://self.test/": "http://self.test/",
        "http://lost.test/": "http://nowhere.test/",
    }
    assert target_relevance({"http://c.test/": False}, redirects) == {"http://c.test/": False}
