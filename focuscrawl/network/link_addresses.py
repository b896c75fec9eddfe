"""The address that an attribute of a page holds."""

from __future__ import annotations

import re

# C0 controls and space, which the standard names, and the blanks of other scripts.
_AROUND = "".join(map(chr, range(33))) + "\x85\xa0\u2028\u2029\u3000\ufeff"
_INSIDE = re.compile("[\t\n\r]+")


def reference(value: str) -> str:
    """Return the reference of an ``href`` as browsers read it (https://url.spec.whatwg.org/#url-parsing).

    >>> reference(" /a/\\t1\\n.html ")
    '/a/1.html'
    """
    return _INSIDE.sub("", value.strip(_AROUND))
