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


def _ignore(_failure: BaseException) -> None:
    """Do nothing."""


async def retry_async(
    work: Callable[[], Awaitable[_T]],
    error: type[Exception],
    seconds: float,
    on_first_failure: Callable[[BaseException], None] = _ignore,
    longest_pause: float = 10.0,
) -> _T:
    """Return the result of ``work``, called again while it raises ``error``.

    Pauses grow from 0.1 to ``longest_pause`` seconds; when the next would end later than ``seconds``
    after the first call, the error is raised. ``on_first_failure`` is called before the first pause.
    """

    async def attempt() -> _T:
        # tenacity awaits what a coroutine function returns, not what a lambda does.
        return await work()

    options = _options(seconds, longest_pause, on_first_failure)
    return await AsyncRetrying(retry=retry_if_exception_type(error), **options)(attempt)


def retry(
    work: Callable[[], _T],
    is_temporary: Callable[[BaseException], bool],
    seconds: float,
    longest_pause: float,
    on_first_failure: Callable[[BaseException], None] = _ignore,
) -> _T:
    """Return the result of ``work``; like :func:`retry_async`, but blocks while it waits."""
    options = _options(seconds, longest_pause, on_first_failure)
    return Retrying(retry=retry_if_exception(is_temporary), **options)(work)


def _options(
    seconds: float, longest: float, on_first_failure: Callable[[BaseException], None]
) -> dict[str, Any]:
    def report(state: RetryCallState) -> None:
        failure = state.outcome.exception() if state.outcome else None
        if state.attempt_number == 1 and failure:
            on_first_failure(failure)

    return {
        "before_sleep": report,
        "stop": stop_before_delay(seconds),
        # Random: two programs that wait for each other must not stay in step.
        "wait": wait_exponential(multiplier=_FIRST_PAUSE, max=longest)
        + wait_random(0, _FIRST_PAUSE),
        "reraise": True,
    }
