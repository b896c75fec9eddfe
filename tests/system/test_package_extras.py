"""Optional packages that are missing are named with the command that installs them."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.system import package_extras
from tests.documentation.console_sessions import ROOT

REQUIREMENTS = {
    **{partial(package_extras.require_extra, extra): package for extra, package in {
        "lab": "matplotlib", "parquet": "pyarrow", "files": "python-docx", "web": "starlette",
    }.items()},
    package_extras.require_redis: "redis",
    lambda: package_extras.require_browser(sys.executable): "scrapy-playwright",
}  # fmt: skip


@pytest.mark.parametrize(("require", "package"), REQUIREMENTS.items())
def test_only_a_missing_package_is_asked_for_and_the_extra_of_the_remedy_has_it(
    require: Callable[[], None], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    require()
    monkeypatch.setattr(package_extras, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ArgumentError, match=package) as raised:
        require()
    extra = re.findall(r"pip install 'focuscrawl\[(\w+)\]'", str(raised.value))[0]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["optional-dependencies"][extra]
    assert any(re.match(rf"{package}\W", requirement) for requirement in wanted)
    assert "\n" not in str(raised.value)


def test_a_package_that_is_too_old_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", SimpleNamespace(__version__="3.5.3"))
    with pytest.raises(ArgumentError, match="redis 8 or later"):
        package_extras.require_redis()


def test_chromium_is_searched_for_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_extras.shutil, "which", {"chrome": "/bin/chrome"}.get)
    assert package_extras.require_browser(None) == "/bin/chrome"
    assert not package_extras.has_browser("chromium-9")
    monkeypatch.setattr(package_extras.shutil, "which", lambda name: None)
    with pytest.raises(ArgumentError, match="apt-get install chromium, or name it"):
        package_extras.require_browser(None)
