"""The address that an attribute of a page holds."""

from __future__ import annotations

import re

# C0 controls and space, which the standard names, and the blanks of other scripts.
_AROUND = "".join(map(chr, range(33))) + "\x85\xa0\u2028\u2029\u3000\ufeff"
_INSIDE = re.compile("[\t\n\r]+")
# Up to the query, of an address that may have a host.
_PLACE = re.compile(r"\A(?:(?![a-z][a-z\d+.-]*:)|(?=https?:))[^?#]*", re.IGNORECASE)


def reference(value: str) -> str:
    """Return the reference of an ``href`` as browsers read it (https://url.spec.whatwg.org/#url-parsing).

    >>> reference(" /a/\\t1\\n.html ")
    '/a/1.html'
    """
    text = _INSIDE.sub("", value.strip(_AROUND))
    return _PLACE.sub(lambda place: place[0].replace("\\", "/"), text) if "\\" in text else text
