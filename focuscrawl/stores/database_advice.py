"""Advice for errors that several kinds of databases share."""

from __future__ import annotations

from focuscrawl.errors import StoreUnavailableError

ENCODING = (
    "in the password write %40 for @, %2F for /, %3A for :, %2C for a comma, "
    "or take it from the environment by ${NAME}"
)
"""Advice on characters of a password that have a meaning in URLs."""


def no_answer(label: str, reason: str) -> StoreUnavailableError:
    """Return the error for a server that cannot be reached, or that has closed the connection."""
    return StoreUnavailableError(
        f"{label} does not answer ({reason}); check that the server runs, and the URL of the store"
    )


def disk_full(label: str) -> StoreUnavailableError:
    """Return the error for a server whose disk is full; retrying helps as soon as there is space."""
    return StoreUnavailableError(f"{label}: the server's disk is full; free some space there")
