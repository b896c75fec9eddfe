"""A server program in a folder of its own, on a free port of 127.0.0.1."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

START_SECONDS = 90


class MissingServerError(Exception):
    """The machine has not got the server program, or it does not start."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class ServerProcess:
    """Starts, stops and restarts one server; keeps its data and its port in between.

    If it ``leads_group``, the processes that it has started are stopped with it.
    """

    leads_group = False

    def __init__(self, command: Sequence[str], folder: Path, port: int) -> None:
        self.command = command
        self.folder = folder
        self.port = port
        self.environment: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        with (self.folder / "output.log").open("ab") as log:
            self._process = subprocess.Popen(
                self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                env=os.environ | self.environment, start_new_session=self.leads_group,
            )  # fmt: skip
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise MissingServerError(f"{self.command[0]} does not start: {self._last_words()}")
            time.sleep(0.05)

    def stop(self, *, at_once: bool = False) -> None:
        """Stop the server, ``at_once`` as a power cut would, and wait for its end."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            send = os.killpg if self.leads_group else os.kill
            send(process.pid, signal.SIGKILL if at_once else signal.SIGTERM)
            process.wait(START_SECONDS)

    def _answers(self) -> bool:
        with socket.socket() as client:
            client.settimeout(1)
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def _last_words(self) -> str:
        return (self.folder / "output.log").read_text(errors="replace")[-600:]


def is_root() -> bool:
    return os.geteuid() == 0
