"""MkDocs hook: the parts of the documentation that are generated from the code.

A line ``<!-- generated: NAME -->`` in a page stands before the Markdown of the part of that name, which
ends with ``<!-- end -->``; ``python -m tools.documentation_hook`` writes it into the pages. Pages below
``zh/`` have the Chinese texts of the theme.
"""

from __future__ import annotations

import argparse
import pkgutil
import re
import tomllib
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page
from pydantic import BaseModel
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from focuscrawl import addon, commands, spider_arguments
from focuscrawl.command_support.spider_help import model_arguments
from focuscrawl.setting_descriptions import DESCRIPTIONS
from focuscrawl.stores.sql.sql_tables import metadata

_MARKER = re.compile(
    r"^(<!-- generated: ([^\n]+?) -->)$(?:(?:(?!^<!-- generated).)*?^<!-- end -->$)?",
    re.MULTILINE | re.DOTALL,
)
_ROOT = Path(__file__).resolve().parents[1]
# Inside backquotes a pipe does not end a cell.
_BARE_PIPE = re.compile(r"\|(?=[^`]*(?:`[^`]*`[^`]*)*$)")
_CHINESE_BREAK = re.compile(r"(?<=[\u3001-\u9fff\uff00-\uffef])\n(?=[\u3001-\u9fff\uff00-\uffef])")
_PREFIX = "FOCUSCRAWL_"
# What every Scrapy command has.
_COMMON_GROUPS = {"Global Options"}


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Replace the markers of a page; raises PluginError for a part that does not exist."""

    def part(match: re.Match[str]) -> str:
        try:
            return _part(match[2])
        except KeyError as error:
            raise PluginError(f"{page.file.src_uri}: {error.args[0]}") from error

    # A line break between two Chinese characters would show as a blank.
    return _CHINESE_BREAK.sub("", _MARKER.sub(part, markdown))


def written(markdown: str) -> str:
    """Return a page with its generated parts as they are now, between their markers."""
    return _MARKER.sub(lambda match: f"{match[1]}\n\n{_part(match[2])}\n\n<!-- end -->", markdown)


def _part(marker: str) -> str:
    kind, _, name = marker.partition(" ")
    if kind not in _PARTS:
        raise KeyError(f"there is no generated part {marker!r}")
    return _PARTS[kind](name)


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, **_: Any) -> None:
    """Choose the language of the theme by the folder of the page."""
    config.theme["language"] = "zh" if page.file.src_uri.startswith("zh/") else "en"


def argument_models() -> dict[str, type[BaseModel]]:
    """Return the argument model of each spider by the spider's name."""
    return {
        name.removesuffix("Arguments").lower(): model
        for name, model in vars(spider_arguments).items()
        if name.endswith("Arguments") and isinstance(model, type) and issubclass(model, BaseModel)
    }


def command_names() -> list[str]:
    """Return the names of all commands of the package, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _arguments(spider: str) -> str:
    rows = (
        (f"`{one.name}`", one.description, one.values, one.default)
        for one in model_arguments(argument_models()[spider], "`")
    )
    return _table(("Argument", "Meaning", "Values", "Default"), rows)


def _settings(kind: str) -> str:
    is_ours = kind == "focuscrawl"
    rows = (
        (f"`{name}`", DESCRIPTIONS[name], _value(default))
        for name, default in addon.DEFAULTS.items()
        if name.startswith(_PREFIX) == is_ours
    )
    return _table(("Setting", "Meaning", "Default"), rows)


def _commands(_name: str) -> str:
    return "\n\n".join(_command(name) for name in command_names())


def _command(name: str) -> str:
    command: ScrapyCommand = import_module(f"{commands.__name__}.{name}").Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(prog=f"scrapy {name}", conflict_handler="resolve")
    command.add_options(parser)
    rows = [
        _option(action)
        for group in parser._action_groups
        if group.title not in _COMMON_GROUPS
        for action in group._group_actions
        if action.option_strings and action.dest != "help"
    ]
    text = [
        f"## scrapy {name}",
        _text(command.long_desc()),
        f"```text\nscrapy {name} {command.syntax()}\n```",
    ]
    return "\n\n".join([*text, _table(("Option", "Meaning"), rows)] if rows else text)


def _option(action: argparse.Action) -> tuple[str, str]:
    if action.nargs == 0:
        value = ""
    elif action.choices and not action.metavar:
        value = " " + "|".join(str(choice) for choice in action.choices)
    else:
        value = f" {action.metavar or action.dest.upper()}"
        value += "…" if action.nargs == "+" else ""
    names = ", ".join(f"`{name}{value}`" for name in action.option_strings)
    return names, _text((action.help or "") % {**vars(action), "prog": "scrapy"})


def _tables(_name: str) -> str:
    parts = []
    for table in metadata.sorted_tables:
        rows = (
            (
                f"`{column.name}`",
                type(column.type).__name__,
                "primary key" if column.primary_key else "" if column.nullable else "not null",
            )
            for column in table.columns
        )
        parts.append(f"## {table.name}\n\n" + _table(("Column", "Type", ""), rows))
    return "\n\n".join(parts)


def _layers(_name: str) -> str:
    tool = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers, purity = tool["importlinter"]["contracts"][:2]
    rows = []
    for layer in layers["layers"]:
        for name in layer.split(" | "):
            is_pure = name in purity["source_modules"]
            first = (import_module(name).__doc__ or "").strip().splitlines()[0]
            rows.append((f"`{name.partition('.')[2]}`", "pure" if is_pure else "", _text(first)))
        rows.append(("", "", ""))
    return _table(("Package", "", "Content"), rows[:-1])


def _file(path: str) -> str:
    text = (_ROOT / path).read_text(encoding="utf-8")
    return f'```ini title="{path}"\n{text}```'


def _value(value: object) -> str:
    return "" if value is None else "empty" if value == "" else f"`{value}`"


def _text(words: str) -> str:
    return words.replace("<", "&lt;").replace("{", "&#123;").replace("*", r"\*")


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(_row(line) for line in lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_BARE_PIPE.sub('&#124;', cell) for cell in cells)} |"


_PARTS: dict[str, Callable[[str], str]] = {
    "arguments": _arguments,
    "settings": _settings,
    "commands": _commands,
    "tables": _tables,
    "layers": _layers,
    "file": _file,
}


def _write() -> None:
    for page in sorted((_ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if text != (now := written(text)):
            page.write_text(now, encoding="utf-8")
            print(page.relative_to(_ROOT))


if __name__ == "__main__":
    _write()
