"""Fixtures for all tests: real database servers, started when a test first needs one."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar
from urllib.parse import quote

import pymysql
import pytest
from hypothesis import HealthCheck, settings
from pymongo import MongoClient
from redis import Redis, RedisCluster

from tests.kinds import LAST_FOLDERS, SLOW_FOLDERS, TESTS, Kind, kind_of
from tests.servers import mariadb, mongodb, redis_cluster, redis_server
from tests.servers.process import MissingServerError, ServerProcess
from tests.servers.redis_cluster import ClusterServers
from tests.servers.redis_server import RedisServer

MARKERS = (
    "quick: needs little time, no server, process or browser; set by tests/kinds.py",
    "slow: takes seconds, so it is not quick",
    "server: needs a database server, so it comes later",
    "exhaustive: a sweep of which `make test` has a part; `make test-all` runs it",
)

# How long an example takes says more of the machine than of the code.
settings.register_profile(
    "untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("untimed"), max_examples=10)
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    # A shell ignores Ctrl-C in what it starts in the background, and that would be inherited.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr == "quick":
        settings.load_profile("quick")
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    # Nothing of what collection makes becomes garbage, and to look for it takes a third of the time.
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders without quick tests where only those are asked for."""
    is_without = collection_path.name in LAST_FOLDERS | SLOW_FOLDERS
    is_below = collection_path.parent == TESTS
    return True if config.option.markexpr == "quick" and is_without and is_below else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with its kind, and put quick tests first, the browser last."""
    kinds = {item: kind_of(item) for item in items}
    for item, kind in kinds.items():
        if kind is Kind.QUICK and item.get_closest_marker("exhaustive") is None:
            item.add_marker("quick")
    items.sort(key=lambda item: kinds[item])


def missing(reason: str) -> NoReturn:
    """Skip a test for what the machine has not got; in CI that is a failure."""
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


class Server(Protocol):
    """A server that runs in a folder of its own."""

    def start(self) -> None: ...

    def stop(self, *, at_once: bool = False) -> None: ...


AnyServer = TypeVar("AnyServer", bound=Server)


@contextmanager
def running(make: Callable[[Path], AnyServer]) -> Iterator[AnyServer]:
    """Run a server in a folder of its own; skip the test, or fail in CI, if it does not start."""
    # Not below tmp_path: the path of a Unix socket may have 107 characters only.
    folder = Path(tempfile.mkdtemp(prefix="fc-"))
    server = None
    try:
        try:
            server = make(folder)
            server.start()
        except MissingServerError as error:
            missing(str(error))
        yield server
    finally:
        if server:
            server.stop(at_once=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def mysql_server() -> Iterator[ServerProcess]:
    """A MariaDB that tests may stop() and start() again."""
    with running(mariadb.make) as server:
        yield server


@pytest.fixture
def mysql_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a fresh MySQL database, which the store has to create."""
    base = os.environ.get("FOCUSCRAWL_TEST_MYSQL")
    if not base:
        port = request.getfixturevalue("mysql_server").port
        base = f"mysql+pymysql://tester:{quote(mariadb.PASSWORD, safe='')}@127.0.0.1:{port}"
    name = f"test_{uuid.uuid4().hex[:12]}"
    url = f"{base.rstrip('/')}/{name}"
    yield url
    with mysql_connection(url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")


def mysql_connection(url: str, *, database: str | None = "") -> pymysql.Connection:
    """Connect to a store's database beside the store; ``database=None`` to the server only."""
    from sqlalchemy.engine import make_url

    parts = make_url(url)
    return pymysql.connect(
        host=parts.host or "127.0.0.1",
        port=parts.port or 3306,
        user=parts.username,
        password=parts.password or "",
        database=parts.database if database == "" else database,
        charset="utf8mb4",
        autocommit=True,
    )


@pytest.fixture(scope="session")
def mongo_server() -> Iterator[ServerProcess]:
    """A single mongod that tests may stop() and start() again."""
    with running(mongodb.make) as server:
        yield server


@pytest.fixture(scope="session")
def mongo_replica_server() -> Iterator[ServerProcess]:
    """A mongod that is a replica set of one, and so has transactions."""
    with running(lambda folder: mongodb.make(folder, "rs0")) as server:
        yield server


@pytest.fixture
def mongo_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a fresh MongoDB database on a single server."""
    base = os.environ.get("FOCUSCRAWL_TEST_MONGODB")
    if not base:
        base = f"mongodb://127.0.0.1:{request.getfixturevalue('mongo_server').port}"
    yield from _fresh_mongo(base)


@pytest.fixture
def mongo_replica_url(mongo_replica_server: ServerProcess) -> Iterator[str]:
    """The URL of a fresh MongoDB database on a replica set."""
    yield from _fresh_mongo(f"mongodb://127.0.0.1:{mongo_replica_server.port}")


@pytest.fixture(scope="session")
def mongo_auth_url() -> Iterator[str]:
    """The URL, without a database, of a mongod with passwords: ``reader:geheim`` may only read ``other``."""
    with running(lambda folder: mongodb.make(folder, has_passwords=True)) as server:
        url = f"mongodb://127.0.0.1:{server.port}"
        with MongoClient(url) as client:
            # The first user may be made without a password, the others by that one.
            client.admin.command("createUser", "root", pwd="root", roles=["root"])
        with MongoClient(url, username="root", password="root") as client:
            roles = [{"role": "read", "db": "other"}]
            client.admin.command("createUser", "reader", pwd="geheim", roles=roles)
        yield url


def _fresh_mongo(base: str) -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex[:12]}"
    yield f"{base.rstrip('/')}/{name}"
    with MongoClient(base) as client:
        client.drop_database(name)


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[RedisServer]:
    """A Valkey that tests may stop() and start() again."""
    with running(redis_server.make_valkey) as server:
        yield server


@pytest.fixture(scope="session")
def valkey_auth_server() -> Iterator[RedisServer]:
    """A Valkey with the password ``redis_server.PASSWORD``; its ``url`` has it."""
    with running(redis_server.make_valkey_with_password) as server:
        yield server


@pytest.fixture(scope="session")
def redis7_server() -> Iterator[RedisServer]:
    """The machine's Redis; tests may stop() and start() it again."""
    with running(redis_server.make_redis) as server:
        yield server


@pytest.fixture(scope="session")
def redis7_tls_server() -> Iterator[RedisServer]:
    """The machine's Redis, reached by TLS only; its ``url`` (``rediss:``) names the certificate."""
    with running(redis_server.make_redis_with_tls) as server:
        yield server


@pytest.fixture(scope="session")
def cluster_server() -> Iterator[ClusterServers]:
    """Three Valkey servers that are a cluster; tests may stop() and start() it or one of its ``nodes``."""
    with running(redis_cluster.make_cluster) as cluster:
        yield cluster


@pytest.fixture
def valkey_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a Valkey without keys."""
    yield from _empty(request, "valkey_server", "FOCUSCRAWL_TEST_VALKEY")


@pytest.fixture
def redis7_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a Redis without keys."""
    yield from _empty(request, "redis7_server", "FOCUSCRAWL_TEST_REDIS")


@pytest.fixture
def cluster_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a node of a cluster without keys."""
    yield from _empty(request, "cluster_server", "FOCUSCRAWL_TEST_CLUSTER", RedisCluster)


@pytest.fixture(params=["valkey_url", "redis7_url", "cluster_url"])
def redis_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty Valkey, an empty Redis and an empty cluster, one after the other."""
    url: str = request.getfixturevalue(request.param)
    return url


def _empty(
    request: pytest.FixtureRequest, server: str, variable: str, client: type = Redis
) -> Iterator[str]:
    external = os.environ.get(variable)
    if not external:
        own: RedisServer | ClusterServers = request.getfixturevalue(server)
        own.clear()
        yield own.url
        return
    with client.from_url(external) as connection:
        # Keys of others are not deleted; nor may two processes of pytest-xdist share one server.
        if "PYTEST_XDIST_WORKER" in os.environ or connection.dbsize():
            pytest.fail(f"{variable} needs an empty server and pytest without -n", pytrace=False)
        yield external
        connection.flushdb()
