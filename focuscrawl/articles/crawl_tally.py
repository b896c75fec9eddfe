"""Counts of a run over numbered articles, and the summary lines made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from focuscrawl.articles.number_answers import SOFT_404


@dataclass(slots=True)
class Tally:
    """Counts of one run: articles, reasons for having none, failures of which nobody knows.

    ``no_body`` is the first page on which the profile's rule found no body.
    """

    articles: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    no_body: str = ""
    is_forbidden: bool = False

    def lines(self, retried: int) -> list[tuple[str, str]]:
        """Return the lines of a summary; ``retried`` numbers had been missing before."""
        lines = []
        if self.reasons:
            lines.append(("in vain", _in_words(self.reasons)))
        if retried:
            lines.append(("retried", f"{retried} numbers that were missing before"))
        if self.failures:
            lines.append(("failed", f"{_in_words(self.failures)}; the next run asks again"))
        return lines

    def why_incomplete(self) -> str:
        """Return in a sentence how many numbers failed; ``""`` if all were answered."""
        failed = self.failures.total()
        count = failed + self.articles + self.reasons.total()
        if not failed:
            return ""
        return f"{failed} of {count} numbers failed ({_in_words(self.failures)}); run again later"

    def why_nothing(self, profile: str, first: str, *, has_held: bool) -> str:
        """Return in a sentence why there is nothing, and the remedy; ``""`` where that is no mistake.

        ``first`` is the URL of the first number; ``has_held`` tells whether earlier runs have
        found an article.
        """
        if self.articles:
            return ""
        if self.is_forbidden:
            return f"robots.txt forbids {first}; on your own site: -s ROBOTSTXT_OBEY=False"
        if self.failures and not self.reasons:
            failures = _in_words(self.failures)
            return f"no number was answered ({failures}); run again when the site is up"
        if has_held:
            return ""
        if self.no_body:
            return (
                f"site profile {profile}: article.body finds nothing on {self.no_body};"
                " the site may have changed, or the page is not of this site"
            )
        if self.reasons[SOFT_404] == self.reasons.total() > 0:
            return (
                f"all pages look like that of a number that cannot exist, from {first} on;"
                " give another start, or the texts are put in by scripts, which are not run"
            )
        return ""


def unsteady(site: str) -> str:
    """Return what to say of a site whose pages for missing numbers look like nothing known."""
    return (
        f"{site} answers numbers that cannot exist with pages that differ; say in a profile how it"
        " tells that there is no article (missing), or where the body is"
    )


def walled(site: str, held: str) -> str:
    """Return what to say where not even ``held``, the URL of an article in the stores, is shown."""
    return (
        f"{site} answers any number with the same page (a captcha, a login?), even {held}, which is"
        " held; run again when that is over"
    )


def walled_from(site: str, first: str) -> str:
    """Return what to say where that began with the URL ``first``."""
    return (
        f"{site} answers number after number with the same page (a captcha, a login?) from {first}"
        " on: delete what was kept of it"
    )


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
