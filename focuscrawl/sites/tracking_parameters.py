"""Parameters of links that say where a reader came from, or when, and not which article it is."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import parse_qsl, urlsplit

from w3lib.url import url_query_cleaner

# courlan's list has cid, uid, ref and source, which are the identifier of an article on some sites.
_TRACKING = re.compile(
    r"utm_\w+|spm(?:_id_from)?|scm|(?:fb|g|dc|y|tw|ms)clid|gbraid|wbraid|mc_[ce]id|_g[al]|igshid|"
    r"hm(?:sr|pl|cu|kw|ci)|bd_vid|vd_source|share_(?:source|medium|token|from|session_id)|"
    r"isappinstalled|nsukey|(?:j|php|asp\.net_)?session_?id|phpsessid|aspsessionid\w*",
    re.IGNORECASE,
)
# On some sites these are all that tells one article from another.
_AMBIGUOUS = re.compile(r"from|_t|_|timestamp|rnd|random|nocache", re.IGNORECASE)
_PATH_SESSION = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)


def without_tracking(url: str, ignored: Collection[str] = ()) -> str:
    """Return a URL without tracking parameters, session identifiers and the parameters ``ignored``.

    ``from`` and times are only left out if a digit of the path or another parameter remains.
    """
    if "?" not in url and ";" not in url:
        return url
    url = _PATH_SESSION.sub("", url)
    names = _names(url)
    dropped = {name for name in names if name in ignored or _TRACKING.fullmatch(name)}
    if names - dropped - _ambiguous(names) or re.search(r"\d", urlsplit(url).path):
        dropped |= _ambiguous(names)
    return url_query_cleaner(url, tuple(dropped), remove=True, unique=False) if dropped else url


def _names(url: str) -> set[str]:
    return {name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}


def _ambiguous(names: Collection[str]) -> set[str]:
    return {name for name in names if _AMBIGUOUS.fullmatch(name)}


def differing_parameters(one: str, other: str) -> set[str]:
    """Return the names of parameters in which two URLs differ; none if they differ in something else."""
    if one.partition("?")[0] != other.partition("?")[0]:
        return set()
    pairs = (set(parse_qsl(urlsplit(url).query, keep_blank_values=True)) for url in (one, other))
    first, second = pairs
    return {name for name, _ in first ^ second}
