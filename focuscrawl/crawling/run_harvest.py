"""Harvest rate of a running crawl: by its own judge, corrected, by the truth, and by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from focuscrawl.labelling.judged_sample import NO_HARVEST, judged_sample
from focuscrawl.scoring.harvest_estimate import HarvestEstimator, JudgeQuality
from focuscrawl.summary.harvest_report import HarvestReport, Share

if TYPE_CHECKING:
    from focuscrawl.items import PageVerdict


class RunHarvest:
    """Adds up the judged pages of a run.

    ``judge`` is the name of the crawl's own judge, empty where the truth judges. ``quality`` is its measured
    quality, or the reason why that is not known; ``truth`` maps canonical URLs to relevance, and may be empty.
    ``verdicts`` are those that people have given on pages of the crawl so far.
    """

    def __init__(self, judge: str, quality: JudgeQuality | str, truth: Mapping[str, bool]) -> None:
        self.verdicts: Sequence[PageVerdict] = ()
        self._judge = judge
        self._estimator = None if isinstance(quality, str) else HarvestEstimator(quality)
        self._no_estimate = quality if isinstance(quality, str) else ""
        self._truth = truth
        self._pages = self._own = self._true = 0

    def add(self, url: str, page: float, link: float, *, is_relevant: bool) -> None:
        """Add a page: its canonical URL, its probability by its words and by its link, and the verdict."""
        self._pages += 1
        self._own += is_relevant
        self._true += self._truth.get(url, False)
        if self._estimator:
            self._estimator.add(url.split("/")[2], page, link)

    def report(self) -> HarvestReport | None:
        """Return the rates so far, None before the first page."""
        if not self._pages:
            return None
        estimate = self._estimator.estimate() if self._estimator else None
        people, said = self._by_people()
        return HarvestReport(
            judge=self._judge,
            pages=self._pages,
            own=self._own / self._pages,
            corrected=estimate and Share(*estimate),
            no_estimate=self._no_estimate,
            truth=self._true / self._pages if self._truth else None,
            people=people,
            people_text=said,
        )

    def _by_people(self) -> tuple[Share | None, str]:
        if not self.verdicts:
            return None, ""
        sample = judged_sample(self.verdicts)
        if not sample.has_irrelevant:
            return None, NO_HARVEST.removeprefix("harvest: ")
        alpha = "" if sample.agreement is None else f", alpha {sample.agreement:.2f}"
        return sample.harvest, f"{sample.pages} pages, {len(sample.judges)} judges{alpha}"
