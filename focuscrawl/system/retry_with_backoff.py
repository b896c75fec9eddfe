"""Retries with exponential back-off, by tenacity, for work that fails while something is away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    retry_if_exception_type,
    stop_before_delay,
    wait_exponential,
    wait_random,
)

_T = TypeVar("_T")

_FIRST_PAUSE = 0.1  # seconds; each pause is twice as long as the one before
_LONGEST_PAUSE = 10.0


async def retry_async(
    work: Callable[[], Awaitable[_T]],
    error: type[Exception],
    seconds: float,
    on_first_failure: Callable[[BaseException], None] = lambda error: None,
) -> _T:
    """Return the result of ``work``, called again while it raises ``error``.

    Pauses grow from 0.1 to 10 seconds; when the next would end later than ``seconds`` after the
    first call, the error is raised. ``on_first_failure`` is called before the first pause.
    """

    def report(state: RetryCallState) -> None:
        failure = state.outcome.exception() if state.outcome else None
        if state.attempt_number == 1 and failure:
            on_first_failure(failure)

    async def attempt() -> _T:
        # tenacity awaits what a coroutine function returns, not what a lambda does.
        return await work()

    return await AsyncRetrying(
        retry=retry_if_exception_type(error),
        before_sleep=report,
        **_pauses(seconds, _LONGEST_PAUSE),
    )(attempt)


def retry(
    work: Callable[[], _T],
    is_temporary: Callable[[BaseException], bool],
    seconds: float,
    longest_pause: float,
) -> _T:
    """Return the result of ``work``; like :func:`retry_async`, but blocks while it waits."""
    return Retrying(retry=retry_if_exception(is_temporary), **_pauses(seconds, longest_pause))(work)


def _pauses(seconds: float, longest: float) -> dict[str, Any]:
    return {
        "stop": stop_before_delay(seconds),
        # Random: two programs that wait for each other must not stay in step.
        "wait": wait_exponential(multiplier=_FIRST_PAUSE, max=longest)
        + wait_random(0, _FIRST_PAUSE),
        "reraise": True,
    }
