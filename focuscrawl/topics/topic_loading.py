"""Topics by name or path, where those of the user take precedence over shipped ones, and seeds of their crawls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from focuscrawl.errors import ArgumentError, TopicError
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.system.machine_faults import plain_reason
from focuscrawl.system.yaml_files import Shelf
from focuscrawl.text.tokeniser import make_tokeniser
from focuscrawl.topics.topic_model import PageRule, Topic

DEFAULT_FOLDER = "topics"
_WORDS, _WEIGHT = "words", 3.0
_SHELF = Shelf("topic", Topic, TopicError, __package__, "write one: scrapy newtopic {name}")


def topic_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped topics and of those in the user's ``folder``, sorted."""
    return _SHELF.names(folder)


def load_topic(name: str, folder: Path = Path(DEFAULT_FOLDER)) -> Topic:
    """Return the topic of that name, or the one in the file if ``name`` ends in ``.yaml``.

    A topic in ``folder`` takes precedence over a shipped one of the same name. Raises
    :class:`~focuscrawl.errors.TopicError` with one sentence.
    """
    return _SHELF.load(name, folder)


def topic_or_words(text: str, folder: Path = Path(DEFAULT_FOLDER)) -> Topic:
    """Return the topic of a name or path as :func:`load_topic` does, or one of comma-separated words.

    What has a comma, a blank or a character outside of ASCII is words, unless a topic has that name. A
    page is relevant if it has one of them often enough, or several.
    """
    is_name = text.endswith((".yaml", ".yml")) or text in topic_names(folder)
    if is_name or re.fullmatch(r"[!-+\--~]*", text):
        return load_topic(text, folder)
    words = [word for part in re.split(r"[,，、|]", text) if (word := part.strip())]
    if not (telling := [word for word in words if not _is_common(word)]):
        raise TopicError(f"topic {text!r} has only words that are on every page; name the subject")
    try:
        rule = PageRule(min_terms=1)
        return Topic(name=_WORDS, lexicon=dict.fromkeys(telling, _WEIGHT), page_rule=rule)
    except ValidationError as error:
        raise TopicError(f"topic {text!r}: {plain_reason(error.errors()[0])}") from None


def _is_common(word: str) -> bool:
    return not make_tokeniser().tokens(word)


def template(name: str) -> str:
    """Return the commented YAML of a new topic, which is valid and can be edited."""
    return _SHELF.new(name, "template.txt")


def seeds_of(topic: Topic, given: Sequence[str] | None) -> list[str]:
    """Return the canonical URLs of the given seeds, else of the topic's.

    Raises :class:`~focuscrawl.errors.ArgumentError` if there is none, or one is not the URL of a page.
    """
    seeds = given or topic.seeds
    if not seeds:
        raise ArgumentError(
            f"topic {topic.name!r} has no seeds; add some to its file, or give -a seeds=http://…"
        )
    try:
        return [canonical_url(seed) for seed in seeds]
    except ValueError as error:
        raise ArgumentError(f"a seed is not the URL of a page ({error}); correct it") from None
