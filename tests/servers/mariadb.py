"""A MariaDB (or MySQL) of the tests' own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.servers.process import MissingServerError, ServerProcess, free_port, is_root

PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
PASSWORD = "p@ss,w%rd:/"


def find(*names: str) -> str | None:
    """Return the path of the first of the programs that is on the machine."""
    found = (shutil.which(name, path=PLACES) for name in names)
    return next((path for path in found if path), None)


def make(folder: Path) -> ServerProcess:
    """Set up an empty server; its user ``tester`` has all rights and the password PASSWORD."""
    server, installer = find("mariadbd", "mysqld"), find("mariadb-install-db", "mysql_install_db")
    if not server or not installer:
        raise MissingServerError("there is no mariadbd here; install mariadb-server")
    data = folder / "data"
    # A server that starts deletes the temporary tables in its tmpdir, those of others as well.
    temporary = folder / "temporary"
    temporary.mkdir()
    user = [f"--user={'root' if is_root() else _user_name()}"]
    _run(
        [
            installer,
            "--no-defaults",
            f"--datadir={data}",
            f"--tmpdir={temporary}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            *user,
        ]
    )
    first = folder / "first.sql"
    first.write_text(
        f"CREATE USER IF NOT EXISTS 'tester'@'%' IDENTIFIED BY '{PASSWORD}';\n"
        "GRANT ALL ON *.* TO 'tester'@'%' WITH GRANT OPTION;\n"
    )
    port = free_port()
    return ServerProcess([server, *_options(folder, port, first), *user], folder, port)


def _options(folder: Path, port: int, first: Path) -> list[str]:
    return [
        "--no-defaults",
        f"--datadir={folder / 'data'}",
        f"--tmpdir={folder / 'temporary'}",
        f"--port={port}",
        "--bind-address=127.0.0.1",
        f"--socket={folder / 's'}",
        f"--pid-file={folder / 'pid'}",
        f"--init-file={first}",
        "--skip-name-resolve",
        "--skip-log-bin",
        # Not 0: what is committed must survive the kill of the server, not a power cut.
        "--innodb-flush-log-at-trx-commit=2",
        "--innodb-doublewrite=0",
        "--innodb-buffer-pool-size=64M",
        "--performance-schema=0",
        "--max-allowed-packet=16M",
    ]


def _user_name() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    if done.returncode:
        raise MissingServerError(f"{command[0]} fails: {done.stdout[-300:]}{done.stderr[-300:]}")
