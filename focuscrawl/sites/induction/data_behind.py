"""The JSON from which a script has drawn a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.json_draft import draft_json
from focuscrawl.sites.json_list import entry_link, json_entries, parse_json, plain_text, value_at
from focuscrawl.sites.page_reading import ListEntry

# A time that a script adds so that no cache answers.
_TIME = re.compile(r"1\d{9}(?:\d{3})?")
_KEY = re.compile(r"[A-Za-z_]\w*")


def data_behind(
    answers: Iterable[tuple[str, str]], shown: Sequence[ListEntry], today: date
) -> Iterator[tuple[str, str]]:
    """Yield the URLs of the answers that have most of the entries ``shown``, with the links of those.

    ``answers`` are URLs and texts that the page has requested. The link is empty if the JSON has the
    URLs of the articles, else their URL with a key in braces, as ``--link`` of newsite takes it.
    """
    url_of = {_folded(entry.title): entry.url for entry in shown}
    for url, text in answers:
        with suppress(ProfileError):
            data = parse_json(text, url)
            # Any expression, since the links are not looked at yet.
            rules = draft_json(data, url, today, "@").rules.rules
            named = [
                (one, _folded(value_at(rules.title, one))) for one in json_entries(data, rules)
            ]
            pairs = [(one, url_of[title]) for one, title in named if title in url_of]
            if pairs and 2 * len(pairs) >= len(shown):
                link = "" if _has_links(data, url, today, pairs) else _template(pairs)
                if link is not None:
                    yield _without_time(url), link


def _folded(title: str) -> str:
    return "".join(plain_text(title).split())


def _has_links(data: Any, url: str, today: date, pairs: Sequence[tuple[Any, str]]) -> bool:
    with suppress(ProfileError):
        rules = draft_json(data, url, today).rules.rules
        return all(entry_link(one, url, rules) == target for one, target in pairs)
    return False


def _template(pairs: Sequence[tuple[Any, str]]) -> str | None:
    """Return the URL of the articles with the key whose value it has in all entries, None without one."""
    first, target = pairs[0]
    keys = first if isinstance(first, dict) else {}
    for key, value in keys.items():
        text = str(value)
        if not _KEY.fullmatch(key) or isinstance(value, bool) or not text.isascii():
            continue
        # Not a part of a longer number or word.
        places = list(re.finditer(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", target))
        if not text or not places:
            continue
        last = places[-1]
        template = f"{target[: last.start()]}{{{key}}}{target[last.end() :]}"
        if all(template.replace(f"{{{key}}}", str(one.get(key))) == url for one, url in pairs):
            return template
    return None


def _without_time(url: str) -> str:
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in given if not _TIME.fullmatch(value)]
    return url if kept == given else urlunsplit(parts._replace(query=urlencode(kept)))
