"""Figures of all counted quotes, from which the sheets of prices are written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from focuscrawl.reports.price_index import region_indices
from focuscrawl.reports.price_trends import changes, daily_means, entities_of
from focuscrawl.reports.quote_facts import QuoteFacts

INDEXED_COMMODITIES = 3


@dataclass(frozen=True, slots=True)
class PriceFigures:
    """Daily means, entities and commodities (most quoted first) of the quotes ``facts``."""

    facts: pd.DataFrame
    daily: pd.DataFrame
    entities: pd.DataFrame
    commodities: list[str]


@dataclass(frozen=True, slots=True)
class PriceTrends:
    """``moved``: the result of :func:`~focuscrawl.reports.price_trends.changes`. ``indices``: that of
    :func:`~focuscrawl.reports.price_index.region_indices` for the most quoted commodities.
    """

    moved: pd.DataFrame
    indices: dict[str, dict[str, pd.DataFrame]]


def price_figures(facts: QuoteFacts, today: date) -> PriceFigures:
    """Return the figures of the quotes up to ``today``: a later date is an error."""
    frame = facts.frame()
    frame = frame[frame["date"] <= np.datetime64(today)]
    counts = frame["commodity"].value_counts()
    return PriceFigures(
        frame,
        daily_means(frame),
        entities_of(frame, facts.places),
        [str(name) for name in counts[counts > 0].index],
    )


def price_trends(figures: PriceFigures) -> PriceTrends:
    """Return the changes of entities, and the indices of regions."""
    facts = figures.facts
    indices = {
        commodity: region_indices(facts[facts["commodity"] == commodity], figures.entities)
        for commodity in figures.commodities[:INDEXED_COMMODITIES]
    }
    return PriceTrends(changes(figures.daily), indices)
