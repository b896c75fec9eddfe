"""Topics: words, labelling sites, seeds and page rule as a pydantic model."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from focuscrawl.system.yaml_files import NAME, NamedModel
from focuscrawl.text.term_finder import term_key, term_spelling
from focuscrawl.topics.site_domains import Places, canonical_place
from focuscrawl.topics.topic_lexicon import Lexicon

_HEAVIEST = 10.0

Place = Annotated[str, AfterValidator(canonical_place)]
Seed = Annotated[str, Field(pattern=r"^https?://[^\s/]+")]
Weight = Annotated[float, Field(ge=-_HEAVIEST, le=_HEAVIEST)]


class PageRule(BaseModel):
    """How a page is judged by the lexicon alone, see :func:`~focuscrawl.topics.page_relevance.page_relevance`.

    The defaults are the best of a few for the topics machine-learning and security on 1,500 pages of
    recorded blogs: F1 of 0.73 and 0.84, hardly changing between scores of 3 and 6.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    min_score: Annotated[float, Field(gt=0)] = 4.0
    min_terms: Annotated[int, Field(ge=1)] = 2
    title_factor: Annotated[float, Field(ge=0)] = 3.0


class Topic(NamedModel):
    """One topic, as its YAML file says.

    ``lexicon``: weight by term in natural log-odds; a negative one is a counter-term. Domains are
    ``example.com`` (with its subdomains) or ``example.com/folder/``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

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
                raise ValueError(f"{term!r} is no term; leave it out")
            if weight == 0:
                raise ValueError(f"the term {term!r} weighs nothing; leave it out")
            if key in known:
                raise ValueError(f"{term!r} and {known[key]!r} are one term; leave one out")
            known[key] = term
        if max(lexicon.values()) < 0:
            raise ValueError("all terms speak against the topic; give one a weight above 0")
        return lexicon

    @model_validator(mode="after")
    def _does_not_contradict_itself(self) -> Topic:
        listed = Counter({*self.positive_domains}) + Counter({*self.negative_domains})
        if twice := [place for place, count in listed.items() if count > 1]:
            raise ValueError(
                f"{twice[0]} is both in positive_domains and negative_domains; take one out"
            )
        if refused := [seed for seed in self.seeds if self.is_blacklisted(seed)]:
            raise ValueError(f"the seed {refused[0]} is on the blacklist; take one out")
        return self

    @cached_property
    def words(self) -> Lexicon:
        """The lexicon, ready to be found in text."""
        return Lexicon(self.lexicon)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms that speak for the topic."""
        return tuple(term for term, weight in self.lexicon.items() if weight > 0)

    @cached_property
    def _labels(self) -> Places[bool]:
        return Places(
            dict.fromkeys(self.positive_domains, True) | dict.fromkeys(self.negative_domains, False)
        )

    @cached_property
    def _blacklisted(self) -> Places[bool]:
        return Places(dict.fromkeys(self.blacklist, True))

    def label_of(self, url: str) -> bool | None:
        """Return whether ``url`` is on a positive or a negative domain, None where on neither."""
        try:
            return self._labels[url]
        except KeyError:
            return None

    def is_blacklisted(self, url: str) -> bool:
        """Return whether ``url`` must not be asked for."""
        return url in self._blacklisted
