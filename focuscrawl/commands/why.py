"""``scrapy why``: explanation of the scores of the links to a page, by their words or from crawls."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.crawl_run import has_workers
from focuscrawl.errors import ArgumentError
from focuscrawl.workers.frontier_server import facts_on_server

if TYPE_CHECKING:
    from focuscrawl.pages.link import LabelledLink, Reason, ScoredLink

_COLUMNS = (
    "score",
    "probability",
    "label",
    "anchor",
    "before",
    "after",
    "heading",
    "from",
    "words",
)
_SHOWN = ("score", "probability", "label", "link", "words")
_WORDS_SHOWN = 8
_LABELS = {True: "positive", False: "negative", None: ""}


class _Row(NamedTuple):
    scored: ScoredLink
    seen: LabelledLink
    reasons: list[Reason]

    def cells(self) -> tuple[str, ...]:
        """Return a text for each of the columns."""
        link = self.seen.link
        texts = map(_printable, (link.anchor, link.before, link.after, link.heading))
        return (*self._figures(), *texts, self.seen.source, ", ".join(self._words()))

    def block(self) -> tuple[str, ...]:
        """Return a text for each of the columns on a terminal, where a cell has several lines."""
        link = self.seen.link
        lines = [f"{link.before} [{link.anchor}] {link.after}".strip()]
        if link.heading:
            lines.append(f"under {link.heading}")
        lines.append(f"on {self.seen.source}")
        words = self._words()
        if len(words) > _WORDS_SHOWN:
            words[_WORDS_SHOWN:] = [f"and {len(words) - _WORDS_SHOWN} more"]
        return (*self._figures(), "\n".join(map(_printable, lines)), "\n".join(words))

    def _figures(self) -> tuple[str, str, str]:
        _, score, probability = self.scored
        return f"{score:+.2f}", f"{probability:.1%}", _LABELS[self.seen.label]

    def _words(self) -> list[str]:
        return [f"{_printable(feature)} {weight:+.2f}" for feature, weight in self.reasons]


class Command(PlainCommand):
    """Explains the score of each stored link to a page, or what crawls on a server know about it."""

    usage = "URL --topic NAME [--labels FILE.sqlite] | URL [--crawl NAME]"
    summary = "Explain the scores of the links seen to a page"
    explanation = (
        f"{summary}: those of `scrapy crawl labels` with --topic; without it, if "
        "FOCUSCRAWL_FRONTIER is on a server, those that its crawls have found, and the state of the page."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Why").add_argument
        add("--topic", metavar="NAME", help="a topic, or the path of its YAML file")
        add("--labels", type=Path, metavar="FILE.sqlite",
            help="file of `scrapy crawl labels` (default: labels-NAME.sqlite in the data folder)")  # fmt: skip
        add("--crawl", metavar="NAME", help="a crawl on the server, as scrapy jobs names it (default: all)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Print the links with their scores and words."""
        if len(args) == 1 and not opts.topic and has_workers(settings):
            for row in facts_on_server(args[0], opts.crawl, settings["FOCUSCRAWL_FRONTIER"]):
                print(*map(_printable, row), sep="\t")
            return
        if opts.crawl:
            raise ArgumentError("--crawl needs FOCUSCRAWL_FRONTIER on a server, and no --topic")
        if len(args) != 1 or not opts.topic:
            raise ArgumentError("give one URL and a topic: scrapy why URL --topic NAME")
        _explain(args[0], opts.topic, opts.labels, settings)


def _explain(address: str, name: str, labels: Path | None, settings: BaseSettings) -> None:
    from focuscrawl.pages.canonical_urls import canonical_url
    from focuscrawl.scoring.model_files.scorer_loading import load_scorer
    from focuscrawl.topics import load_topic

    add_defaults(settings)
    topic = load_topic(name, Path(settings["FOCUSCRAWL_TOPICS"]))
    try:
        url = canonical_url(address)
    except ValueError:
        raise ArgumentError(f"{address!r} is not the URL of a page; write http://host/…") from None
    seen = _seen(url, labels or Path(settings["FOCUSCRAWL_DATA"]) / f"labels-{topic.name}.sqlite")
    scorer = load_scorer(topic, Path(settings["FOCUSCRAWL_MODELS"]))
    scored = scorer.score([entry.link for entry in seen])
    rows = [
        _Row(one, entry, scorer.explain(entry.link))
        for one, entry in zip(scored, seen, strict=True)
    ]
    _print(url, scorer.name, sorted(rows, key=lambda row: -row.scored.score))


def _seen(url: str, path: Path) -> list[LabelledLink]:
    from focuscrawl.labelling.label_store import LabelStore

    store = LabelStore(path)
    try:
        seen = store.links_to(url)
    finally:
        store.close()
    if not seen:
        raise ArgumentError(
            f"no link to {url} is in {path}; check the spelling of the URL, or crawl further: "
            f"scrapy crawl labels -a topic={store.topic} -a max_pages=…"
        )
    return seen


def _print(url: str, scorer: str, rows: list[_Row]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        for cells in (_COLUMNS, *(row.cells() for row in rows)):
            print(*cells, sep="\t")
        sys.stdout.flush()
        return
    console.print(Text(f"{url}\nscored by {scorer}"))
    table = Table(*_SHOWN, show_lines=True)
    for row in rows:
        table.add_row(*map(Text, row.block()))
    console.print(table)


def _printable(text: str) -> str:
    """Return text from the web without control characters, which could move the cursor."""
    return "".join(char if char.isprintable() else " " for char in text)
