"""Base class of the commands that write a new YAML file with comments."""

from __future__ import annotations

import argparse
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.output_file import text_output
from focuscrawl.errors import ArgumentError


class NewFileCommand(PlainCommand):
    """Writes ``FOLDER/NAME.yaml``, a valid file whose comments say how to edit it.

    ``kind`` is the word for such a file, ``setting`` the setting with its folder, and ``folder`` the
    default of that setting.
    """

    kind: ClassVar[str]
    setting: ClassVar[str]
    folder: ClassVar[str]
    usage = "NAME [--force]"

    @abstractmethod
    def text(self, name: str, opts: argparse.Namespace) -> str:
        """Return the content of the new file; raises a FocuscrawlError for an invalid name."""

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return f"Write a new {self.kind}: a commented YAML file to edit"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group(self.kind.capitalize()).add_argument
        add("--force", action="store_true", help=f"overwrite an existing {self.kind}")

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the file."""
        folder = Path(settings.get(self.setting) or self.folder)
        print(f"{self._write(args, opts, folder)}: edit it; its comments say how")

    def _write(self, args: list[str], opts: argparse.Namespace, folder: Path) -> Path:
        if len(args) != 1:
            raise ArgumentError(f"Give one name: scrapy new{self.kind} NAME")
        file = folder / f"{args[0]}.yaml"
        try:
            if file.exists() and not opts.force:
                raise ArgumentError(f"{file} exists; --force overwrites it.")
            text = self.text(args[0], opts)
            folder.mkdir(parents=True, exist_ok=True)
            # A crawl may read the file at any moment, and a full disk must leave the earlier one.
            with text_output(str(file), "utf-8") as out:
                out.write(text)
        except OSError as error:
            raise ArgumentError(
                f"Cannot write {file}: {error.strerror}; set {self.setting} to a writable folder."
            ) from None
        return file
