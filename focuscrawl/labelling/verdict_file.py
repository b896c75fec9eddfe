"""CSV file in which people judge pages: a row a page, a column a judge, 1, 0 or ? in each cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from focuscrawl.errors import ArgumentError
from focuscrawl.items import PageOpinion
from focuscrawl.system.durable_files import read_chinese

URL = "url"
COLUMNS = (URL, "title", "text")
"""The columns that describe a page; all others are judges'."""
_OPINIONS: dict[str, PageOpinion] = {"1": "relevant", "0": "irrelevant", "?": "unsure"}
_LONGEST_NAME = 255


class FileVerdicts(NamedTuple):
    """Opinions by judge and URL, and the number of cells without one."""

    by_judge: Mapping[str, Mapping[str, PageOpinion]]
    empty: int


def read_verdicts(path: Path, urls: Collection[str], crawl: str) -> FileVerdicts:
    """Return the verdicts of a file on pages of a crawl, which has ``urls``.

    Full-width characters count as their usual forms, and Excel's files in GB 18030 are read, too. Raises
    :class:`~focuscrawl.errors.ArgumentError`, with one sentence, for other columns, a page that is not one
    of the crawl, another mark, and two marks of one judge on one page that differ.
    """
    rows = csv.DictReader(io.StringIO(read_chinese(path), newline=""))
    judges = _judges_of(path, rows.fieldnames or ())
    found: dict[str, dict[str, PageOpinion]] = {judge: {} for judge in judges}
    empty = 0
    for row, url in _rows_of(path, rows, urls, crawl):
        for judge in judges:
            mark = normalize("NFKC", row[judge] or "").strip()
            if not mark:
                empty += 1
                continue
            place = f"{path} line {rows.line_num}"
            if mark not in _OPINIONS:
                raise ArgumentError(f"{place}: {judge} has {mark!r}; write 1, 0 or ?, or nothing")
            said = found[judge].setdefault(url, _OPINIONS[mark])
            if said != _OPINIONS[mark]:
                raise ArgumentError(
                    f"{place}: {judge} says {mark} of {url}, and {said} further above; remove one"
                )
    return FileVerdicts(found, empty)


def _judges_of(path: Path, names: Sequence[str]) -> list[str]:
    judges = [name for name in names if name and name not in COLUMNS]
    if URL not in names or not judges:
        raise ArgumentError(
            f"{path} has the columns {', '.join(names) or '(none)'}; it needs {URL} and one column a judge,"
            " as scrapy judge -o writes them"
        )
    if len(set(names)) < len(names) or max(map(len, judges)) > _LONGEST_NAME:
        raise ArgumentError(
            f"{path}: name each column once, with at most {_LONGEST_NAME} characters"
        )
    return judges


def _rows_of(
    path: Path, rows: csv.DictReader[str], urls: Collection[str], crawl: str
) -> Iterator[tuple[dict[str, str], str]]:
    try:
        for row in rows:
            url = (row[URL] or "").strip()
            if url not in urls:
                raise ArgumentError(
                    f"{path} line {rows.line_num}: {url!r} is no stored page of {crawl}; name the crawl that"
                    " the file was written for"
                )
            yield row, url
    except csv.Error as error:
        raise ArgumentError(f"{path} line {rows.line_num}: {error}; save it as CSV again") from None
