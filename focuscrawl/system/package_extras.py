"""Optional dependencies of the package, and the error if they are missing."""

from __future__ import annotations

import shutil
from importlib import import_module
from importlib.util import find_spec

from focuscrawl.errors import ArgumentError

_OLDEST_REDIS = 8
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


# By extra: what it is for, the packages that have to be there, and what else would do.
_EXTRAS = {
    "lab": ("plots need matplotlib", ("matplotlib",), ""),
    "parquet": ("Parquet files need pyarrow", ("pyarrow",), ", or name a .csv or .jsonl file"),
    "files": (
        "PDF, Word and Excel files need pdfplumber, python-docx and xlrd",
        ("pdfplumber", "docx", "xlrd"),
        "",
    ),
    "web": ("the web views need starlette and uvicorn", ("starlette", "uvicorn"), ""),
    "browser": ("pages that JavaScript draws need scrapy-playwright", ("scrapy_playwright",), ""),
}


def has_extra(extra: str) -> bool:
    """Return whether the packages of an extra are installed."""
    return all(map(find_spec, _EXTRAS[extra][1]))


def require_extra(extra: str) -> None:
    """Raise ArgumentError if a package of an extra is not installed."""
    what, _, otherwise = _EXTRAS[extra]
    _require(what, has_extra(extra), extra, otherwise)


def require_redis() -> None:
    """Raise ArgumentError if redis-py, the driver of Valkey and Redis, is not installed or too old."""
    try:
        version = int(import_module("redis").__version__.split(".")[0])
    except (ImportError, AttributeError, ValueError):
        version = 0
    what = f"a frontier on Valkey or Redis needs redis {_OLDEST_REDIS} or later"
    _require(what, version >= _OLDEST_REDIS, "workers")


def require_browser(named: str | None) -> str:
    """Return the path of Chromium, the one that is ``named`` if any.

    Raises ArgumentError if it, or scrapy-playwright, which drives it, is not installed.
    """
    require_extra("browser")
    for program in (named,) if named else _BROWSERS:
        if path := shutil.which(program):
            return path
    missing = f"FOCUSCRAWL_CHROMIUM={named} is no program" if named else "it is not installed here"
    raise ArgumentError(
        f"pages that JavaScript draws need Chromium, and {missing}; run apt-get install chromium, or "
        "name it in FOCUSCRAWL_CHROMIUM"
    )


def has_browser(named: str | None) -> bool:
    """Return whether :func:`require_browser` finds all that it needs."""
    try:
        return bool(require_browser(named))
    except ArgumentError:
        return False


def _require(what: str, is_found: bool, extra: str, remedy: str = "") -> None:
    if not is_found:
        raise ArgumentError(
            f"{what}, not installed here; run pip install 'focuscrawl[{extra}]'{remedy}"
        )
