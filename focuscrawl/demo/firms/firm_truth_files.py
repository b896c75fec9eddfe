"""Published data of the firms as a CSV file, to measure the extraction of contact pages."""

from __future__ import annotations

import csv
from pathlib import Path

from focuscrawl.demo.firms.firm_web import Firms
from focuscrawl.errors import ArgumentError

COLUMNS = ("site", "host", "split", "home_url", "contact_url", "field", "value", "level", "alt")


def write_firms(firms: Firms, path: Path) -> None:
    """Write one row per value of the current window."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for known in firms.truth():
                host = known.home.split("/")[2]
                writer.writerows(
                    (host, host, "", known.home, known.contact_url, field, value, "main", "")
                    for field, values in known.values.items()
                    for value in values
                )
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be written ({error.strerror}); give another path"
        ) from None
