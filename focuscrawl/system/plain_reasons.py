"""Plain sentences on values that pydantic refuses, with what to write instead."""

from collections.abc import Mapping
from typing import Any

_REASONS = {
    "int_": "write a whole number",
    "float_": "write a number",
    "bool_": "write true or false",
    "literal_error": "write {expected}",
    "greater_than_equal": "write at least {ge:g}",
    "less_than_equal": "write at most {le:g}",
}


def plain_reason(error: Mapping[str, Any]) -> str:
    """Return what is wrong by the details of one error of pydantic's ValidationError."""
    reasons = (text for start, text in _REASONS.items() if error["type"].startswith(start))
    reason = next(reasons, "").format(**error.get("ctx", {}))
    return reason or str(error["msg"]).removeprefix("Value error, ")
