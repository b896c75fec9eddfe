"""Labels learned from a crawl: a link is as good as its target page.

Chakrabarti, Punera & Subramanyam 2002, *Accelerated focused crawling through online relevance
feedback*: the page classifier (the critic) judges every fetched page, and each link that led to it
becomes an example for the classifier of links (the apprentice).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from focuscrawl.pages.link import LabelledLink


def target_relevance(judged: Mapping[str, bool], redirects: Mapping[str, str]) -> dict[str, bool]:
    """Return the relevance of the page at each URL, after redirects.

    ``judged`` is the relevance of fetched pages by URL, ``redirects`` maps a URL to its target. A
    redirect has the relevance of its last target, and none if that was not fetched or the redirects
    form a loop.
    """
    found = dict(judged)
    for url in redirects:
        seen = {url}
        target = redirects[url]
        while target in redirects and target not in seen:
            seen.add(target)
            target = redirects[target]
        if target in judged:
            found[url] = judged[target]
    return found


def label_by_targets(
    links: Iterable[LabelledLink], found: Mapping[str, bool]
) -> Iterator[LabelledLink]:
    """Yield the links, labelled by the relevance of their targets; None if that was not fetched.

    >>> from focuscrawl.pages.link import Link
    >>> seen = [LabelledLink(Link("http://a.test/", "下一篇"), "http://b.test/", None)]
    >>> [entry.label for entry in label_by_targets(seen, {"http://a.test/": True})]
    [True]
    """
    for entry in links:
        yield entry._replace(label=found.get(entry.link.url))
