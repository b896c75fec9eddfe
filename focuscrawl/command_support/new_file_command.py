"""Base class of the commands that write a commented YAML file to begin with."""

from __future__ import annotations

import argparse
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.errors import ArgumentError


class NewFileCommand(PlainCommand):
    """Writes ``FOLDER/NAME.yaml``, which loads as it is and says how to edit it.

    ``kind`` is what the file describes, in a word; ``setting`` names its folder, ``folder`` is where
    that is not set.
    """

    kind: ClassVar[str]
    setting: ClassVar[str]
    folder: ClassVar[str]

    @abstractmethod
    def text(self, name: str) -> str:
        """Return the content of the new file; raises a FocuscrawlError for a name that cannot be."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "NAME [--force]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return f"Write a new {self.kind}: a commented YAML file to edit"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group(self.kind.capitalize()).add_argument
        add("--force", action="store_true", help=f"overwrite the {self.kind} of that name")

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the file."""
        folder = Path(settings.get(self.setting) or self.folder)
        print(f"{self._write(args, opts.force, folder)}: edit it; its comments say how")

    def _write(self, args: list[str], is_forced: bool, folder: Path) -> Path:
        if len(args) != 1:
            raise ArgumentError(f"Give one name: scrapy new{self.kind} NAME")
        text = self.text(args[0])
        file = folder / f"{args[0]}.yaml"
        try:
            if file.exists() and not is_forced:
                raise ArgumentError(f"{file} exists; --force overwrites it.")
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ArgumentError(
                f"Cannot write {file}: {error.strerror}; "
                f"set {self.setting} to a folder you may write to."
            ) from None
        return file
