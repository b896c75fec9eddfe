"""Profiles of sites with numbered articles: YAML with URL patterns and extraction rules."""

from __future__ import annotations

import re
from typing import Annotated

from lxml import etree
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from focuscrawl.articles.number_walk import DEFAULT_REACH, DEFAULT_STOP_AFTER, WalkRules
from focuscrawl.articles.url_patterns import UrlPattern, read_patterns
from focuscrawl.errors import ArgumentError
from focuscrawl.sites.site_profile import Rule, RuleField, read_profile
from focuscrawl.system.machine_faults import plain_reason


def _compiled(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression ({error})") from None
    return text


def _working(rule: Rule) -> Rule:
    # Unknown functions, variables and prefixes raise only when a page is evaluated.
    try:
        rule.select(etree.Element("html"))
    except etree.XPathError as error:
        raise ValueError(f"{rule.path!r} cannot be used ({error})") from None
    return rule


_RuleField = Annotated[RuleField, AfterValidator(_working)]
_Regex = Annotated[str, AfterValidator(_compiled)]
# Even with the longest step beyond it, this fits the 64-bit integers of databases.
_LARGEST_NUMBER = 10**15
_LARGEST_STEP = 10**6
_Md5 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class FieldRules(BaseModel):
    """Extraction rules of an article page; parts without a rule are found as on an unknown site.

    ``remove`` selects elements that are removed from the body before its text is read. ``extra`` are
    rules for further fields by name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    title: _RuleField | None = None
    description: _RuleField | None = None
    tags: _RuleField | None = None
    author: _RuleField | None = None
    date: _RuleField | None = None
    body: _RuleField | None = None
    remove: list[_RuleField] = []
    extra: dict[str, _RuleField] = {}


class MissingRules(BaseModel):
    """Rules for ordinary-looking pages that mean that a number has no article.

    ``title`` and ``text`` are regular expressions searched in the title and in the visible text,
    ``redirect`` in the URL of a redirect, ``select`` selects an element that only such pages have,
    ``md5`` are the MD5s of such pages as served.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    title: _Regex = ""
    text: _Regex = ""
    select: _RuleField | None = None
    redirect: _Regex = ""
    md5: list[_Md5] = []


class ArticleProfile(BaseModel):
    """One site. ``patterns`` are URL patterns such as ``http://host/article/{n}.htm``, one per series."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    description: str = ""
    patterns: list[str] = []
    start: Annotated[int, Field(ge=0, le=_LARGEST_NUMBER)] = 1
    stop: Annotated[int, Field(ge=0, le=_LARGEST_NUMBER)] | None = None
    step: Annotated[int, Field(ge=1, le=_LARGEST_STEP)] = 1
    stop_after: Annotated[int, Field(ge=0)] = DEFAULT_STOP_AFTER
    reach: Annotated[int, Field(ge=0)] = DEFAULT_REACH
    article: FieldRules = FieldRules()
    missing: MissingRules = MissingRules()

    @field_validator("patterns")
    @classmethod
    def _are_patterns(cls, patterns: list[str]) -> list[str]:
        try:
            return [one.text for text in patterns for one in read_patterns(text)]
        except ArgumentError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _has_an_end(self) -> ArticleProfile:
        if self.stop is None and not self.stop_after:
            raise ValueError("stop_after=0 never ends; give stop as well")
        if self.stop is not None and self.stop < self.start:
            raise ValueError(f"stop={self.stop} is below start={self.start}; swap them")
        return self

    @property
    def detects_missing(self) -> bool:
        """True if a rule detects pages without an article."""
        return self.missing != MissingRules() or self.article.body is not None

    def rules(self, read_ahead: int) -> WalkRules:
        """Return the rules of the walk, with at most ``read_ahead`` unanswered numbers."""
        return WalkRules(
            start=self.start,
            stop=self.stop,
            step=self.step,
            stop_after=self.stop_after,
            reach=self.reach,
            read_ahead=read_ahead,
        )


def make_profile(profile: str | None, **given: object) -> ArticleProfile:
    """Return the profile of that name or path, with its fields overridden by ``given`` (if not None).

    ``url`` replaces its patterns; without a profile, all other fields have their defaults. Raises
    ProfileError or ArgumentError with one sentence.
    """
    known = load_profile(profile).model_dump() if profile else {"name": "unknown"}
    url = given.pop("url", None)
    patterns = [one.text for one in read_patterns(str(url))] if url else known.get("patterns")
    if not patterns:
        raise ArgumentError(
            f"profile {profile} has no URL pattern; give -a url=http://host/article/{{n}}.htm"
        )
    if not profile:
        known["name"] = re.sub(r"[^\w.-]", "-", UrlPattern(patterns[0]).site)
    changed = {name: value for name, value in given.items() if value is not None}
    try:
        return ArticleProfile.model_validate(known | {"patterns": patterns} | changed)
    except ValidationError as error:
        raise ArgumentError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    reason = plain_reason(first)
    return f"argument {first['loc'][0]}={first['input']}: {reason}" if first["loc"] else reason


def load_profile(name: str) -> ArticleProfile:
    """Return the shipped profile of that name, or the one in the YAML file of that path.

    Raises ProfileError with one sentence.
    """
    return read_profile(name, ArticleProfile, "focuscrawl.articles")
