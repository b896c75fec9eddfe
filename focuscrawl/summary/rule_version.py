"""Version of the rules by which a spider reads a site: its site profile or template."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from pydantic import BaseModel

_ATTRIBUTES = ("profile", "template")
_DIGITS = 8


class RuleVersion(NamedTuple):
    """Kind (``profile`` or ``template``) and name of rules, and a short hash of them."""

    kind: str
    name: str
    version: str


def rules_of(spider: object) -> RuleVersion | None:
    """Return the version of a spider's ``profile`` or ``template``; None if it has neither."""
    for kind in _ATTRIBUTES:
        rules = getattr(spider, kind, None)
        if isinstance(rules, BaseModel):
            return RuleVersion(kind, str(getattr(rules, "name", "")), _hash(rules))
    return None


def _hash(rules: BaseModel) -> str:
    # Without defaults, so that a new optional rule of focuscrawl changes no version.
    text = rules.model_dump_json(exclude={"name", "description"}, exclude_defaults=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
