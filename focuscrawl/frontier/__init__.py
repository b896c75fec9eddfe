"""The frontier: which URL comes next, and what became of all the others."""

from .base import Frontier, drop_where, growing_pause, rescore_all
from .entry import (
    DONE,
    Ack,
    Candidate,
    Counts,
    Ended,
    Explanation,
    HostCounts,
    Lease,
    NotLeasedError,
    Outcome,
    Pushed,
    Source,
    State,
    Waiting,
    dropped,
    failed,
    key_of,
)
from .memory import MemoryFrontier
from .rules import UpdateRule
from .sqlite import SqliteFrontier
from .sqlite_reader import FrontierReader, read_frontier

__all__ = [
    "DONE",
    "Ack",
    "Candidate",
    "Counts",
    "Ended",
    "Explanation",
    "Frontier",
    "FrontierReader",
    "HostCounts",
    "Lease",
    "MemoryFrontier",
    "NotLeasedError",
    "Outcome",
    "Pushed",
    "Source",
    "SqliteFrontier",
    "State",
    "UpdateRule",
    "Waiting",
    "drop_where",
    "dropped",
    "failed",
    "growing_pause",
    "key_of",
    "read_frontier",
    "rescore_all",
]
