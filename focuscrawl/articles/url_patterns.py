"""URLs with a number in them: ``http://host/article/{n//1000}/{n:06d}.htm``."""

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
# A comma may stand in a URL: only one before another URL parts two of them.
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
    """A URL in whose path or query a number ``n`` stands, or what is reckoned from it.

    A field is ``{n}`` or an expression of ``n``, whole numbers and ``+ - * // %``, as in
    ``{n//1000}``; a width may follow, as in ``{n:06d}``. Raises :class:`ArgumentError` with one
    sentence for what is none. Nothing is ever evaluated as Python.

    >>> UrlPattern("http://host/{n//1000}/{n:06d}.htm").url(80321)
    'http://host/80/080321.htm'
    """

    def __init__(self, text: str) -> None:
        self.text = _FIELD.sub(lambda field: field[0].replace(" ", ""), text.strip())
        address = _ADDRESS.fullmatch(self.text)
        if not address:
            raise _error(self.text, "write http://host/article/{n}.htm, without white space")
        if re.search("[{}]", _FIELD.sub("", self.text)):
            raise _error(self.text, "braces stand around expressions of n only, as in {n:06d}")
        if not _FIELD.search(address[1]):
            raise _error(self.text, "it has no {n} where the number stands")
        self.site = self.text.split("/")[2].lower()
        self._parts = list(self._read_parts())
        self._check_host()
        # No server hears of what follows a #.
        if len({urldefrag(self.url(n)).url for n in range(_NUMBERS_TRIED)}) < _NUMBERS_TRIED:
            raise _error(self.text, "two numbers have the same URL; write {n} somewhere before a #")

    def url(self, number: int) -> str:
        """Return the URL of a number."""
        return "".join(
            part if isinstance(part, str) else format(part[0](number), part[1])
            for part in self._parts
        )

    def number_of(self, url: str) -> int | None:
        """Return the number whose URL this is, None if there is none.

        Found where the number itself stands in the URL, as it does in nearly all. Sites that move
        from http to https, to www and back, or on to a / at the end, mean the same page.
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
            raise _error(self.text, f"{self.site} is no host, or its port is none")
        # It would stand in every record and in the summary.
        if "@" in self.site:
            raise _error(self.text, "leave out user and password")

    def _read_parts(self) -> Iterator[str | tuple[_Value, str]]:
        end = 0
        for field in _FIELD.finditer(self.text):
            yield self.text[end : field.start()]
            expression, spec = field[1], field[2] or ""
            if not _SPEC.fullmatch(spec):
                raise _error(self.text, f"{spec!r} is no width; write one as in {{n:06d}}")
            yield _read(expression, self.text), spec
            end = field.end()
        yield self.text[end:]


def read_patterns(text: str) -> list[UrlPattern]:
    """Return the patterns in ``text``, parted by commas. Raises :class:`ArgumentError`."""
    patterns = [UrlPattern(part) for part in _BETWEEN_PATTERNS.split(text.strip(", "))]
    texts = [pattern.text for pattern in patterns]
    if twice := [one for one in texts if texts.count(one) > 1]:
        raise _error(twice[0], "it is given twice; give it once")
    return patterns


def _read(expression: str, pattern: str) -> _Value:
    try:
        if len(expression) > _LONGEST_EXPRESSION:
            raise ValueError
        return _compile(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        raise _error(
            pattern, f"{{{expression}}} is no expression of n and + - * // %, as {{n//1000}} is"
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
        # Whatever n is, nothing is divided by nought.
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
    return ArgumentError(f"{pattern!r} is no pattern of numbered URLs: {reason}")
