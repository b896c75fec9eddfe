"""Option types for argparse: whole numbers, numbers, days, lists of names and of recordings."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import NoReturn

from focuscrawl.errors import ArchiveError, ArgumentError
from focuscrawl.replay.recording_paths import recording_paths
from focuscrawl.system.durable_files import made_folder

# Python raises an error for numbers of thousands of digits.
_DIGITS = 20


def out_folder(folder: Path) -> Path:
    """Return the folder of ``--out``, created if it does not exist. Raises ArgumentError."""
    return made_folder(folder, ArgumentError, "give another --out FOLDER")


def refuse(message: str) -> NoReturn:
    """Raise ArgumentError in place of ``ArgumentParser.error``, which prints the usage as well."""
    raise ArgumentError(message)


def check_options(args: Sequence[str], prefix: str = "--") -> None:
    """Raise ArgumentError for unknown options, which Scrapy passes on among the arguments."""
    for arg in args:
        if arg.startswith(prefix) and arg != "--":
            raise ArgumentError(f"unknown option {arg}; -h lists the known ones")


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return an option type for a whole number from ``least`` to ``most``, both included."""

    def parse(text: str) -> int:
        if not text.isdecimal() or len(text) > _DIGITS or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {least} to {most}"
            )
        return int(text)

    return parse


def seconds(text: str) -> float:
    """Return a number of seconds or milliseconds, at least 0; an option type."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return number


def numbers(least: float, most: float) -> Callable[[str], tuple[float, ...]]:
    """Return an option type for comma-separated numbers from ``least`` to ``most``; repeats are dropped."""

    def parse(text: str) -> tuple[float, ...]:
        try:
            found = [float(part) for part in text.split(",")]
        except ValueError:
            found = []
        if not found or not all(least <= number <= most for number in found):
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a comma-separated list of numbers from {least:g} to {most:g}"
            )
        return tuple(dict.fromkeys(found))

    return parse


def share(text: str) -> float:
    """Return a number from 0 to 1, both included; an option type."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def whole_numbers(least: int, most: int) -> Callable[[str], tuple[int, ...]]:
    """Return an option type for comma-separated whole numbers; repeats are dropped."""
    number = whole_number(least, most)
    return lambda text: tuple(dict.fromkeys(number(part.strip()) for part in text.split(",")))


def day(text: str) -> date:
    """Return a day written as 2026-03-05; an option type."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a date; write it as 2026-03-05"
        ) from None


def past_day(text: str) -> date:
    """Return a day that is not in the future; an option type."""
    if (found := day(text)) > (today := date.today()):
        raise argparse.ArgumentTypeError(f"{text} is in the future; today is {today}")
    return found


def names_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return an option type for comma-separated names out of ``known``, each at most once."""

    def parse(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(",") if name.strip())
        wrong = [name for name in names if name not in known]
        if wrong or not names or len({*names}) < len(names):
            raise argparse.ArgumentTypeError(
                f"{(wrong or [text])[0]!r} is not allowed; choose from {','.join(known)},"
                " each at most once"
            )
        return names

    return parse


def recordings(text: str) -> list[Path]:
    """Return the paths of comma-separated WARC files, all of which exist; an option type."""
    try:
        paths = recording_paths(text.split(","))
    except ArchiveError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if missing := [path for path in paths if not os.path.exists(path)]:
        raise argparse.ArgumentTypeError(
            f"there is no file {missing[0]}; give WARC files, comma-separated"
        )
    return paths
