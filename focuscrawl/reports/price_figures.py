"""Figures of all counted quotes, from which the sheets of prices are written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from focuscrawl.price_statistics.mean_prices import LEFT_OUT
from focuscrawl.price_statistics.price_index import region_indices
from focuscrawl.price_statistics.price_jumps import doubtful_prices
from focuscrawl.price_statistics.price_moves import KEYS
from focuscrawl.price_statistics.price_trends import changes, daily_means, entities_of
from focuscrawl.reports.entity_series import Series, by_series
from focuscrawl.reports.quote_facts import QuoteFacts

INDEXED_COMMODITIES = 100
"""More are no goods but what the reader of prices took for some; they have no index."""


@dataclass(frozen=True, slots=True)
class PriceFigures:
    """Daily means, entities and commodities (most quoted first) of the quotes ``facts``.

    ``entity`` is a series in all of them; ``names`` has the series of the entities and places of quotes.
    """

    facts: pd.DataFrame
    daily: pd.DataFrame
    entities: pd.DataFrame
    commodities: list[str]
    names: dict[Series, str]

    def days(self, commodity: str) -> pd.DatetimeIndex:
        """Return the days with a quote of a commodity, sorted."""
        own = self.daily["commodity"] == commodity
        return pd.DatetimeIndex(sorted(self.daily.loc[own, "date"].unique()))


@dataclass(frozen=True, slots=True)
class PriceTrends:
    """``moved``: the result of :func:`~focuscrawl.price_statistics.price_trends.changes`. ``indices``: that of
    :func:`~focuscrawl.price_statistics.price_index.region_indices` for each commodity. ``doubtful``: that of
    :func:`~focuscrawl.price_statistics.price_jumps.doubtful_prices`, without those of which an editor has confirmed
    a quote; the indices leave them out.
    """

    moved: pd.DataFrame
    indices: dict[str, dict[str, pd.DataFrame]]
    doubtful: pd.DataFrame


def price_figures(facts: QuoteFacts, today: date) -> PriceFigures:
    """Return the figures of the quotes up to ``today``: a later date is an error."""
    frame = facts.frame()
    frame = frame[frame["date"] <= np.datetime64(today)].reset_index(drop=True)
    frame, names = by_series(frame, facts.locations)
    counts = frame["commodity"].value_counts()
    return PriceFigures(
        frame,
        daily_means(frame),
        entities_of(frame, facts.places),
        [str(name) for name in counts[counts > 0].index],
        names,
    )


def price_trends(figures: PriceFigures) -> PriceTrends:
    """Return the changes of entities, the indices of regions, and the prices that these leave out."""
    facts = figures.facts
    basket = daily_means(facts[~facts["entity_type"].isin(LEFT_OUT)])
    doubtful = _unconfirmed(doubtful_prices(basket), facts)
    kept = basket.drop(doubtful.index)
    indices = {
        commodity: region_indices(
            kept[kept["commodity"] == commodity], figures.days(commodity), figures.entities
        )
        for commodity in figures.commodities[:INDEXED_COMMODITIES]
    }
    return PriceTrends(changes(figures.daily), indices, doubtful)


def _unconfirmed(doubtful: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    day = [*KEYS, "date"]
    confirmed = pd.MultiIndex.from_frame(facts.loc[facts["is_confirmed"], day].astype(str))
    return doubtful[~pd.MultiIndex.from_frame(doubtful[day].astype(str)).isin(confirmed)]
