"""Search for the simplest rule that selects given elements in all examples."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import stable_classes
from focuscrawl.sites.induction.stable_names import is_generated, stable_part
from focuscrawl.sites.site_profile import Rule

_NAME = re.compile(r"-?[A-Za-z_][\w-]*")
# Ancestors that may qualify a selector, counted from the element.
_MOST_ANCESTORS = 8
_MOST_CANDIDATES = 400
_MOST_POSITIONS = 10
_MOST_JOINED = 60
_LEAST_SHARE = 0.8


class Example(NamedTuple):
    """Elements to select below ``root``."""

    root: _Element
    targets: Sequence[_Element]


def find_rule(
    examples: Sequence[Example], fits: Callable[[Rule, _Element], bool], part: str = ""
) -> Rule | None:
    """Return the first rule that ``fits`` all roots, or the one for most of them; None below four fifths.

    Simple selectors are tried before long ones, classes and ids before structure, positions last.
    ``part`` is ``::attr(NAME)`` or ``::text`` to select an attribute or the texts of the elements.
    """
    partial: list[tuple[Rule, set[int]]] = []
    for rule in _rules(examples, part):
        fitted = {at for at, example in enumerate(examples) if fits(rule, example.root)}
        if len(fitted) == len(examples):
            return rule
        if fitted:
            partial.append((rule, fitted))
    best = max(partial, key=lambda one: len(one[1]), default=None)
    is_enough = best is not None and len(best[1]) >= _LEAST_SHARE * len(examples)
    return _joined(partial, examples, fits) or (best[0] if best and is_enough else None)


def _joined(
    partial: Sequence[tuple[Rule, set[int]]],
    examples: Sequence[Example],
    fits: Callable[[Rule, _Element], bool],
) -> Rule | None:
    """Return two selectors as one for a list with two kinds of entries, None if no pair fits all."""
    styled = [(rule, fitted) for rule, fitted in partial if rule.css][:_MOST_JOINED]
    for (one, fitted), (other, rest) in itertools.combinations(styled, 2):
        if len(fitted | rest) == len(examples):
            joined = Rule(css=f"{one.css}, {other.css}")
            if all(fits(joined, example.root) for example in examples):
                return joined
    return None


def _rules(examples: Sequence[Example], part: str) -> Iterator[Rule]:
    for css in itertools.islice(_candidates(examples), _MOST_CANDIDATES):
        yield from valid_rules([{"css": css + part}])
    paths = (_position(target, root) for root, targets in examples for target in targets[:1])
    positions = list(dict.fromkeys(paths))[:_MOST_POSITIONS]
    yield from valid_rules({"xpath": path + _in_xpath(part)} for path in positions)


def valid_rules(given: Iterable[dict[str, str]]) -> Iterator[Rule]:
    """Yield the rules that are valid: broken pages have tags and classes that no selector may have."""
    for one in given:
        with contextlib.suppress(ValueError):
            yield Rule(**one)


def _in_xpath(part: str) -> str:
    return re.sub(r"::attr\((.+)\)", r"/@\1", part.replace("::text", "/text()"))


def _candidates(examples: Sequence[Example]) -> Iterator[str]:
    """Yield distinct CSS selectors of the targets, the simplest first."""
    found: dict[str, int] = {}
    for example in examples:
        for target in example.targets[:3]:
            for cost, css in _selectors(target, example.root):
                found[css] = min(cost, found.get(css, cost))
    yield from sorted(found, key=lambda css: (found[css], len(css), css))


def _selectors(target: _Element, root: _Element) -> Iterator[tuple[int, str]]:
    own = list(_names(target))
    yield from own
    chain = _chain(target, root)
    for depth, ancestor in enumerate(chain):
        for cost, name in _names(ancestor):
            for own_cost, own_name in own:
                # A parent says more than a distant ancestor.
                yield 2 + cost + own_cost + depth, f"{name} {own_name}"
                if depth == 0:
                    yield 2 + cost + own_cost, f"{name} > {own_name}"
                else:
                    path = " > ".join(node.tag for node in reversed(chain[:depth]))
                    yield 3 + cost + own_cost + 2 * depth, f"{name} > {path} > {own_name}"


def _chain(target: _Element, root: _Element) -> list[_Element]:
    chain: list[_Element] = []
    for node in itertools.islice(target.iterancestors(), _MOST_ANCESTORS):
        if node is root or node.tag in ("body", "html"):
            break
        chain.append(node)
    return chain


def _position(target: _Element, root: _Element) -> str:
    steps: list[str] = []
    for node in (target, *target.iterancestors()):
        if node is root:
            break
        place = sum(1 for _ in node.itersiblings(node.tag, preceding=True)) + 1
        steps.append(f"{node.tag}[{place}]")
    return "/".join([".", *reversed(steps)])


def _names(element: _Element) -> Iterator[tuple[int, str]]:
    """Yield simple selectors of an element with their costs."""
    tag = str(element.tag)
    identifier = element.get("id") or ""
    names = sorted(filter(_NAME.fullmatch, stable_classes(element)))
    classes = [name for name in names if not is_generated(name)]
    for name in classes:
        yield 1, f"{tag}.{name}"
    for part in dict.fromkeys(filter(None, map(stable_part, names))):
        yield 1, f'{tag}[class*="{part}"]'
    if _NAME.fullmatch(identifier) and not is_generated(identifier):
        yield 2, f"#{identifier}"
    yield 3, tag
    if len(classes) > 1:
        yield 4, tag + "".join(f".{name}" for name in classes)
