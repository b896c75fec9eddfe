"""Topics by name or path, where those of the user take precedence over shipped ones, and seeds of their crawls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import ArgumentError, TopicError
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.system.yaml_files import Shelf
from focuscrawl.topics.topic_model import Topic

DEFAULT_FOLDER = "topics"
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
