"""Loading of templates by name or path: the user's own first, then the shipped ones."""

from __future__ import annotations

from pathlib import Path

from focuscrawl.errors import TemplateError
from focuscrawl.system.yaml_files import Shelf
from focuscrawl.templates.template_model import Template

DEFAULT_FOLDER = "templates"
_SHELF = Shelf(
    "template", Template, TemplateError, __package__, "write one: scrapy newtemplate {name}", "shipped"
)  # fmt: skip


def template_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped templates and of those in the user's ``folder``, sorted."""
    return _SHELF.names(folder)


def load_template(name: str, folder: Path = Path(DEFAULT_FOLDER)) -> Template:
    """Return the template of that name, or that of the file if ``name`` ends in ``.yaml``.

    A template in ``folder`` overrides a shipped one of the same name. Raises
    :class:`~focuscrawl.errors.TemplateError` with one sentence.
    """
    return _SHELF.load(name, folder)


def field_titles(name: str, folder: Path = Path(DEFAULT_FOLDER)) -> dict[str, str]:
    """Return the titles of a template's fields by name, none if it is no longer there or is broken."""
    if name not in template_names(folder):
        return {}
    try:
        template = load_template(name, folder)
    except TemplateError:
        return {}
    return {name: field.title or name for name, field in template.fields.items()}


def new_template(name: str) -> str:
    """Return the commented YAML of a new template, ready to be loaded and edited."""
    return _SHELF.new(name, "new_template.txt")
