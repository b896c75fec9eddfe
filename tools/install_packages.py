"""``install_packages.py PATH[EXTRAS]``: install a project editably, by uv where it can, else by pip.

pip fetches, unpacks and compiles one package after the other: of two minutes, uv needs a quarter.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
_UV = "uv>=0.9,<1"
_PREFIX = "Collecting "
# Settings of pip that uv has under the same name, and those that do not matter to it.
_OF_BOTH = ("index-url", "extra-index-url", "find-links")
_OF_PIP = {"cert", "default-timeout", "disable-pip-version-check", "no-cache-dir", "no-color", "no-input"}  # fmt: skip
_OF_PIP |= {"progress-bar", "quiet", "retries", "root-user-action", "timeout", "verbose"}


def main(project: str) -> int:
    """Install the project; print how long it took."""
    begin = time.monotonic()
    code = 0 if _by_uv(project) else _by_pip(project)
    if not code:
        print(f"   done in {time.monotonic() - begin:.0f} s", flush=True)
    return code


def pip_settings(listed: str) -> dict[str, str]:
    """Return the settings that ``pip config list`` prints; those of the environment win."""
    found: dict[tuple[bool, str], str] = {}
    for line in listed.splitlines():
        name, equals, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if equals and section in {":env:", "install", "global"}:
            found[section == ":env:", key] = str(ast.literal_eval(value))
    return {key: value for (_, key), value in sorted(found.items())}


def uv_options(settings: Mapping[str, str]) -> list[str] | None:
    """Return the options of uv that do what pip is set to do, None if there are none that do."""
    if set(settings) - {*_OF_BOTH, *_OF_PIP}:
        return None
    options = [f"--{key}={value}" for key in _OF_BOTH for value in settings.get(key, "").split()]
    # As pip does: the best release of all indexes, not that of the first index that has any.
    return [*options, "--index-strategy=unsafe-best-match"]


def _by_uv(project: str) -> bool:
    listed = subprocess.run([*_PIP, "config", "list"], capture_output=True, text=True).stdout
    settings = pip_settings(listed)
    options = uv_options(settings)
    if options is None or subprocess.call([*_PIP, "install", "--quiet", _UV]):
        return False
    environment = dict(os.environ)
    if "cert" in settings:
        environment.setdefault("SSL_CERT_FILE", settings["cert"])
    command = [str(Path(sys.executable).parent / "uv"), "pip", "install", f"--python={sys.executable}"]  # fmt: skip
    if not sys.stderr.isatty():
        command.append("--quiet")
    done = subprocess.run([*command, *options, "--editable", project], env=environment)
    return done.returncode == 0


def _by_pip(project: str) -> int:
    """Install by pip, with one line a package; print all that pip says where it fails."""
    lines: list[str] = []
    packages = 0
    with subprocess.Popen(
        [*_PIP, "install", "--editable", project],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as pip:  # fmt: skip
        assert pip.stdout
        for line in pip.stdout:
            lines.append(line)
            if line.startswith(_PREFIX):
                packages += 1
                print(f"   {packages:3} {line.removeprefix(_PREFIX).split()[0]}", flush=True)
            elif line.startswith("Installing collected packages"):
                print(f"   unpacking {packages} packages", flush=True)
    if pip.returncode:
        print(*lines, sep="", file=sys.stderr)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
