"""YAML files as pydantic models, loaded by name or path, with one-sentence errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.durable_files import read_bounded
from focuscrawl.system.machine_faults import plain_reason
from focuscrawl.system.unique_keys import DuplicateKeyError, UniqueKeyLoader

Model = TypeVar("Model", bound=BaseModel)


def read_text(path: str | Path, what: str, error: type[FocuscrawlError]) -> str:
    """Return the text of a file; raises ``error``, which names the file as ``what``, on failure."""
    try:
        return read_bounded(path)
    except (OSError, UnicodeDecodeError) as caught:
        reason = getattr(caught, "strerror", None) or "it is not UTF-8"
        raise error(f"cannot read the {what}: {reason}") from None


def parse_yaml(
    text: str, model: type[Model], what: str, error: type[FocuscrawlError], examples: str
) -> Model:
    """Return the model that ``text`` describes; the error for an empty file mentions ``examples``."""
    try:
        data = yaml.load(text, UniqueKeyLoader)
    except DuplicateKeyError as caught:
        raise error(f"{caught.problem} in {what}, {caught.context}; delete one") from None
    except (yaml.YAMLError, RecursionError, ValueError) as caught:
        raise error(f"{what} is not YAML: {' '.join(str(caught).split())}") from None
    if not isinstance(data, dict):
        raise error(f"{what} is empty; see {examples} for examples")
    try:
        return model.model_validate(data)
    except ValidationError as caught:
        first = caught.errors()[0]
        # A tag of a union is in brackets, and not in the file.
        place = ".".join(str(part) for part in first["loc"] if not str(part).startswith("<"))
        reason = plain_reason(first)
        raise error(f"{what}{', ' if place else ''}{place}: {reason}") from None


NAME = r"^\w[\w-]{0,63}$"
"""Pattern of the names of files on a shelf."""


class NamedModel(BaseModel):
    """Content of a file on a shelf; its ``name`` is that of the file."""

    name: str


Named = TypeVar("Named", bound=NamedModel)


@dataclass(frozen=True)
class Shelf(Generic[Named]):
    """Files of one kind by name: those in the user's folder take precedence over shipped ones.

    ``kind`` is what they describe, in words; ``package`` has the shipped files, in its folder
    ``inside``. ``remedy`` is part of the error for an unknown name, which replaces its ``{name}``.
    """

    kind: str
    model: type[Named]
    error: type[FocuscrawlError]
    package: str
    remedy: str
    inside: str = ""

    def names(self, folder: Path) -> list[str]:
        """Return the names of the shipped files and of those in ``folder``, sorted."""
        return sorted(self._shipped_names() | {path.stem for path in folder.glob("*.yaml")})

    def load(self, name: str, folder: Path) -> Named:
        """Return the content of the file with that name, or at that path if it ends in ``.yaml``.

        Raises the shelf's error with one sentence.
        """
        if name.endswith((".yaml", ".yml")):
            return self._parsed(read_text(name, f"{self.kind} {name}", self.error), name)
        self.check_name(name)
        own = folder / f"{name}.yaml"
        if own.is_file():
            found = self._parsed(read_text(own, f"{self.kind} {own}", self.error), str(own))
        elif name in self._shipped_names():
            found = self._parsed((self._shipped / f"{name}.yaml").read_text("utf-8"), name)
        else:
            known, remedy = ", ".join(self.names(folder)), self.remedy.format(name=name)
            raise self.error(f"there is no {self.kind} {name!r}; known: {known}, or {remedy}")
        if found.name != name:
            raise self.error(f"{self.kind} {own} has name: {found.name!r}; write name: {name}")
        return found

    def check_name(self, name: str) -> str:
        """Return ``name``; raises the shelf's error if it cannot be the name of a file."""
        if not re.fullmatch(NAME, name):
            raise self.error(
                f"{name!r} cannot be the name of a {self.kind}; use at most 64 letters, digits, _ "
                "and -, not starting with -"
            )
        return name

    def new(self, name: str, blank: str) -> str:
        """Return the text of a new file with that name, from the template ``blank`` of the package."""
        text = (resources.files(self.package) / blank).read_text(encoding="utf-8")
        return text.replace("NAME", self.check_name(name))

    def _parsed(self, text: str, name: str) -> Named:
        examples = "/".join(filter(None, [self.package.replace(".", "/"), self.inside, "*.yaml"]))
        return parse_yaml(text, self.model, f"{self.kind} {name}", self.error, examples)

    @property
    def _shipped(self) -> Traversable:
        return resources.files(self.package) / self.inside

    def _shipped_names(self) -> set[str]:
        names = (file.name for file in self._shipped.iterdir())
        return {name.removesuffix(".yaml") for name in names if name.endswith(".yaml")}
