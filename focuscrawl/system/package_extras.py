"""Optional dependencies of the package, and the error if they are missing."""

from __future__ import annotations

from importlib.util import find_spec

from focuscrawl.errors import ArgumentError


def require_matplotlib() -> None:
    """Raise ArgumentError if Matplotlib, which draws the plots, is not installed."""
    if find_spec("matplotlib") is None:
        raise ArgumentError(
            "plots need matplotlib, which is not installed; run pip install 'focuscrawl[lab]'"
        )


def require_pyarrow() -> None:
    """Raise ArgumentError if PyArrow, which writes Parquet files, is not installed."""
    if find_spec("pyarrow") is None:
        raise ArgumentError(
            "Parquet files need pyarrow, which is not installed; run "
            "pip install 'focuscrawl[parquet]', or name a .csv or .jsonl file"
        )


def require_redis() -> None:
    """Raise ArgumentError if redis-py, the driver of Valkey and Redis, is not installed."""
    if find_spec("redis") is None:
        raise ArgumentError(
            "a frontier on Valkey or Redis needs redis, which is not installed; run "
            "pip install 'focuscrawl[workers]'"
        )


def require_web() -> None:
    """Raise ArgumentError if Starlette, which the web views need, is not installed."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ArgumentError(
            "the web views need starlette and uvicorn, which are not installed; run "
            "pip install 'focuscrawl[web]'"
        )
