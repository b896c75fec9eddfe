"""Passwords: their rules, and their hashes by Argon2id."""

from __future__ import annotations

from functools import cache

from pwdlib import PasswordHash

from focuscrawl.errors import ArgumentError
from focuscrawl.web.worker_threads import WorkerThreads

_SHORTEST, _LONGEST = 10, 256
workers = WorkerThreads(2, "passwords")
"""Threads for hashing; each needs 64 MB for it."""


def check_password(password: str, name: str) -> None:
    """Raise ArgumentError for a password that is too short, too long, or the name itself."""
    if not _SHORTEST <= len(password) <= _LONGEST:
        raise ArgumentError(f"a password has {_SHORTEST} to {_LONGEST} characters")
    if name.lower() in password.lower() and len(password) < len(name) + _SHORTEST // 2:
        raise ArgumentError("the password is little more than the name; choose another")


def hashed(password: str) -> str:
    """Return the hash of a password."""
    return hasher().hash(password)


def verified(password: str, stored: str | None) -> tuple[bool, str | None]:
    """Return whether a password is right, and its new hash if the stored one is outdated.

    For a user who does not exist (None), it takes as long.
    """
    is_right, fresh = hasher().verify_and_update(password, stored or nobody())
    return (is_right, fresh) if stored else (False, None)


@cache
def hasher() -> PasswordHash:
    """Return the hasher with the parameters that RFC 9106 recommends."""
    return PasswordHash.recommended()


@cache
def nobody() -> str:
    """Return a hash for users who do not exist."""
    return hashed("nobody has this password")
