"""Error messages for the errors of MongoDB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    ExecutionTimeout,
    InvalidURI,
    OperationFailure,
    PyMongoError,
    WTimeoutError,
)

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.database_advice import ENCODING, disk_full, no_answer

# The server's error is the same in both cases.
_NO_LOGIN = (
    "wrong user name or password, or the user belongs to another database; correct the store's URL, "
    "or end it with ?authSource=admin"
)
# https://www.mongodb.com/docs/manual/reference/error-codes/
_REMEDIES = {
    13: "the user lacks privileges; grant it readWrite on this database",
    18: _NO_LOGIN,
    20: "the server does not support a required operation; use MongoDB 5.0 or later",
    8000: _NO_LOGIN,
}
_WRITE_CONFLICT, _DUPLICATE_KEY, _DISK_FULL = 112, 11000, 14031


def too_large(name: str, size: int, label: str) -> StoreError:
    """Return the error for a record of more bytes than a document may have."""
    return StoreError(
        f"{name} has {size / 2**20:.1f} MB, and {label} accepts at most 16 MB per document; store it in "
        "MySQL or SQLite"
    )


@contextmanager
def translated(label: str) -> Iterator[None]:
    """Translate the driver's errors into StoreError or StoreUnavailableError with a remedy."""
    try:
        yield
    except (ConnectionFailure, ExecutionTimeout, WTimeoutError) as error:
        raise no_answer(label, _short(error)) from error
    except (InvalidURI, ConfigurationError, ValueError) as error:
        # The driver's message may contain a part of the password.
        raise StoreError(
            f"the URL of {label} cannot be read; it is like mongodb://user:password@host:27017/"
            f"database; {ENCODING}"
        ) from error
    except BulkWriteError as error:
        codes = {entry["code"] for entry in error.details.get("writeErrors", ())}
        raise _failure(error, codes, label) from error
    except OperationFailure as error:
        raise _failure(error, {error.code}, label) from error
    except PyMongoError as error:
        raise StoreError(f"{label} cannot be used: {_short(error)}") from error


def _failure(error: OperationFailure, codes: set[int | None], label: str) -> StoreError:
    if error.has_error_label("TransientTransactionError") or _WRITE_CONFLICT in codes:
        return StoreUnavailableError(f"{label} is busy with another writer: {_short(error)}")
    if _DUPLICATE_KEY in codes:
        return StoreUnavailableError(f"{label}: another program writes the same records")
    if _DISK_FULL in codes:
        return disk_full(label)
    for code in codes & set(_REMEDIES):
        return StoreError(f"{label} refuses: {_REMEDIES[code or 0]}")
    return StoreError(f"{label} refuses: {_short(error)}")


def _short(error: Exception) -> str:
    # The driver adds its time limits and a dump of its connections.
    words = re.split(r" \(configured timeouts|, Timeout: ", str(error))[0]
    return " ".join(words.split())[:160]
