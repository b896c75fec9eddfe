"""``scrapy newtopic``: write a commented topic file to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.settings import BaseSettings

from focuscrawl.errors import ArgumentError
from focuscrawl.plain_command import PlainCommand


class Command(PlainCommand):
    """Writes ``topics/NAME.yaml``, a topic that loads as it is and says how to edit it."""

    requires_project = False

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "NAME [--force]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Write a new topic: a commented YAML file to edit"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Topic").add_argument
        add("--force", action="store_true", help="overwrite the topic of that name")

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the file."""
        # Here: scrapy loads this module for every command.
        from focuscrawl.topics import DEFAULT_FOLDER

        folder = Path(settings.get("FOCUSCRAWL_TOPICS") or DEFAULT_FOLDER)
        print(f"{_write(args, opts.force, folder)}: edit it; its comments say how")


def _write(args: list[str], is_forced: bool, folder: Path) -> Path:
    from focuscrawl.topics.load import template

    if len(args) != 1:
        raise ArgumentError("Give one name: scrapy newtopic NAME")
    text = template(args[0])
    file = folder / f"{args[0]}.yaml"
    try:
        if file.exists() and not is_forced:
            raise ArgumentError(f"{file} exists; --force overwrites it.")
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"Cannot write {file}: {error.strerror}; set FOCUSCRAWL_TOPICS to a folder you may write to."
        ) from None
    return file
