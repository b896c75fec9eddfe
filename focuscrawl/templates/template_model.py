"""Templates: search, screening and extraction keywords as a pydantic model."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from focuscrawl.errors import TemplateError
from focuscrawl.items import check_code
from focuscrawl.system.yaml_files import NAME, NamedModel, Shelf

if TYPE_CHECKING:
    from focuscrawl.spider_arguments import TemplateArguments


Keyword = Annotated[str, Field(min_length=1, max_length=60, pattern=r"\w")]
Synonyms = Annotated[tuple[Keyword, ...], Field(min_length=1)]


class FieldType(StrEnum):
    """Type of a field, which determines the form of its values."""

    ORGANISATION = "organisation"
    ADDRESS = "address"
    PHONE = "phone"
    EMAIL = "email"
    URL = "url"
    POSTCODE = "postcode"
    QQ = "qq"
    TEXT = "text"


class ExtractionField(BaseModel):
    """A value to extract: ``keywords`` are the synonymous labels before it.

    ``many`` keeps every value of a page, otherwise only the best one is kept. ``title`` is the
    heading of its column in the workbook, by default the field's name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    keywords: Synonyms
    type: FieldType = FieldType.TEXT
    many: bool = False
    title: str = ""


class Search(BaseModel):
    """Search keywords: every region is combined with every entity in ``query``."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    entities: Synonyms
    regions: tuple[Keyword, ...] = ()
    query: str = "{region}{entity}"
    engines: Annotated[tuple[str, ...], Field(min_length=1)] = ("baidu", "bing", "sogou", "so360")
    pages: Annotated[int, Field(ge=1, le=76)] = 10

    @field_validator("query")
    @classmethod
    def _names_the_entity(cls, query: str) -> str:
        if "{entity}" not in query:
            raise ValueError("the query has no {entity}; write it as '{region}{entity}'")
        rest = query.replace("{entity}", "").replace("{region}", "")
        if "{" in rest or "}" in rest:
            raise ValueError(
                "the query may contain {region} and {entity} only; remove other braces"
            )
        return query


class Screening(BaseModel):
    """Screening keywords, layer by layer: synonyms, one of which the anchor of a link must contain.

    ``addresses`` are words in the path of a link that identify the last layer if the link is an
    image without text. ``detours`` are anchors of pages to search for links to the first layer if
    the seed's page has none; these and those ``about`` the site are also read for its owner's name if
    no other page has it. ``fallbacks`` are anchors of pages that may have the values if no page of
    the last layer has them; at most ``most_fallbacks`` are read, first those, then other links of the
    seed's page, those with ``unlikely`` anchors last. At most ``most`` links of a layer are followed from one page, and ``max_pages`` pages
    requested per seed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    layers: Annotated[tuple[Synonyms, ...], Field(min_length=1)]
    addresses: tuple[Keyword, ...] = ()
    detours: tuple[Keyword, ...] = ()
    about: tuple[Keyword, ...] = ()
    fallbacks: tuple[Keyword, ...] = ()
    unlikely: tuple[Keyword, ...] = ()
    most_fallbacks: Annotated[int, Field(ge=0, le=100)] = 4
    next_page: tuple[Keyword, ...] = ("下一页", "下页", "next page", "next")
    within_site: bool = True
    most: Annotated[int, Field(ge=1, le=1000)] = 3
    max_pages: Annotated[int, Field(ge=1, le=10_000)] = 30


class Template(NamedModel):
    """Template of a crawl, read from a YAML file: three kinds of keywords.

    ``records``: ``site`` makes one record per site, ``page`` one per page of the last layer.
    ``topic`` names the topic whose classifier ranks the links of a layer; if empty, they are ranked
    by the template's own words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(pattern=NAME)]
    description: str = ""
    records: Literal["site", "page"] = "site"
    topic: str = ""
    search: Search
    screening: Screening
    fields: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")], ExtractionField] = Field(
        min_length=1
    )

    @model_validator(mode="after")
    def _labels_are_distinct(self) -> Template:
        known: dict[str, str] = {}
        for name, field in self.fields.items():
            for keyword in field.keywords:
                key = "".join(keyword.split()).casefold()
                if known.setdefault(key, name) != name:
                    raise ValueError(f"{keyword!r} labels both {known[key]} and {name}; remove one")
        return self


# Names of template crawls, which their windows share.

_LONGEST_NAME = 200


def name_of_seeds(source: str) -> str:
    """Return a name for given seeds: that of their file, if they are in one."""
    return "seeds" if source == "-" or "://" in source else Path(source).stem


def crawl_name(given: TemplateArguments, template: Template, seeds_name: str) -> str:
    """Return the name that the windows of a crawl share, from the searched words or the given seeds."""
    if given.name:
        return f"template-{given.name}"
    words = [*(given.region or ()), *(given.entity or ())]
    if given.seeds is not None:
        words = [seeds_name]
    # A lock file has this name, too, and most file systems limit names to 255 bytes.
    name = re.sub(r"[^\w-]", "_", "-".join(["template", template.name, *words]))
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{name.encode()[: _LONGEST_NAME - 33].decode(errors='ignore')}-{check_code(name)}"


# Loading of templates by name or path: the user's own first, then the shipped ones.

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
