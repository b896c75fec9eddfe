"""Values of a query, checked by a pydantic model."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from focuscrawl.errors import ArgumentError
from focuscrawl.system.machine_faults import plain_reason

_Model = TypeVar("_Model", bound=BaseModel)


def query_of(request: Request, model: type[_Model]) -> _Model:
    """Return the query of a request as a model; raises ArgumentError for a value that is none.

    Names that the model lacks are left out, as those that other programs add to addresses; empty
    values, which forms send, count as missing.
    """
    return checked(model, dict(request.query_params))


def checked(model: type[_Model], values: dict[str, Any]) -> _Model:
    """Return values as a model; raises ArgumentError with the first one that is wrong."""
    known = {name: value for name, value in values.items() if name in model.model_fields and value}
    try:
        return model(**known)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise ArgumentError(f"{name} = {first['input']!r}: {plain_reason(first)}") from error


def whole_number_of(request: Request, name: str) -> int | None:
    """Return a whole number of a query, None if it is missing; raises ArgumentError for anything else."""
    text = request.query_params.get(name)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise ArgumentError(f"{name} = {text!r}: not a whole number")
    return int(text)
