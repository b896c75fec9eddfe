"""All hostile cases, by name."""

from __future__ import annotations

from tests.hostile.addresses import ADDRESSES
from tests.hostile.bodies import BODIES
from tests.hostile.bombs import BOMBS
from tests.hostile.case import Case
from tests.hostile.charsets import CHARSETS
from tests.hostile.headers import HEADERS
from tests.hostile.lists import LISTS
from tests.hostile.redirects import REDIRECTS
from tests.hostile.robots import ROBOTS
from tests.hostile.traps import TRAPS

_SHELVES = (BOMBS, BODIES, REDIRECTS, HEADERS, CHARSETS, ROBOTS, ADDRESSES, TRAPS, LISTS)

CASES: dict[str, Case] = {}
for _shelf in _SHELVES:
    for _name, _case in _shelf.cases.items():
        assert _name not in CASES, _name
        CASES[_name] = _case


def chosen(names: str = "") -> list[Case]:
    """Return the cases of those names and categories, comma-separated; all by default.

    What begins with ``-`` is left out. Raises ValueError for a name that nothing has.
    """
    given = [name.strip() for name in names.split(",") if name.strip()]
    wanted = {name for name in given if name[0] != "-"}
    unwanted = {name[1:] for name in given if name[0] == "-"}
    known = CASES.keys() | {case.category for case in CASES.values()}
    if unknown := (wanted | unwanted) - known:
        raise ValueError(f"no such case or category: {', '.join(sorted(unknown))}")
    return [
        case
        for case in CASES.values()
        if (not wanted or {case.name, case.category} & wanted)
        and not {case.name, case.category} & unwanted
    ]
