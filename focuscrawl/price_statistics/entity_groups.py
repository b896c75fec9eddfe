"""Groups of entities that a market report tells apart: processors, feed mills, ports, markets and others."""

from __future__ import annotations

import re
from typing import Literal, get_args

Group = Literal["processing", "feed", "firm", "port", "market", "place", "futures", "other"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""In the order of the table of the morning; averages and groups of buyers are ``other``."""
_FEED = re.compile("饲料|农牧|牧业|养殖|禽业|种猪")
_PROCESSING = re.compile(
    "深加工|淀粉|酒精|酒业|乙醇|柠檬酸|氨基酸|赖氨酸|味精|生物|生化|糖业|玉米开发|玉米油|发酵"
)


_CONTRACT = re.compile(
    r"合[约約]|期[货貨价價]|主力|futures|contract|^[a-z]{1,2}\d{3,4}$|^\d{4}$", re.IGNORECASE
)


def is_futures(name: str) -> bool:
    """Return whether the name of an entity is that of a futures contract.

    >>> is_futures("1301合约"), is_futures("C1505"), is_futures("锦州港")
    (True, True, False)
    """
    return bool(_CONTRACT.search(name))


def group_of(kind: str, name: str) -> Group:
    """Return the group of an entity by its type and its name; firms whose names say nothing are ``firm``.

    >>> group_of("firm", "寿光淀粉"), group_of("firm", "正大饲料"), group_of("port", "锦州港")
    ('processing', 'feed', 'port')
    """
    if kind == "firm" and _FEED.search(name):
        return "feed"
    if kind == "firm" and _PROCESSING.search(name):
        return "processing"
    if kind == "other" and is_futures(name):
        return "futures"
    return next((group for group in GROUPS if group == kind), "other")
