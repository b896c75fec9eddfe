"""Topics by name or path; those of the user take precedence over shipped ones."""

from __future__ import annotations

from pathlib import Path

from focuscrawl.errors import TopicError
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
