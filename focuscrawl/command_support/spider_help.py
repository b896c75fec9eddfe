"""Descriptions of spiders and their arguments, for commands and the documentation."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Spider
from scrapy.addons import AddonManager
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoaderProtocol, get_spider_loader

from focuscrawl.command_support.setting_errors import named_settings
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from pydantic import BaseModel

_TYPES = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
}
_FORMATS = {"date": "date", "uri": "URL"}


class ArgumentHelp(NamedTuple):
    """Name, allowed values, default and description of an argument."""

    name: str
    values: str
    default: str
    description: str


def spider_loader(settings: BaseSettings) -> SpiderLoaderProtocol:
    """Return the loader of the spiders of a project, including those of its add-ons."""
    with named_settings(settings):
        AddonManager.load_pre_crawler_settings(settings)
        return get_spider_loader(settings)


def unknown_spider(name: str, loader: SpiderLoaderProtocol) -> ArgumentError:
    """Return the error for a spider that does not exist."""
    return ArgumentError(f"no spider {name!r}; known: {', '.join(sorted(loader.list()))}")


def first_sentence(spider: type[Spider]) -> str:
    """Return the first paragraph of the spider's docstring as one line, ``""`` if it has none."""
    paragraph = inspect.cleandoc(spider.__doc__ or "").partition("\n\n")[0]
    return " ".join(paragraph.replace("``", "`").split())


def arguments_of(spider: type[Spider]) -> list[ArgumentHelp]:
    """Return the arguments of a spider: those of its ``argument_model``, or else of its constructor."""
    model: type[BaseModel] | None = getattr(spider, "argument_model", None)
    return list(model_arguments(model) if model else _parameters(spider))


def model_arguments(model: type[BaseModel], mark: str = "") -> Iterator[ArgumentHelp]:
    """Yield the arguments of a model, with ``mark`` around values that are typed as they are shown."""
    schemas = model.model_json_schema()["properties"]
    for name, field in model.model_fields.items():
        values = _values(schemas[name], mark)
        default = "required" if field.is_required() else _default(field.default, mark)
        yield ArgumentHelp(name, values, default, " ".join((field.description or "").split()))


def _values(schema: Mapping[str, Any], mark: str) -> str:
    parts = [part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"]
    return " or ".join(_value(part, mark) for part in parts)


def _value(part: Mapping[str, Any], mark: str) -> str:
    choices = part.get("enum", [part["const"]] if "const" in part else ())
    if choices:
        return ", ".join(f"{mark}{choice}{mark}" for choice in choices)
    kind = _FORMATS.get(part.get("format", ""), _TYPES.get(part.get("type", ""), ""))
    low, high = part.get("minimum"), part.get("maximum")
    if low is not None and high is not None:
        return f"{kind} from {low} to {high}"
    return kind if low is None else f"{kind}, {low} or more"


def _default(value: object, mark: str) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "" if value in (None, "") else f"{mark}{text}{mark}"


def _parameters(spider: type[Spider]) -> Iterator[ArgumentHelp]:
    for name, parameter in inspect.signature(spider).parameters.items():
        if name != "name" and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            is_needed = parameter.default is parameter.empty
            default = "required" if is_needed else _default(parameter.default, "")
            yield ArgumentHelp(name, "", default, "")


def print_help(spider: type[Spider]) -> None:
    """Print what a spider does, and its arguments as a table as wide as the terminal."""
    # Only this needs it, and it takes a tenth of a second to load.
    from rich.console import Console
    from rich.table import Table

    console = Console(file=sys.stdout, highlight=False, markup=False)
    console.print(
        f"scrapy crawl {spider.name} [-a NAME=VALUE]...", first_sentence(spider), sep="\n"
    )
    rows = arguments_of(spider)
    if not rows:
        console.print("This spider declares no arguments.")
        return
    table = Table("argument", "values", "default", "meaning", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(*row)
    console.print("", table, sep="\n")
