"""Harvest rate of a running crawl: by its own judge, corrected, by the truth, and by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.labelling.judged_sample import NO_HARVEST, judged_sample
from focuscrawl.scoring.harvest_estimate import HarvestEstimator
from focuscrawl.scoring.model_files.scorer_loading import load_scorer, quality_of
from focuscrawl.summary.harvest_report import HarvestReport, Share

if TYPE_CHECKING:
    from focuscrawl.items import PageVerdict
    from focuscrawl.pages.link import Link, LinkScorer
    from focuscrawl.scoring.model_files.scorer_loading import PageJudge
    from focuscrawl.topics import Topic


class RunHarvest:
    """Adds up the judged pages of a run.

    ``judge`` is the name of the crawl's own judge, empty where the truth judges. ``estimator`` knows the errors
    of that judge; None where they are not known, for the reason ``no_estimate``. ``scorer`` is the one of the
    links, as it was when those errors were measured: one that learns from the crawl would not do. ``truth``
    maps canonical URLs to relevance, and may be empty. ``verdicts`` are those of people so far.
    """

    def __init__(
        self,
        judge: str,
        truth: Mapping[str, bool],
        estimator: HarvestEstimator | None = None,
        scorer: LinkScorer | None = None,
        no_estimate: str = "",
    ) -> None:
        self.verdicts: Sequence[PageVerdict] = ()
        self._judge = judge
        self._truth = truth
        self._estimator = estimator
        self._scorer = scorer
        self._no_estimate = no_estimate
        self._pages = self._own = self._true = 0

    @classmethod
    def of(
        cls, judge: PageJudge | None, topic: Topic, models: Path, truth: Mapping[str, bool]
    ) -> RunHarvest:
        """Build the harvest of a run by its judge, None for the truth; raises ModelError for a damaged file."""
        if judge is None:
            return cls("", truth)
        quality = quality_of(topic, judge, models)
        if isinstance(quality, str):
            return cls(judge.name, truth, no_estimate=quality)
        return cls(judge.name, truth, HarvestEstimator(quality), load_scorer(topic, models))

    def add(self, url: str, link: Link, probability: float, *, is_relevant: bool) -> None:
        """Add a page: its canonical URL, the link to it, its probability by its words, and the verdict."""
        self._pages += 1
        self._own += is_relevant
        self._true += self._truth.get(url, False)
        if self._estimator and self._scorer:
            (scored,) = self._scorer.score([link])
            self._estimator.add(url.split("/")[2], probability, scored.probability)

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
            corrected=estimate,
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
