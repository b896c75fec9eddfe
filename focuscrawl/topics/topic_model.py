"""Topics as a pydantic model (lexicon, domains for labels, seeds, blacklist, page rule), and the page rule applied."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Generic, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from focuscrawl.system.yaml_files import NAME, NamedModel
from focuscrawl.text.term_finder import term_key, term_spelling
from focuscrawl.topics.topic_lexicon import Lexicon

# Look-up of values by domain, subdomain and folder, since portals use all three for their subjects.

Value = TypeVar("Value")

_PLACE = re.compile(r"(?P<host>[^\s/:?#@]+)(?P<path>/[^\s?#]*)?")
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


def canonical_place(text: str) -> str:
    """Normalise ``example.com`` or ``example.com/folder``: ASCII host, no escapes, no trailing slash.

    Raises ValueError with one sentence for any other text.
    """
    match = _PLACE.fullmatch(text.strip())
    host = _ascii_host(match["host"]) if match else ""
    if match is None or not _HOST.fullmatch(host):
        raise ValueError(f"{text!r} is not a domain; write example.com or example.com/folder/")
    return host + unquote(match["path"] or "").rstrip("/")


def _ascii_host(host: str) -> str:
    host = host.lower().strip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


class Places(Generic[Value]):
    """Values by place. A domain includes its subdomains, a folder everything below it.

    If several places include a URL, the most specific one applies: the longest domain, then the
    longest path.
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._by_host: dict[str, list[tuple[str, Value]]] = {}
        # Longest first, so that the first matching path is the most specific one.
        for place in sorted(values, key=lambda place: (-len(place), place)):
            host, slash, path = place.partition("/")
            self._by_host.setdefault(host, []).append((slash + path, values[place]))

    def __getitem__(self, url: str) -> Value:
        """Return the value of the most specific place; raises KeyError if no place includes ``url``."""
        try:
            parts = urlsplit(url)
            host = _ascii_host(parts.hostname or "")
        except ValueError:
            raise KeyError(url) from None
        asked = f"{unquote(parts.path)}/"
        for domain in _domains(host):
            for path, value in self._by_host.get(domain, ()):
                if not path or asked.startswith(f"{path}/"):
                    return value
        raise KeyError(url)

    def __contains__(self, url: str) -> bool:
        try:
            self[url]
        except KeyError:
            return False
        return True


def _domains(host: str) -> Iterable[str]:
    """Yield the host, then the domains above it."""
    while host:
        yield host
        host = host.partition(".")[2]


_HEAVIEST = 10.0

Place = Annotated[str, AfterValidator(canonical_place)]
Seed = Annotated[str, Field(pattern=r"^https?://[^\s/]+")]
Weight = Annotated[float, Field(ge=-_HEAVIEST, le=_HEAVIEST)]


_KEYS_OF_0_1 = ("min_score", "title_factor")


class PageRule(BaseModel):
    """Parameters of :func:`~focuscrawl.topics.topic_model.page_relevance`, the judge by lexicon.

    A page is relevant from a probability of ``threshold``, if it has ``min_terms`` distinct terms, or
    all terms of a topic with fewer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.4
    min_terms: Annotated[int, Field(ge=1)] = 2

    @model_validator(mode="before")
    @classmethod
    def _without_keys_of_0_1(cls, values: object) -> object:
        # Every topic file that `scrapy newtopic` of 0.1.0 wrote has them; their scale is gone.
        if not isinstance(values, dict):
            return values
        return {key: value for key, value in values.items() if key not in _KEYS_OF_0_1}


class Topic(NamedModel):
    """One topic, as in its YAML file.

    ``lexicon`` has weights by term in natural log-odds, negative for terms against the topic. Domains
    are ``example.com`` (with its subdomains) or ``example.com/folder/``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(pattern=NAME)]
    description: str = ""
    lexicon: dict[str, Weight] = Field(min_length=1)
    positive_domains: tuple[Place, ...] = ()
    negative_domains: tuple[Place, ...] = ()
    seeds: tuple[Seed, ...] = ()
    blacklist: tuple[Place, ...] = ()
    page_rule: PageRule = PageRule()

    @field_validator("lexicon")
    @classmethod
    def _terms_are_distinct(cls, lexicon: dict[str, float]) -> dict[str, float]:
        known: dict[str, str] = {}
        for term, weight in lexicon.items():
            key = term_key(term_spelling(term))
            if not key:
                raise ValueError(f"{term!r} is not a term; remove it")
            if weight == 0:
                raise ValueError(f"the term {term!r} has weight 0; remove it")
            if key in known:
                raise ValueError(f"{term!r} and {known[key]!r} are the same term; remove one")
            known[key] = term
        if max(lexicon.values()) < 0:
            raise ValueError("all terms have negative weights; give one a weight above 0")
        return lexicon

    @model_validator(mode="after")
    def _does_not_contradict_itself(self) -> Topic:
        listed = Counter({*self.positive_domains}) + Counter({*self.negative_domains})
        if twice := [place for place, count in listed.items() if count > 1]:
            raise ValueError(
                f"{twice[0]} is in both positive_domains and negative_domains; remove it from one"
            )
        if refused := [seed for seed in self.seeds if self.is_blacklisted(seed)]:
            raise ValueError(
                f"the seed {refused[0]} is on the blacklist; remove it from one of them"
            )
        return self

    @cached_property
    def words(self) -> Lexicon:
        """The lexicon, compiled for searching texts."""
        return Lexicon(self.lexicon)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms with positive weights."""
        return tuple(term for term, weight in self.lexicon.items() if weight > 0)

    @property
    def fewest_terms(self) -> int:
        """The number of distinct terms that a relevant page has at least."""
        return min(self.page_rule.min_terms, len(self.terms))

    @cached_property
    def _labels(self) -> Places[bool]:
        return Places(
            dict.fromkeys(self.positive_domains, True) | dict.fromkeys(self.negative_domains, False)
        )

    @cached_property
    def _blacklisted(self) -> Places[bool]:
        return Places(dict.fromkeys(self.blacklist, True))

    def label_of(self, url: str) -> bool | None:
        """Return True for a ``url`` on a positive domain, False on a negative one, None on neither."""
        try:
            return self._labels[url]
        except KeyError:
            return None

    def is_blacklisted(self, url: str) -> bool:
        """Return whether ``url`` must not be requested."""
        return url in self._blacklisted


# Relevance of a page by the lexicon of its topic, used until a classifier has been trained.

_PER = 1000  # characters
# Menus and lists of tags fill the rest of a page with words of other pages.
_HEAD = 1500  # characters
# Logistic regression on the recorded pages of three topics (finance, machine learning, security), rounded.
# Without one of the topics each weight stays within a third of these.
_TITLE, _TERMS, _DENSITY, _BIAS = 1.9, 1.2, 0.9, -4.2


class PageRelevance(NamedTuple):
    """Relevance of a page, its score in log-odds, and its distinct terms, those of the title first."""

    relevant: bool
    score: float
    terms: list[str]


def page_relevance(topic: Topic, title: str, text: str) -> PageRelevance:
    """Judge a page by ``topic.page_rule``.

    The score is a sum of logarithms (of 1 + x): of the weight of the terms in the title, of the number
    of distinct terms of positive weight, and of the weight of the terms per 1,000 characters in the
    first 1,500 of the text (at least 1,000). A repeated term counts as its weight times log2(1 + count).
    """
    rule, words = topic.page_rule, topic.words
    head = text[:_HEAD]
    in_title, in_text, in_head = words.hits_of([title, text, head])
    weights = [words.weights[term] * math.log2(1 + n) for term, n in Counter(in_head).items()]
    terms = list(dict.fromkeys([*in_title, *in_text]))
    positive = sum(words.weights[term] > 0 for term in terms)
    score = (
        _BIAS
        + _TITLE * _signed_log(words.weight_of(set(in_title)))
        + _TERMS * math.log1p(positive)
        + _DENSITY * _signed_log(math.fsum(weights) * _PER / max(len(head), _PER))
    )
    least = math.log(rule.threshold / (1 - rule.threshold))
    return PageRelevance(score >= least and positive >= topic.fewest_terms, score, terms)


def _signed_log(weight: float) -> float:
    return math.copysign(math.log1p(abs(weight)), weight)
