"""What each condition in the rules of the price reader gains on labelled texts.

    python benchmarks/price_rules.py TEXTS.jsonl LABELS.csv ... [--under names/subject] [--most 450]

Each condition (``if``, the parts of ``and`` and ``or``, filters of comprehensions, results of predicates)
is fixed at true, then at false, and the texts in which it had the other value are read again, by the
rules alone. A row has the matched quotes, wrong quotes and agreeing fields that this adds. A condition
without which all three stay or get better is a rule to delete, unless a text of the tests needs it.
Conditions with another value in more than ``--most`` texts are skipped: without them nothing works.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib.util
import logging
import resource
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import _lru_cache_wrapper
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PRICES = ROOT / "focuscrawl" / "prices"
sys.path.insert(0, str(ROOT))

_CHECK = "_note_condition"
_LEFT_ALONE = ("candidates", "confidence")
_LONGEST_S, _MOST_BYTES = 4.0, 4 << 30
# Objects of these caches are compared by identity.
_KEPT_CACHES = {"commodities", "commodity_names", "lexicon", "_own_table"}


class Condition(NamedTuple):
    """A condition: its file below ``prices``, its line, and its text."""

    path: str
    line: int
    source: str


class Conditions:
    """All conditions, the texts in which each was true or false, and the one that is fixed."""

    def __init__(self) -> None:
        self.all: list[Condition] = []
        self.seen: dict[bool, defaultdict[int, set[int]]] = {
            value: defaultdict(set) for value in (True, False)
        }
        self.text = -1
        self.fixed: tuple[int, bool] | None = None

    def note(self, number: int, value: Any) -> Any:
        """Return the value of a condition, or the one at which it is fixed."""
        if self.fixed is None:
            self.seen[bool(value)][number].add(self.text)
        elif self.fixed[0] == number:
            return self.fixed[1]
        return value


class _Marker(ast.NodeTransformer):
    def __init__(self, conditions: Conditions, path: str, source: str) -> None:
        self._conditions, self._path, self._source = conditions, path, source
        self._is_predicate = False

    def _marked(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant) or ast.unparse(node) == "TYPE_CHECKING":
            return node
        text = ast.get_source_segment(self._source, node) or ""
        self._conditions.all.append(Condition(self._path, node.lineno, " ".join(text.split())))
        number = ast.Constant(len(self._conditions.all) - 1)
        call = ast.Call(ast.Name(_CHECK, ast.Load()), [number, node], [])
        return ast.copy_location(call, node)

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        node.test = self._marked(node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        self.generic_visit(node)
        node.test = self._marked(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        node.values = [self._marked(value) for value in node.values]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = [self._marked(test) for test in node.ifs]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        outer = self._is_predicate
        self._is_predicate = isinstance(node.returns, ast.Name) and node.returns.id == "bool"
        self.generic_visit(node)
        self._is_predicate = outer
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        if self._is_predicate and node.value is not None:
            node.value = self._marked(node.value)
        return node


class _Loader(SourceFileLoader):
    conditions = Conditions()

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text("utf-8")
        path = Path(self.path).relative_to(PRICES).as_posix()
        tree = _Marker(self.conditions, path, source).visit(ast.parse(source))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        parts = fullname.split(".")[2:]
        file = PRICES.joinpath(*parts).with_suffix(".py")
        if not fullname.startswith("focuscrawl.prices.") or parts[0] in _LEFT_ALONE:
            return None
        return importlib.util.spec_from_file_location(
            fullname, file, loader=_Loader(fullname, str(file))
        ) if file.is_file() else None  # fmt: skip


class _TooLate(BaseException):
    pass


def _stop(*_: object) -> None:
    raise _TooLate


def _forget() -> None:
    """Clear the caches, which hold results of the condition as it was."""
    for name, module in list(sys.modules.items()):
        if name.startswith("focuscrawl.prices"):
            for key, value in vars(module).items():
                if isinstance(value, _lru_cache_wrapper) and key not in _KEPT_CACHES:
                    value.cache_clear()


class Gain(NamedTuple):
    """What a condition adds that is fixed at ``value``; None if a text cannot be read without it."""

    condition: Condition
    value: bool
    texts: int
    counts: tuple[int, int, int] | None


def _score(text: Any) -> tuple[int, int, int]:
    """Return the matched quotes, the wrong ones, and the fields that agree, by the rules alone."""
    # Imported when the finder is in place.
    from focuscrawl.evaluation.prices.labelled_texts import FIELDS, normal
    from focuscrawl.evaluation.prices.quote_matching import matching
    from focuscrawl.prices.names.firm_aliases import load_aliases
    from focuscrawl.prices.quote_checks import quote_of
    from focuscrawl.prices.quote_reader import read_document

    aliases = load_aliases()
    document = read_document(text.text, text.title, aliases.names)
    quotes = [quote_of(draft, document, None, aliases) for draft in document.drafts]
    found = matching(quotes, text.labels)
    agreeing = sum(
        normal(reading.fields[name]) == normal(label.fields[name])
        for reading, label in found.pairs
        for name in FIELDS
        if label.fields.get(name) is not None
    )
    return len(found.pairs), len(found.wrong) + len(found.spurious), agreeing


def _score_in_time(text: Any) -> tuple[int, int, int] | None:
    signal.setitimer(signal.ITIMER_REAL, _LONGEST_S)
    try:
        return _score(text)
    except (Exception, _TooLate):  # without a condition, anything may happen
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def gains(texts: Sequence[Any], under: str, most: int) -> Iterator[Gain]:
    """Yield what each condition of the files that begin with ``under`` gains."""
    conditions = _Loader.conditions
    before = []
    for conditions.text, text in enumerate(texts):
        before.append(_score(text))
    for number, condition in enumerate(conditions.all):
        for value in (True, False):
            where = conditions.seen[not value][number]
            if not condition.path.startswith(under) or not 0 < len(where) <= most:
                continue
            conditions.fixed = number, value
            _forget()
            after = {text: _score_in_time(texts[text]) for text in where}
            conditions.fixed = None
            _forget()
            moved = [
                [b - a for a, b in zip(before[text], found, strict=True)]
                for text, found in after.items()
                if found is not None
            ]
            sums = tuple(map(sum, zip(*moved, strict=True))) if len(moved) == len(where) else None
            yield Gain(condition, value, len(where), sums)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="TEXTS LABELS")
    parser.add_argument(
        "--under", default="", help="beginning of the files below focuscrawl/prices"
    )
    parser.add_argument("--most", type=int, default=450)
    options = parser.parse_args()
    builtins.__dict__[_CHECK] = _Loader.conditions.note
    sys.meta_path.insert(0, _Finder())
    signal.signal(signal.SIGALRM, _stop)
    # A condition that ends a loop may fill the memory when it is fixed.
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    logging.disable(logging.CRITICAL)
    from focuscrawl.evaluation.prices.labelled_texts import read_all

    texts = read_all(list(zip(options.files[::2], options.files[1::2], strict=True)))
    print("quotes  wrong  fields  texts  fixed  condition")
    for condition, value, count, found in gains(texts, options.under, options.most):
        counts = "  cannot be read     " if found is None else "{:+6} {:+6} {:+7}".format(*found)
        where = f"{condition.path}:{condition.line}"
        print(f"{counts} {count:6}  {value!s:5}  {where}  {condition.source[:60]}", flush=True)


if __name__ == "__main__":
    main()
