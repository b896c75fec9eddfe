from __future__ import annotations

import pytest

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.system.retry_with_backoff import retry, retry_async


class Flaky:
    """Raises its errors one after another, then returns how often it was called."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.calls

    async def later(self) -> int:
        return self()


async def test_work_is_repeated_and_the_first_failure_reported() -> None:
    reported: list[BaseException] = []
    first, second = StoreUnavailableError("first"), StoreUnavailableError("second")
    work = Flaky(first, second)
    # A lambda, too, as what it returns must be awaited.
    assert await retry_async(lambda: work.later(), StoreUnavailableError, 60, reported.append) == 3
    assert reported == [first]


async def test_no_second_call_for_another_error_or_without_time() -> None:
    refused = Flaky(StoreError("no rights"))
    with pytest.raises(StoreError, match="no rights"):
        await retry_async(refused.later, StoreUnavailableError, 60)
    late = Flaky(StoreUnavailableError("away"))
    with pytest.raises(StoreUnavailableError, match="away"):
        await retry_async(late.later, StoreUnavailableError, 0)
    assert (refused.calls, late.calls) == (1, 1)


def test_blocking_work_is_repeated_while_it_is_worth_it() -> None:
    work = Flaky(OSError("busy"), OSError("busy"), ValueError("other"))
    with pytest.raises(ValueError, match="other"):
        retry(work, lambda error: isinstance(error, OSError), 60, longest_pause=0.01)
    assert work.calls == 3
    assert retry(work, lambda error: False, 0, longest_pause=0.01) == 4
