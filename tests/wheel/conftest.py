"""The built wheel in a virtual environment of its own, and a fresh Scrapy project that uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from focuscrawl.demo import DemoServer, DemoWeb

ROOT = Path(__file__).resolve().parents[2]
ADD_ON = "focuscrawl.addon.FocuscrawlAddon"
_NOWHERE = "http://127.0.0.1:9"


@dataclass
class Installed:
    """The installed wheel; ``project`` is a fresh project with the add-on, ``outside`` has none."""

    wheel: Path
    packages: Path
    python: Path
    project: Path
    outside: Path
    environment: dict[str, str] = field(default_factory=dict)

    def scrapy(
        self, *arguments: str, folder: Path | None = None, settings: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the project, or in another folder; it reaches nothing but the demo web."""
        return self.run("-m", "scrapy", *arguments, folder=folder, settings=settings)

    def run(
        self, *arguments: str | Path, folder: Path | None = None, settings: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run the interpreter of the environment."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SCRAPY_", "FOCUSCRAWL_", "PYTHON"))
        }
        environment |= {"http_proxy": _NOWHERE, "https_proxy": _NOWHERE} | self.environment
        if settings:
            environment["SCRAPY_SETTINGS_MODULE"] = settings
        return subprocess.run(
            [self.python, *arguments], cwd=folder or self.project, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=300,
        )  # fmt: skip


def _run(*command: str | Path, **environment: str) -> None:
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel without a network and install it beside the packages of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    _run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT, PIP_NO_INDEX="1")
    (wheel,) = folder.glob("*.whl")
    _run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    target = ("--no-deps", "--no-index", "--ignore-installed", "--target", packages)
    _run(*pip, "install", *target, wheel)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(others), "utf-8")
    outside = folder / "outside"
    outside.mkdir()
    made = Installed(wheel, packages, python, folder / "shop", outside)
    done = made.scrapy("startproject", "shop", folder=folder)
    assert done.returncode == 0, done.stderr
    with (folder / "shop/shop/settings.py").open("a", encoding="utf-8") as file:
        file.write(f'\nADDONS = {{"{ADD_ON}": 500}}\n')
    return made


@pytest.fixture
def demo(installed: Installed) -> Iterator[None]:
    """A demo web that the commands of ``installed`` reach."""
    with DemoServer(DemoWeb(days=2)) as server:
        installed.environment |= server.proxy_environment
        yield
    installed.environment.clear()
