"""Host of a URL without a leading ``www.``, which identifies its site."""

from __future__ import annotations

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, without a leading ``www.``; ``""`` if it has none.

    >>> host_of("http://WWW.Example.cn:8080/a")
    'example.cn'
    """
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
