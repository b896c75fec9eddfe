"""``tools/provide`` on a machine that has none of the programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROVIDE = Path(__file__).parents[2] / "tools" / "provide"
APT_GET = '#!/bin/sh\necho "$@" >> "$LOG"\n'


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("chromium", "chromium"),
        ("redis", "redis-tools"),
        ("libreoffice", "libreoffice-calc-nogui"),
        ("compiler", "gcc"),
        ("npm", "npm"),
    ],
)
def test_a_missing_program_is_installed(tmp_path: Path, name: str, package: str) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for needed in ("bash", "env", "grep"):
        (programs / needed).symlink_to(shutil.which(needed) or needed)
    for stub, text in (("apt-get", APT_GET), ("id", "#!/bin/sh\necho 0\n")):
        (programs / stub).write_text(text)
        (programs / stub).chmod(0o755)
    log = tmp_path / "log"
    environment = os.environ | {"PATH": str(programs), "LOG": str(log)}
    subprocess.run([PROVIDE, name], env=environment, cwd=tmp_path, check=True, timeout=60)
    assert f"--no-install-recommends {package}" in log.read_text()
