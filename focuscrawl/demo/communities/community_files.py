"""Files for a crawl of the communities: a topic, and the true relevance of the pages."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import yaml

from focuscrawl.demo.communities.community_web import Communities
from focuscrawl.errors import ArgumentError

_WORDS_KNOWN_EVERY = 3
_LEFT_OUT_EVERY = 3


def topic_of(communities: Communities, name: str) -> dict[str, Any]:
    """Return a topic with some words of the theme and two thirds of the sites.

    Links to the remaining sites have no label.
    """
    listed = {
        f"{label}_domains": [
            host
            for number, host in enumerate(communities.hosts(topical=label == "positive"), start=1)
            if number % _LEFT_OUT_EVERY
        ]
        for label in ("positive", "negative")
    }
    return {
        "name": name,
        "description": f"{communities.theme.title}, in the demo web",
        "lexicon": dict.fromkeys(communities.theme.words[::_WORDS_KNOWN_EVERY], 3),
        **listed,
        "seeds": [communities.map.communities[0].home],
    }


def write_topic(communities: Communities, path: Path) -> None:
    """Write the topic as YAML, with the name of the file."""
    text = yaml.safe_dump(topic_of(communities, path.stem), allow_unicode=True, sort_keys=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _cannot_write(path, error) from None


def write_truth(communities: Communities, path: Path) -> None:
    """Write every page as ``url, relevant, page_type`` (0 or 1; post, hub, other)."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("url", "relevant", "page_type"))
            writer.writerows(
                (known.url, int(known.relevant), known.kind) for known in communities.truth()
            )
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> ArgumentError:
    return ArgumentError(f"{path} cannot be written ({error.strerror}); give another path")
