"""Optional dependencies of the package, and the error if they are missing."""

from __future__ import annotations

import shutil
from importlib import import_module
from importlib.util import find_spec

from focuscrawl.errors import ArgumentError

_OLDEST_REDIS = 8
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def require_matplotlib() -> None:
    """Raise ArgumentError if Matplotlib, which draws the plots, is not installed."""
    _require("plots need matplotlib", find_spec("matplotlib"), "lab")


def require_pyarrow() -> None:
    """Raise ArgumentError if PyArrow, which writes Parquet files, is not installed."""
    remedy = ", or name a .csv or .jsonl file"
    _require("Parquet files need pyarrow", find_spec("pyarrow"), "parquet", remedy)


def require_redis() -> None:
    """Raise ArgumentError if redis-py, the driver of Valkey and Redis, is not installed or too old."""
    try:
        version = int(import_module("redis").__version__.split(".")[0])
    except (ImportError, AttributeError, ValueError):
        version = 0
    what = f"a frontier on Valkey or Redis needs redis {_OLDEST_REDIS} or later"
    _require(what, version >= _OLDEST_REDIS, "workers")


def has_files() -> bool:
    """Return whether the packages that read PDF, Word and Excel files are installed."""
    return all(map(find_spec, ("pdfplumber", "docx", "xlrd")))


def require_files() -> None:
    """Raise ArgumentError if a package that reads PDF, Word or Excel files is not installed."""
    _require(
        "PDF, Word and Excel files need pdfplumber, python-docx and xlrd", has_files(), "files"
    )


def require_web() -> None:
    """Raise ArgumentError if Starlette, which the web views need, is not installed."""
    is_found = find_spec("starlette") and find_spec("uvicorn")
    _require("the web views need starlette and uvicorn", is_found, "web")


def require_browser(named: str | None) -> str:
    """Return the path of Chromium, the one that is ``named`` if any.

    Raises ArgumentError if it, or scrapy-playwright, which drives it, is not installed.
    """
    what = "pages that JavaScript draws need scrapy-playwright"
    _require(what, find_spec("scrapy_playwright"), "browser")
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


def _require(what: str, is_found: object, extra: str, remedy: str = "") -> None:
    if not is_found:
        raise ArgumentError(
            f"{what}, not installed here; run pip install 'focuscrawl[{extra}]'{remedy}"
        )
