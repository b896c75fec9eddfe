"""``scrapy quotes``: extraction of price quotes from texts in a JSON-lines file."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.output_file import STANDARD_OUTPUT, text_output
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError
from focuscrawl.exports.row_files import csv_cell
from focuscrawl.items import Quote
from focuscrawl.prices import READERS, load_aliases
from focuscrawl.prices.reading_task import reading_options
from focuscrawl.stores.records.canonical_records import clean_text
from focuscrawl.system.durable_files import made_folder

COLUMNS = (
    "source_id article_url date commodity mention entity region price_low price_high unit"
    " price_yuan_per_ton_low price_yuan_per_ton_high moisture condition change primary span flag"
    " province city county entity_type confidence"
).split()
MODEL_FILE = "price_model.json"


class Command(PlainCommand):
    """Reads texts, one JSON object per line, and writes their quotes as CSV."""

    usage = (
        "TEXTS.jsonl [-o FILE.csv] [--reader rules|paper] [--aliases FILE.yaml]"
        " [--explain | --correct FILE.csv]"
    )
    summary = "Extract price quotes from texts (JSON lines to CSV)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Quotes").add_argument
        add("-o", "--output", default=STANDARD_OUTPUT, metavar="FILE.csv",
            help="CSV file of the quotes (default: - for standard output)")  # fmt: skip
        add(
            "--reader",
            choices=tuple(READERS),
            help="price reader (default: that of the setting FOCUSCRAWL_READER)",
        )
        add("--aliases", metavar="FILE.yaml",
            help="names and aliases of your own firms (default: those of FOCUSCRAWL_ALIASES)")  # fmt: skip
        add("--explain", action="store_true",
            help="write what speaks for and against each quote, in place of CSV")  # fmt: skip
        add("--correct", metavar="FILE.csv",
            help="output of this command with its errors corrected; writes a model that learns from it")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Extract and write the quotes."""
        add_defaults(settings)
        for name, value in (("READER", opts.reader), ("ALIASES", opts.aliases)):
            if value is not None:
                settings.set(f"FOCUSCRAWL_{name}", value, priority="cmdline")
        if opts.correct:
            _correct(args, opts, settings)
        else:
            _run(args, opts, settings)


def _correct(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    # Imported here: scikit-learn takes a second to load.
    from focuscrawl.evaluation.prices.price_corrections import adapted
    from focuscrawl.prices.confidence.price_model import as_text, load_model

    if len(args) != 1 or opts.explain:
        raise ArgumentError("Give the texts: scrapy quotes TEXTS.jsonl --correct CORRECTED.csv")
    model = load_model(settings["FOCUSCRAWL_PRICE_MODEL"] or None)
    found = adapted(model, Path(args[0]), Path(opts.correct))
    default = str(Path(settings["FOCUSCRAWL_DATA"]) / MODEL_FILE)
    path = default if opts.output == STANDARD_OUTPUT else opts.output
    if path == default:
        made_folder(Path(settings["FOCUSCRAWL_DATA"]), ArgumentError, "set another FOCUSCRAWL_DATA")
    with text_output(path, "utf-8") as out:
        out.write(as_text(found.model) + "\n")
    if found.changed:
        print(f"left out, since their text has changed: {', '.join(found.changed)}")
    print(
        f"{found.quotes} corrected quotes of {found.texts} texts: {found.right_before} were read right,"
        f" now {found.right_after}; wrong ones not trusted: {found.doubtful_before},"
        f" now {found.doubtful_after}\nuse it with -s FOCUSCRAWL_PRICE_MODEL={path}"
    )
    if found.threshold is not None:
        print(
            f"before, 97 of 100 quotes were right from a confidence of {found.threshold:.2f} on: for these"
            f" texts, price_confidence: {found.threshold:.2f} in the site's profile is enough"
        )


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    # Imported here: other commands, which load this module, need no reader of prices.
    from focuscrawl.prices.confidence.price_model import load_model
    from focuscrawl.prices.confidence.quote_explanation import explained

    if len(args) != 1:
        raise ArgumentError("Give one file of texts: scrapy quotes TEXTS.jsonl -o quotes.csv")
    options = reading_options(settings)
    if opts.explain and options.reader != "rules":
        raise ArgumentError(
            f"--explain is for the reader rules, not {options.reader}; give --reader rules"
        )
    model = load_model(settings["FOCUSCRAWL_PRICE_MODEL"] or None)
    threshold, reader = options.threshold, READERS[options.reader]
    aliases = load_aliases(settings["FOCUSCRAWL_ALIASES"] or None)
    if opts.output != STANDARD_OUTPUT and Path(opts.output).resolve() == Path(args[0]).resolve():
        raise ArgumentError(f"{opts.output} is the input; give another name.")
    encoding = "utf-8" if opts.explain else "utf-8-sig"
    with _opened(args[0]) as lines, text_output(opts.output, encoding) as out:
        if opts.explain:
            for text in texts_of(lines, args[0]):
                out.writelines(explained(text.source_id, text.text, text.title, aliases, model))
            return
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for text in texts_of(lines, args[0]):
            quotes = reader(
                text.text,
                title=text.title,
                day=text.day,
                aliases=aliases,
                threshold=threshold,
                model=model,
            )
            writer.writerows(row_of(text, quote) for quote in quotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One line of the input."""

    source_id: str
    url: str
    title: str
    text: str
    day: date | None


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - entered below, where a reader's error is another
    except OSError as error:
        raise ArgumentError(
            f"Cannot read {path}: {error.strerror}; give a file of JSON lines with source_id, title and text."
        ) from error
    with file:
        yield file


def texts_of(lines: Iterator[bytes] | IO[bytes], path: str) -> Iterator[Text]:
    """Yield the texts of JSON lines; empty lines are skipped.

    Raises :class:`~focuscrawl.errors.ArgumentError`, which names the line and the remedy, at the
    first line that is not such an object.
    """
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield _text_of(raw, f"{path} line {number}", number == 1)


def _text_of(raw: bytes, where: str, is_first: bool) -> Text:
    try:
        row = json.loads(raw.decode("utf-8-sig" if is_first else "utf-8"))
    except UnicodeDecodeError:
        raise ArgumentError(f"{where} is not UTF-8; save the file as UTF-8.") from None
    except (ValueError, RecursionError):
        raise ArgumentError(f"{where} is not JSON; write one JSON object per line.") from None
    if not isinstance(row, dict):
        raise ArgumentError(
            f'{where} is not a JSON object; write {{"source_id": …, "title": …, "text": …}}.'
        )
    return Text(
        source_id=_field(row, "source_id", where),
        url=_field(row, "url", where, default=""),
        title=_field(row, "title", where),
        text=_field(row, "text", where),
        day=_day(row.get("date"), where),
    )


def _field(row: dict[str, Any], name: str, where: str, default: str | None = None) -> str:
    value = row.get(name, default)
    if name == "source_id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return clean_text(value)
    if value is None and default is not None:
        return default
    problem = "has no" if name not in row else "needs text as its"
    raise ArgumentError(f'{where} {problem} "{name}"; add "{name}": "…" to the object.')


def _day(value: Any, where: str) -> date | None:
    if value is None or value == "":
        return None
    try:
        return datetime.fromisoformat(value).date()
    except (TypeError, ValueError):
        raise ArgumentError(
            f'{where} has the date {value!r}; write it like "2017-01-31" or leave it out.'
        ) from None


def row_of(text: Text, quote: Quote) -> list[str]:
    """Return the CSV row of a quote, in the order of ``COLUMNS``."""
    prices = (quote.price_yuan_per_ton_low, quote.price_yuan_per_ton_high)
    return [
        *map(csv_cell, (text.source_id, text.url or text.source_id)),
        quote.date.isoformat() if quote.date else "",
        *map(csv_cell, (quote.commodity, quote.mention, quote.entity, quote.region)),
        *(f"{price:f}" for price in (quote.price_low, quote.price_high)),
        quote.unit,
        *(f"{price:f}" for price in prices),
        *map(csv_cell, (quote.moisture, quote.goods_condition)),
        _change(quote.price_change, quote.price_change_high),
        "1" if quote.is_primary else "0",
        *map(csv_cell, (quote.span, quote.flag)),
        *(quote.province, quote.city, quote.county, quote.entity_type),
        "" if quote.confidence is None else f"{quote.confidence:f}",
    ]


def _change(low: Decimal | None, high: Decimal | None) -> str:
    if low is None:
        return ""
    return f"{low:+f}" if high is None else f"{low:+f}..{high:+f}"
