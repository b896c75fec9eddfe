"""Static files of the web views: our own, and the libraries that ``make assets`` fetches."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).with_name("static")
_CHARTS, _INTERACTION = "vendor/echarts.common.min.js", "vendor/htmx.min.js"


class StaticAssets:
    """Addresses of the static files, each with a part of its hash, so that browsers may keep it.

    Without the libraries, pages work as they do without JavaScript.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._versions = {
            path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()[:12]
            for path in folder.rglob("*")
            if path.is_file()
        }

    def __getitem__(self, name: str) -> str:
        """Return the address of a file; raises KeyError if there is none."""
        return f"/static/{name}?v={self._versions[name]}"

    @property
    def has_charts(self) -> bool:
        """Whether ECharts is there."""
        return _CHARTS in self._versions

    @property
    def has_interaction(self) -> bool:
        """Whether htmx is there."""
        return _INTERACTION in self._versions
