"""Counts of a run over numbered articles, and their summary lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from focuscrawl.articles.article_series import WALL
from focuscrawl.articles.soft_404_detection import SOFT_404


@dataclass(slots=True)
class ArticleTally:
    """Counts of one run: articles, missing numbers by reason, failures by reason.

    ``no_body`` is the URL of the first page on which the profile's rule found no body.
    """

    articles: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    no_body: str = ""
    is_forbidden: bool = False

    def withdraw(self) -> None:
        """Count an article that was none as a failure."""
        self.articles -= 1
        self.failures[WALL] += 1

    def lines(self, retried: int) -> list[tuple[str, str]]:
        """Return the summary lines; ``retried`` is the number of retries of missing numbers."""
        lines = []
        if self.reasons:
            lines.append(("missing", _in_words(self.reasons)))
        if retried:
            lines.append(("retried", f"{retried} numbers that were missing before"))
        if self.failures:
            lines.append(("failed", f"{_in_words(self.failures)}; the next run retries them"))
        return lines

    def why_incomplete(self) -> str:
        """Return a sentence on the number of failures; ``""`` if nothing failed."""
        failed = self.failures.total()
        count = failed + self.articles + self.reasons.total()
        if not failed:
            return ""
        return f"{failed} of {count} numbers failed ({_in_words(self.failures)}); run again later"

    def why_nothing(self, profile: str, first: str, *, has_held: bool) -> str:
        """Return a sentence on why no article was found, with the remedy; ``""`` if that is no error.

        ``first`` is the URL of the first number; ``has_held`` is true if earlier runs have found an
        article.
        """
        if self.articles:
            return ""
        if self.is_forbidden:
            return f"robots.txt forbids {first}; on your own site: -s ROBOTSTXT_OBEY=False"
        if self.failures and not self.reasons:
            failures = _in_words(self.failures)
            return f"all requests failed ({failures}); run again when the site is up"
        if has_held:
            return ""
        if self.no_body:
            return (
                f"site profile {profile}: article.body selects nothing on {self.no_body};"
                " correct the profile if the site has changed, or give another one"
            )
        if self.reasons[SOFT_404] == self.reasons.total() > 0:
            return (
                f"all pages from {first} on look like the page of a nonexistent number; give another"
                " start (scripts are not run: a site that needs them cannot be read)"
            )
        return ""


def varying_soft_404(site: str) -> str:
    """Return the message about a site whose pages for nonexistent numbers differ."""
    return (
        f"{site} returns different pages for nonexistent numbers; give a profile with rules for"
        " missing articles (missing) or for the body (article.body)"
    )


def login_wall(site: str, held: str) -> str:
    """Return the message about a site that does not even show ``held``, the URL of a stored article."""
    return (
        f"{site} returns the same page (a captcha, a login?) for any number, even for the stored"
        f" article {held}; run again when that is over"
    )


def login_wall_since(site: str, first: str) -> str:
    """Return the message about a site that returned the same page from the URL ``first`` on."""
    return (
        f"{site} returns the same page (a captcha, a login?) for all numbers from {first} on;"
        " the articles stored since are deleted, and the next run requests their numbers again"
    )


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
