"""YAML files as models."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from focuscrawl.errors import ProfileError
from focuscrawl.system.yaml_files import parse_yaml


class Part(BaseModel):
    a: dict[str, int] = {}
    b: dict[str, int] = {}


def parsed(text: str) -> Part:
    return parse_yaml(text, Part, "part x.yaml", ProfileError, "x")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: {c: 1}\nb: {}\na: {}\n", "the key a is twice in part x.yaml, lines 1 and 3"),
        ("a:\n  c: 1\n  d: 2\n  c: 3\n", "the key c is twice in part x.yaml, lines 2 and 4"),
        ("a: {c: 1, 'c': 2}\n", "the key c is twice in part x.yaml, lines 1 and 1"),
        ("a: [1\n", "part x.yaml is not YAML"),
        ("? [a]\n: 1\n? {b: 1}\n: 2\n", "part x.yaml is not YAML"),
    ],
)
def test_mistakes_are_named(text: str, sentence: str) -> None:
    with pytest.raises(ProfileError, match=sentence):
        parsed(text)


def test_a_merged_key_may_be_replaced() -> None:
    part = parsed("a: &base {c: 1, d: 2}\nb:\n  <<: *base\n  c: 3\n")
    assert part.b == {"c": 3, "d": 2}
