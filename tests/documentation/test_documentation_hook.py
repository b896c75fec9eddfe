"""The generated parts, where they are not plain: pipes in tables."""

from __future__ import annotations

from tools import documentation_hook as hook


def test_a_pipe_ends_no_cell() -> None:
    assert hook._row(["x|y", "`a|b`", "`a` | `b|c`"]) == "| x&#124;y | `a|b` | `a` &#124; `b|c` |"
