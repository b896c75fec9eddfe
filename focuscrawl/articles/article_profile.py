"""Profiles of sites that number their articles: YAML that says where they keep what."""

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


def _compiled(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression ({error})") from None
    return text


def _working(rule: Rule) -> Rule:
    # Functions, variables and prefixes that nobody knows show on a page only.
    try:
        rule.select(etree.Element("html"))
    except etree.XPathError as error:
        raise ValueError(f"{rule.path!r} cannot be used ({error})") from None
    return rule


_RuleField = Annotated[RuleField, AfterValidator(_working)]
_Regex = Annotated[str, AfterValidator(_compiled)]
# With the longest leap beyond it still a whole number of 64 bits, which is what databases hold.
_LARGEST_NUMBER = 10**15
_LARGEST_STEP = 10**6
_Md5 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class FieldRules(BaseModel):
    """Where an article page keeps its parts; what has no rule is found as on an unknown site.

    ``remove`` is cut out of the body before its text is read. ``extra`` are further values by name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: _RuleField | None = None
    description: _RuleField | None = None
    tags: _RuleField | None = None
    author: _RuleField | None = None
    date: _RuleField | None = None
    body: _RuleField | None = None
    remove: list[_RuleField] = []
    extra: dict[str, _RuleField] = {}


class MissingRules(BaseModel):
    """How the site says, with a page that looks like any other, that a number has no article.

    ``title`` and ``text`` are regular expressions looked for in the title and in all the page
    says, ``redirect`` in the URL that a request was led to, ``select`` selects something on such
    pages alone, ``md5`` are MD5s of such pages as they come.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: _Regex = ""
    text: _Regex = ""
    select: _RuleField | None = None
    redirect: _Regex = ""
    md5: list[_Md5] = []


class NumberedProfile(BaseModel):
    """One site. ``patterns`` are URLs as in ``http://host/article/{n}.htm``, each a series of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
    def _has_an_end(self) -> NumberedProfile:
        if self.stop is None and not self.stop_after:
            raise ValueError("stop_after=0 never gives up: give stop, too")
        if self.stop is not None and self.stop < self.start:
            raise ValueError(f"stop={self.stop} is below start={self.start}; swap them")
        return self

    @property
    def tells_missing(self) -> bool:
        """Whether there is a rule by which pages without an article can be told."""
        return self.missing != MissingRules() or self.article.body is not None

    def rules(self, window: int) -> WalkRules:
        """Return how the numbers are walked, ``window`` asked for at once."""
        return WalkRules(
            start=self.start,
            stop=self.stop,
            step=self.step,
            stop_after=self.stop_after,
            reach=self.reach,
            window=window,
        )


def make_profile(profile: str | None, **given: object) -> NumberedProfile:
    """Return the profile of that name or path, with what is ``given`` (and not None) in its place.

    ``url`` stands for its patterns; without a profile, all else is as on an unknown site. Raises
    ProfileError or ArgumentError with one sentence.
    """
    known = load_profile(profile).model_dump() if profile else {"name": "unknown"}
    url = given.pop("url", None)
    patterns = [one.text for one in read_patterns(str(url))] if url else known.get("patterns")
    if not patterns:
        raise ArgumentError(
            f"profile {profile} names no URL; give -a url=http://host/article/{{n}}.htm"
        )
    if not profile:
        known["name"] = re.sub(r"[^\w.-]", "-", UrlPattern(patterns[0]).site)
    changed = {name: value for name, value in given.items() if value is not None}
    try:
        return NumberedProfile.model_validate(known | {"patterns": patterns} | changed)
    except ValidationError as error:
        raise ArgumentError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    said = first["msg"].removeprefix("Value error, ")
    return f"argument {first['loc'][0]}={first['input']}: {said}" if first["loc"] else said


def load_profile(name: str) -> NumberedProfile:
    """Return the shipped profile of that name, or the one in the YAML file of that path.

    Raises ProfileError with one sentence.
    """
    return read_profile(name, NumberedProfile, "focuscrawl.articles")
