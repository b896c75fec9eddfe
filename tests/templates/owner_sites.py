"""Invented sites whose owner is hard to name: pages, names to be found, and further accepted names.

In the files of ``owners/`` a site begins with ``@site``, a line ``+`` is a name to be found (forms of one
name are separated by bars), a line ``?`` lists names that may be found, and each ``@page`` is a page:
the contact page first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.names.name_words import folded
from focuscrawl.templates.template_model import load_template

OWNERS = Path(__file__).parent / "owners"
FIELDS = load_template("contacts").fields


@dataclass
class OwnerSite:
    """A site: its pages, the contact page first, and the forms of the names of its owner."""

    name: str
    wanted: list[frozenset[str]] = field(default_factory=list)
    accepted: frozenset[str] = frozenset()
    pages: list[str] = field(default_factory=list)

    @cached_property
    def found(self) -> list[str]:
        """Names that are read from the pages."""
        readings = [
            read_page(page, f"http://www.{self.name}.example/", FIELDS) for page in self.pages
        ]
        names = combine(readings[0], readings[1:], FIELDS).get("name", ())
        return [name.value for name in names]

    def wrong(self) -> list[str]:
        known = self.accepted.union(*self.wanted)
        return [name for name in self.found if folded(name) not in known]

    def missed(self) -> list[str]:
        found = set(map(folded, self.found))
        return [min(forms) for forms in self.wanted if found.isdisjoint(forms)]


def owner_sites(folder: Path = OWNERS) -> Iterator[OwnerSite]:
    """Yield the sites of the files in a folder."""
    for path in sorted(folder.glob("*.txt")):
        for text in path.read_text(encoding="utf-8").split("@site ")[1:]:
            head, *pages = text.split("@page ")
            name, *lines = head.split("\n")
            site = OwnerSite(name, pages=[page.partition("\n")[2] for page in pages])
            for line in lines:
                if line.startswith("+ "):
                    site.wanted.append(_forms(line))
                elif line.startswith("? "):
                    site.accepted = _forms(line)
            yield site


def f1(sites: Sequence[OwnerSite]) -> float:
    """Return the F1 of the names of all sites."""
    missed = sum(len(site.missed()) for site in sites)
    right = sum(len(site.wanted) for site in sites) - missed
    return 2 * right / (2 * right + sum(len(site.wrong()) for site in sites) + missed)


def _forms(line: str) -> frozenset[str]:
    return frozenset(folded(form) for form in line[2:].split(" | "))
