"""Templates: search, screening and extraction keywords as a pydantic model."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from focuscrawl.system.yaml_files import NAME, NamedModel

Keyword = Annotated[str, Field(min_length=1, max_length=60, pattern=r"\w")]
Synonyms = Annotated[tuple[Keyword, ...], Field(min_length=1)]


class FieldType(StrEnum):
    """What a value must look like."""

    ORGANISATION = "organisation"
    ADDRESS = "address"
    PHONE = "phone"
    EMAIL = "email"
    URL = "url"
    POSTCODE = "postcode"
    QQ = "qq"
    TEXT = "text"


class ExtractionField(BaseModel):
    """A value to be read: the ``keywords`` that label it, synonyms of one another, and its type.

    ``many`` keeps every value of a page, else the best one is kept. ``title`` heads its column in
    the workbook, the field's name if empty.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    keywords: Synonyms
    type: FieldType = FieldType.TEXT
    many: bool = False
    title: str = ""


class Search(BaseModel):
    """Search keywords: every region is joined with every entity, and put into ``query``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
            raise ValueError("the query knows {region} and {entity} only")
        return query


class Screening(BaseModel):
    """Screening keywords, layer by layer: synonyms that the anchor of a link must hold.

    ``addresses`` are words of a link's path that say the same where the link is a picture without
    a text. ``detours`` are anchors behind which the first layer is looked for where the seed's page
    has no link of it. ``most`` links of a layer are followed from one page, ``max_pages`` pages of
    one seed are asked for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    layers: Annotated[tuple[Synonyms, ...], Field(min_length=1)]
    addresses: tuple[Keyword, ...] = ()
    detours: tuple[Keyword, ...] = ()
    next_page: tuple[Keyword, ...] = ("下一页", "下页", "next page", "next")
    within_site: bool = True
    most: Annotated[int, Field(ge=1, le=1000)] = 3
    max_pages: Annotated[int, Field(ge=1, le=10_000)] = 30


class Template(NamedModel):
    """Three kinds of keywords, as a YAML file says.

    ``records``: ``site`` makes one record of all that a site says, ``page`` one of every page of the
    last layer. ``topic`` names the topic whose classifier ranks the links of a layer; empty ranks
    them by the template's own words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

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
                    raise ValueError(
                        f"{keyword!r} labels both {known[key]} and {name}; take one out"
                    )
        return self
