"""Patterns of numbered URLs: ``http://host/article/{n//1000}/{n:06d}.htm``."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from urllib.parse import urldefrag, urlsplit

from w3lib.url import safe_url_string

from focuscrawl.errors import ArgumentError

_ADDRESS = re.compile(r"https?://[^\s/{}]+(/\S*)")
_FIELD = re.compile(r"\{([^{}:]*)(?::([^{}:]*))?\}")
_SPEC = re.compile(r"0?[1-9]?\d?d?")
# URLs may contain commas: only a comma before another URL is a separator.
_BETWEEN_PATTERNS = re.compile(r"\s*,\s*(?=https?://)")
_LONGEST_EXPRESSION = 60
_LARGEST_CONSTANT = 10**12
_NUMBERS_TRIED = 2000
_DIGITS = re.compile(r"\d+")

_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_Value = Callable[[int], int]


class UrlPattern:
    """A URL with fields for a number ``n``, or for expressions of it, in path or query.

    A field is ``{n}`` or an expression of ``n``, integers and ``+ - * // %``, as in ``{n//1000}``; a
    width may follow, as in ``{n:06d}``. Raises :class:`ArgumentError` with one sentence for an invalid
    pattern. Expressions are never evaluated as Python.

    >>> UrlPattern("http://host/{n//1000}/{n:06d}.htm").url(80321)
    'http://host/80/080321.htm'
    """

    def __init__(self, text: str) -> None:
        self.text = _FIELD.sub(lambda field: field[0].replace(" ", ""), text.strip())
        address = _ADDRESS.fullmatch(self.text)
        if not address:
            raise _error(self.text, "write http://host/article/{n}.htm, without white space")
        if re.search("[{}]", _FIELD.sub("", self.text)):
            raise _error(self.text, "use braces only for expressions of n, as in {n:06d}")
        if not _FIELD.search(address[1]):
            raise _error(self.text, "write {n} in place of the number")
        self.site = self.text.split("/")[2].lower()
        self._parts = list(self._read_parts())
        self._check_host()
        # A fragment is not sent to the server.
        if len({urldefrag(self.url(n)).url for n in range(_NUMBERS_TRIED)}) < _NUMBERS_TRIED:
            raise _error(self.text, "two numbers have the same URL; write {n} somewhere before a #")

    def url(self, number: int) -> str:
        """Return the URL of a number."""
        return "".join(
            part if isinstance(part, str) else format(part[0](number), part[1])
            for part in self._parts
        )

    def number_of(self, url: str) -> int | None:
        """Return the number that has this URL, None if there is none.

        Only numbers that occur literally in the URL are found, as in nearly all patterns. Changes
        from http to https, to www and back, or to a trailing slash mean the same page.
        """
        numbers = {int(digits) for digits in _DIGITS.findall(url) if len(digits) < 20}
        core = _core(url)
        return next((number for number in sorted(numbers) if _core(self.url(number)) == core), None)

    def _check_host(self) -> None:
        try:
            parts = urlsplit(self.url(0))
            is_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            is_host = False
        if not is_host:
            raise _error(self.text, f"{self.site} is not a valid host and port")
        # They would appear in every record and in the summary.
        if "@" in self.site:
            raise _error(self.text, "remove user and password")

    def _read_parts(self) -> Iterator[str | tuple[_Value, str]]:
        end = 0
        for field in _FIELD.finditer(self.text):
            yield self.text[end : field.start()]
            expression, spec = field[1], field[2] or ""
            if not _SPEC.fullmatch(spec):
                raise _error(self.text, f"{spec!r} is not a width; write one as in {{n:06d}}")
            yield _read(expression, self.text), spec
            end = field.end()
        yield self.text[end:]


def read_patterns(text: str) -> list[UrlPattern]:
    """Return the comma-separated patterns in ``text``. Raises :class:`ArgumentError`."""
    patterns = [UrlPattern(part) for part in _BETWEEN_PATTERNS.split(text.strip(", "))]
    texts = [pattern.text for pattern in patterns]
    if twice := [one for one in texts if texts.count(one) > 1]:
        raise _error(twice[0], "given twice; give it once")
    return patterns


def _read(expression: str, pattern: str) -> _Value:
    try:
        if len(expression) > _LONGEST_EXPRESSION:
            raise ValueError
        return _compile(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        raise _error(
            pattern, f"{{{expression}}} is not an expression of n and + - * // %, like {{n//1000}}"
        ) from None


def _compile(node: ast.expr) -> _Value:
    """Return the value of an expression as a function of n; raises ValueError for any other node."""
    if isinstance(node, ast.Name) and node.id == "n":
        return lambda n: n
    if isinstance(node, ast.Constant) and type(node.value) is int:
        constant = node.value
        if constant <= _LARGEST_CONSTANT:
            return lambda _: constant
    if isinstance(node, ast.BinOp) and (reckon := _OPERATIONS.get(type(node.op))):
        # The divisor must be a positive constant, so that no n divides by zero.
        if isinstance(node.op, ast.FloorDiv | ast.Mod) and not _is_divisor(node.right):
            raise ValueError
        left, right = _compile(node.left), _compile(node.right)
        return lambda n: reckon(left(n), right(n))
    raise ValueError


def _is_divisor(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0


def _core(url: str) -> str:
    _, _, rest = safe_url_string(url).partition("://")
    return rest.removeprefix("www.").removesuffix("/")


def _error(pattern: str, reason: str) -> ArgumentError:
    return ArgumentError(f"{pattern!r} is not a pattern of numbered URLs: {reason}")
