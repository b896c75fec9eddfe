"""Frontiers: the waiting URLs of a crawl, best first, and the outcomes of all others."""

from focuscrawl.frontier.frontier_entries import (
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
from focuscrawl.frontier.frontier_protocol import Frontier, drop_where, growing_pause, rescore_all
from focuscrawl.frontier.sqlite.frontier_reader import FrontierReader, read_frontier
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.frontier.update_score import UpdateRule

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
