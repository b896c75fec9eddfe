"""Choice of the crawl order by the arguments of the tunnel spider."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.policy import link_orders as orders
from focuscrawl.policy.online_statistics import OnlineStatistics
from focuscrawl.policy.sparse_tunnel import Mode
from focuscrawl.spider_arguments import TunnelArguments
from focuscrawl.topics import Topic


def order_of(
    given: TunnelArguments,
    statistics: OnlineStatistics | None,
    truth: Mapping[str, bool],
    topic: Topic,
) -> orders.Order:
    """Return the order that the arguments ask for."""
    if Mode(given.mode) is Mode.BREADTH:
        return orders.ByArrival()
    if statistics:
        return orders.ByStatistics(statistics)
    if given.order == "oracle":
        return orders.ByTruth(truth)
    if given.order == "keyword-front":
        return orders.KeywordsFirst(topic.words)
    others: dict[str, type[orders.Order]] = {"parent": orders.ByParent, "random": orders.AtRandom}
    return others.get(given.order, orders.ByClassifier)()
