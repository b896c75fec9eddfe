"""Topics by name or path: the user's own first, then those that ship with the package."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from focuscrawl.errors import TopicError
from focuscrawl.yaml_files import parse_yaml, read_text

from .topic import NAME, Topic

DEFAULT_FOLDER = "topics"


def topic_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped topics and of those in the user's ``folder``, sorted."""
    return sorted(_shipped() | {path.stem for path in folder.glob("*.yaml")})


def load_topic(name: str, folder: Path = Path(DEFAULT_FOLDER)) -> Topic:
    """Return the topic of that name, or the one in the file if ``name`` ends in ``.yaml``.

    A topic in ``folder`` comes before a shipped one of the same name. Raises
    :class:`~focuscrawl.errors.TopicError` with one sentence.
    """
    if name.endswith((".yaml", ".yml")):
        return _parsed(read_text(name, f"topic {name}", TopicError), name)
    check_name(name)
    own = folder / f"{name}.yaml"
    if own.is_file():
        topic = _parsed(read_text(own, f"topic {own}", TopicError), str(own))
    elif name in _shipped():
        file = resources.files(__package__) / f"{name}.yaml"
        topic = _parsed(file.read_text(encoding="utf-8"), name)
    else:
        known = ", ".join(topic_names(folder))
        raise TopicError(
            f"there is no topic {name!r}; known: {known}, or write one: scrapy newtopic {name}"
        )
    if topic.name != name:
        raise TopicError(f"topic {own} calls itself {topic.name!r}; write name: {name}")
    return topic


def template(name: str) -> str:
    """Return the commented YAML of a new topic, ready to be loaded and to be edited."""
    text = (resources.files(__package__) / "template.txt").read_text(encoding="utf-8")
    return text.replace("NAME", check_name(name))


def check_name(name: str) -> str:
    """Return ``name``; raises TopicError where it cannot be the name of a topic and its file."""
    if not re.fullmatch(NAME, name):
        raise TopicError(
            f"{name!r} cannot name a topic; use letters, digits, _ and -, 64 at most, no - in front"
        )
    return name


def _shipped() -> set[str]:
    names = (file.name for file in resources.files(__package__).iterdir())
    return {name.removesuffix(".yaml") for name in names if name.endswith(".yaml")}


def _parsed(text: str, name: str) -> Topic:
    return parse_yaml(text, Topic, f"topic {name}", TopicError, "focuscrawl/topics/*.yaml")
