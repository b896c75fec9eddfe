"""YAML files as pydantic models; one sentence for whatever is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from .errors import FocuscrawlError

Model = TypeVar("Model", bound=BaseModel)


def read_text(path: str | Path, what: str, error: type[FocuscrawlError]) -> str:
    """Return the text of a file; ``what`` names it in the error that is raised if that fails."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as caught:
        reason = getattr(caught, "strerror", None) or "it is not UTF-8"
        raise error(f"cannot read the {what}: {reason}") from None


def parse_yaml(
    text: str, model: type[Model], what: str, error: type[FocuscrawlError], examples: str
) -> Model:
    """Return the model that ``text`` describes; ``examples`` are named to who gives an empty file."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as caught:
        raise error(f"{what} is not YAML: {' '.join(str(caught).split())}") from None
    if not isinstance(data, dict):
        raise error(f"{what} is empty; see {examples} for examples")
    try:
        return model.model_validate(data)
    except ValidationError as caught:
        first = caught.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise error(f"{what}{', ' if place else ''}{place}: {reason}") from None
