"""The generated parts, where they are not plain: choices, ranges, and pipes in tables."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from tools import documentation_hook as hook


class _Model(BaseModel):
    plain: str = ""
    needed: str
    choice: Literal["a", "b"] = "a"
    maybe: Annotated[int, Field(ge=2)] | None = None
    both: Annotated[int, Field(ge=0, le=9)] = 3
    flag: bool | None = None


@pytest.mark.parametrize(
    ("name", "values", "default"),
    [
        ("plain", "", ""),
        ("needed", "", "required"),
        ("choice", "`a`, `b`", "`a`"),
        ("maybe", "2 or more", ""),
        ("both", "0 to 9", "`3`"),
        ("flag", "`true`, `false`", ""),
    ],
)
def test_values_and_defaults_come_from_the_model(name: str, values: str, default: str) -> None:
    field = _Model.model_fields[name]
    assert (hook._allowed(field), hook._argument_default(field)) == (values, default)


def test_a_pipe_ends_no_cell() -> None:
    assert hook._row(["x|y", "`a|b`", "`a` | `b|c`"]) == "| x&#124;y | `a|b` | `a` &#124; `b|c` |"
