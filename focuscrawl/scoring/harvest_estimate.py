"""Estimate of the true harvest rate of a crawl from what its own judge and its links said of each page.

A judge that is right on held-out hosts is wrong on a crawl in another way: a crawler fetches what its links
promise, so there are more relevant pages among its pages than on the hosts where the judge was measured, and
the irrelevant ones look more like relevant ones. Three estimators were compared on recorded blogs, six sets of
seeds each (docs/evaluation.md):

* Rogan and Gladen (1978, American Journal of Epidemiology 107), (q + specificity - 1) / (recall +
  specificity - 1) for a share q called relevant, is right where the prevalence alone differs. It is too high:
  the specificity on the pages of a crawl is lower than on all pages of the same hosts.
* The mean of the calibrated probabilities is right where the pages differ but not the share of relevant ones
  among pages of equal words. It is too low, because a link that promises much is evidence as well.
* The mean of the probabilities given both, page and link, needs only that pages of equal words, behind links
  that promise equally much, are as often relevant as they were on the held-out hosts. What the crawler
  chooses by is part of the condition. This one is used.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from focuscrawl.errors import ModelError
from focuscrawl.scoring.model_files.model_installation import read_installed
from focuscrawl.summary.harvest_report import Z_95, Share

QUALITY_FILE = "quality.json"
_LARGEST = 9.0  # log-odds

_Count = Annotated[int, Field(ge=0)]
_Finite = Annotated[float, Field(ge=-1e6, le=1e6)]
_Three = Annotated[list[_Finite], Field(min_length=3, max_length=3)]


class JudgeQuality(BaseModel):
    """Quality of a judge of pages on hosts that it was not trained on.

    Counts of pages by truth and verdict, then the log-odds of relevance as a linear function of 1 and the
    log-odds by the page and by a link to it: ``weights``, and their ``covariance`` with hosts as clusters.
    ``clustering`` is that of the errors by host: the variance of the number of relevant pages on a host is
    v + clustering * v * v, where v is the sum of p * (1 - p) over its pages.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    hosts: _Count
    found: _Count
    missed: _Count
    false_alarms: _Count
    rejected: _Count
    weights: _Three
    covariance: Annotated[list[_Three], Field(min_length=3, max_length=3)]
    clustering: Annotated[float, Field(ge=0, le=1e6)]

    @property
    def text(self) -> str:
        """Precision, recall and specificity with their counts, for people."""
        shares = {
            "precision": (self.found, self.found + self.false_alarms),
            "recall": (self.found, self.found + self.missed),
            "specificity": (self.rejected, self.rejected + self.false_alarms),
        }
        return ", ".join(
            f"{name} {hits / of:.3f} ({hits} of {of})" if of else f"{name} unknown"
            for name, (hits, of) in shares.items()
        )


class ModelQuality(BaseModel):
    """``quality.json``: the figures of a model card for programs, by judge (model, rule).

    ``topic_version`` is that of the words by which the rule judged.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal[1] = 1
    topic_version: str
    judges: dict[str, JudgeQuality]


class HarvestEstimator:
    """Adds up the judged pages of a crawl, and estimates how many of them are relevant in truth."""

    def __init__(self, quality: JudgeQuality) -> None:
        self._quality = quality
        self._pages = 0
        self._expected = 0.0
        self._slopes = [0.0, 0.0, 0.0]
        self._by_host: defaultdict[str, float] = defaultdict(float)

    def add(self, host: str, page: float, link: float) -> None:
        """Add a page, given its probability by its own words and by the link that led to it."""
        values = (1.0, log_odds(page), log_odds(link))
        probability = 1 / (1 + math.exp(-_product(self._quality.weights, values)))
        slope = probability * (1 - probability)
        self._pages += 1
        self._expected += probability
        self._slopes = [
            sum_ + slope * value for sum_, value in zip(self._slopes, values, strict=True)
        ]
        self._by_host[host] += slope

    def estimate(self) -> Share | None:
        """Return the share of relevant pages, None without pages.

        The variance has two parts: that of the weights (delta method), and that of the pages, of which
        those of a host are wrong together.
        """
        if not self._pages:
            return None
        rows = [_product(row, self._slopes) for row in self._quality.covariance]
        variance = max(0.0, _product(rows, self._slopes))
        clustering = self._quality.clustering
        variance += sum(one + clustering * one * one for one in self._by_host.values())
        rate, half = self._expected / self._pages, Z_95 * math.sqrt(variance) / self._pages
        return Share(rate, max(0.0, rate - half), min(1.0, rate + half))


def _product(ones: Sequence[float], others: Sequence[float]) -> float:
    return sum(map(mul, ones, others), 0.0)


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability, at most 9 and at least -9.

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, 9.0)
    """
    if not 0 < probability < 1:
        return _LARGEST if probability >= 1 else -_LARGEST
    return max(-_LARGEST, min(_LARGEST, math.log(probability / (1 - probability))))


def read_quality(path: Path) -> ModelQuality:
    """Return the content of a ``quality.json``; raises :class:`ModelError` with one sentence."""
    try:
        return ModelQuality.model_validate_json(read_installed(path))
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}; train the model again") from None
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"])) or "it"
        raise ModelError(f"{path} has no valid figures ({place}); train the model again") from None
    except ValueError:
        raise ModelError(f"{path} is no text in UTF-8; train the model again") from None
