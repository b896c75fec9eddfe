"""End of a run of ``scrapy crawl``: mail and webhook if something is wrong, log file, line of JSON."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from focuscrawl.crawl_run import crawl_name
from focuscrawl.errors import ArgumentError
from focuscrawl.extensions.run_summary import RunSummary
from focuscrawl.known_settings import ENVIRONMENT_PRIORITY
from focuscrawl.summary import report_mail, report_webhook
from focuscrawl.summary.report_delivery import Target, deliver, is_due
from focuscrawl.summary.report_mail import mail_target
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.summary.rule_version import rules_of
from focuscrawl.summary.run_report import Clock, RunReport, as_json, as_text
from focuscrawl.system.secret_masking import masked
from focuscrawl.system.standard_output import print_lines

_TARGETS: dict[str, tuple[str, Callable[[str, str], Target]]] = {
    report_mail.SETTING: (report_mail.PASSWORD, mail_target),
    report_webhook.SETTING: (report_webhook.TOKEN, webhook_target),
}
_INCOMPLETE = 3
_log = logging.getLogger(__name__)


class RunEnding:
    """Report of the run of a spider, also of one that fails before it begins.

    ``is_json`` prints it as one line of JSON.
    """

    def __init__(self, settings: BaseSettings, spider: str, *, is_json: bool) -> None:
        self.spider = spider
        self.is_json = is_json
        self._settings = settings
        self._clock = Clock()

    def check_targets(self) -> None:
        """Raise ArgumentError for a setting of mail or webhook that cannot be used."""
        for name in _TARGETS:
            self._target(name)

    def report_of(self, crawler: Crawler | None, error: str) -> RunReport:
        """Return the report of a crawl; without a summary it has the time and the error only."""
        if summary := _summary_of(crawler):
            return replace(summary, error=error)
        return RunReport(
            crawl=crawl_name(crawler) if crawler else self.spider or "crawl",
            spider=self.spider,
            began=self._clock.began,
            seconds=self._clock.seconds,
            reason="error" if error else "shutdown",
            rules=rules_of(crawler.spider) if crawler else None,
            error=error,
        )

    def finish(self, report: RunReport) -> int:
        """Send and print a report that has an exit code; return the exit code of the process.

        That is 3 if all was done, but an alarm could not be sent or the line not be printed.
        """
        failures = deliver(report, self._usable_targets()) if is_due(report) else []
        for failure in failures:
            print(f"error: {masked(failure)}", file=sys.stderr)
        code = report.exit_code or (_INCOMPLETE if failures else 0)
        self._write_into_log(report, code)
        line = as_json(replace(report, exit_code=code, not_sent=failures))
        if self.is_json and not print_lines([line]):
            return code or _INCOMPLETE
        return code

    def _write_into_log(self, report: RunReport, code: int) -> None:
        # A log file may be all that a user sees of a run, as of the jobs of Scrapyd.
        if self._settings.get("LOG_FILE") and logging.getLogger().hasHandlers():
            level = logging.ERROR if code else logging.INFO
            _log.log(level, "%s", masked("\n".join(as_text(report))))

    def _usable_targets(self) -> list[Target]:
        targets = []
        for name in _TARGETS:
            try:
                target = self._target(name)
            except ArgumentError:
                # The error that ended this run, or one that the next run reports.
                continue
            if target:
                targets.append(target)
        return targets

    def _target(self, name: str) -> Target | None:
        secret, make = _TARGETS[name]
        # A run that fails early has not read the environment yet.
        if given := os.environ.get(name):
            self._settings.set(name, given, priority=ENVIRONMENT_PRIORITY)
        url = self._settings.get(name)
        return make(str(url), os.environ.get(secret, "")) if url else None


def _summary_of(crawler: Crawler | None) -> RunReport | None:
    # Scrapy raises RuntimeError where the extensions have not been created.
    with suppress(RuntimeError):
        extension = crawler.get_extension(RunSummary) if crawler else None
        return extension.report if extension else None
    return None
