"""Labels learned from a crawl: a link is as good as the page that was found behind it.

Chakrabarti, Punera & Subramanyam 2002, *Accelerated focused crawling through online relevance
feedback*: the page classifier (the critic) judges every fetched page, and each link that led to it
becomes an example for the classifier of links (the apprentice).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from focuscrawl.pages.link import LabelledLink


def found_behind(judged: Mapping[str, bool], redirects: Mapping[str, str]) -> dict[str, bool]:
    """Return the judgement of what was found behind each URL.

    ``judged`` maps fetched pages to whether they are relevant, ``redirects`` a URL to the one that
    it led to; a redirect has the judgement of its last target, and none if that was not fetched or
    the redirects go in a circle.
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
    """Yield the links, labelled by what was found behind them; None where nothing was fetched.

    >>> from focuscrawl.pages.link import Link
    >>> seen = [LabelledLink(Link("http://a.test/", "下一篇"), "http://b.test/", None)]
    >>> [entry.label for entry in label_by_targets(seen, {"http://a.test/": True})]
    [True]
    """
    for entry in links:
        yield entry._replace(label=found.get(entry.link.url))
