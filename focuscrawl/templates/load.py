"""Templates by name or path: the user's own first, then those that ship with the package."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from focuscrawl.errors import TemplateError
from focuscrawl.yaml_files import parse_yaml, read_text

from .template import NAME, Template

DEFAULT_FOLDER = "templates"


def template_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped templates and of those in the user's ``folder``, sorted."""
    return sorted(_shipped() | {path.stem for path in folder.glob("*.yaml")})


def load_template(name: str, folder: Path = Path(DEFAULT_FOLDER)) -> Template:
    """Return the template of that name, or the one in the file if ``name`` ends in ``.yaml``.

    A template in ``folder`` comes before a shipped one of the same name. Raises
    :class:`~focuscrawl.errors.TemplateError` with one sentence.
    """
    if name.endswith((".yaml", ".yml")):
        return _parsed(read_text(name, f"template {name}", TemplateError), name)
    check_name(name)
    own = folder / f"{name}.yaml"
    if own.is_file():
        template = _parsed(read_text(own, f"template {own}", TemplateError), str(own))
    elif name in _shipped():
        file = resources.files(__package__) / f"{name}.yaml"
        template = _parsed(file.read_text(encoding="utf-8"), name)
    else:
        known = ", ".join(template_names(folder))
        raise TemplateError(
            f"there is no template {name!r}; known: {known}, or write one: scrapy newtemplate {name}"
        )
    if template.name != name:
        raise TemplateError(f"template {own} calls itself {template.name!r}; write name: {name}")
    return template


def new_template(name: str) -> str:
    """Return the commented YAML of a new template, ready to be loaded and to be edited."""
    text = (resources.files(__package__) / "new_template.txt").read_text(encoding="utf-8")
    return text.replace("NAME", check_name(name))


def check_name(name: str) -> str:
    """Return ``name``; raises TemplateError where it cannot be the name of a template and its file."""
    if not re.fullmatch(NAME, name):
        raise TemplateError(
            f"{name!r} cannot name a template; use letters, digits, _ and -, 64 at most, no - in front"
        )
    return name


# What is no template, but lies beside them.
_OTHERS = {"name_words"}


def _shipped() -> set[str]:
    names = (file.name for file in resources.files(__package__).iterdir())
    return {name.removesuffix(".yaml") for name in names if name.endswith(".yaml")} - _OTHERS


def _parsed(text: str, name: str) -> Template:
    return parse_yaml(
        text, Template, f"template {name}", TemplateError, "focuscrawl/templates/*.yaml"
    )
