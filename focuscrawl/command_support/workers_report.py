"""Report of a crawl by several workers of this machine, after its workbook is written."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from scrapy.settings import BaseSettings

from focuscrawl.command_support.crawl_workers import WorkersEnd
from focuscrawl.errors import INTERRUPTED, FocuscrawlError
from focuscrawl.reports.workbook import sentence_on
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_urls import make_destinations
from focuscrawl.summary.run_report import RunReport, join_reports, worst_code

_REMEDY = "the others took over their sites; start the crawl again if no other is left"
_NOTHING_READ = "no worker has read a page so far"


def workers_report(
    base: RunReport, end: WorkersEnd, stores: str, settings: BaseSettings
) -> tuple[RunReport, int]:
    """Write the workbooks; return the report of all workers, and the exit code."""
    killed = sum(code < 0 for code in end.codes)
    # Those that were stopped before they could crawl have no report.
    reason = "shutdown" if INTERRUPTED in end.codes and not end.reports else ""
    report = join_reports(replace(base, reason=reason), _without_false_alarms(end))
    not_done = list(report.not_done)
    if killed:
        not_done.append(f"{killed} of {len(end.codes)} workers were killed; {_REMEDY}")
    error, archive = report.error, _archive(stores, settings)
    try:
        # Workers that were refused at once have no counts, and leave no files.
        if killed or any(one["counts"] for one in end.reports):
            asyncio.run(_write_workbooks(archive))
    except FocuscrawlError as problem:
        error = error or str(problem)
    if faults := archive.sheet_faults:
        not_done.append(sentence_on(faults))
    places = [("results" if n == 0 else "", place) for n, place in enumerate(archive.locations)]
    report = replace(report, not_done=not_done, error=error, places=places)
    return report, _exit_code(report, end)


def _exit_code(report: RunReport, end: WorkersEnd) -> int:
    # A worker may have been incomplete only because it ended before the others.
    codes = [code for code in end.codes if code != 3]
    return worst_code([*codes, 3 if report.not_done else 0, 2 if report.error else 0])


def _without_false_alarms(end: WorkersEnd) -> list[dict[str, object]]:
    """Return the reports; a worker that had nothing to do says so only if that holds for all."""
    pages = sum(report["counts"].get("pages", {}).get("responses", 0) for report in end.reports)
    if not pages:
        return [dict(report) for report in end.reports]
    return [
        {
            **report,
            "not_done": [one for one in report["not_done"] if not one.startswith(_NOTHING_READ)],
        }
        for report in end.reports
    ]


def _archive(stores: str, settings: BaseSettings) -> Archive:
    places = make_destinations(stores)
    folder = Path(settings["FOCUSCRAWL_DATA"]) / "spill"
    return Archive(places.databases, folder, workbooks=places.workbooks)


async def _write_workbooks(archive: Archive) -> None:
    """Open and close the stores, as a crawl does; spilled records are loaded before."""
    await archive.open()
    await archive.close()
