"""A cluster of three Valkey servers of the tests' own."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from tests.servers.process import START_SECONDS, MissingServerError, free_port
from tests.servers.redis_server import RedisServer, find_valkey, make

NODES = 3
SLOTS = 16384


class ClusterServers:
    """Starts, stops and restarts three primaries; each has a third of the slots."""

    def __init__(self, nodes: list[RedisServer]) -> None:
        self.nodes = nodes
        self._is_joined = False

    @property
    def url(self) -> str:
        """The URL of the first node, which names the others."""
        return self.nodes[0].url

    @property
    def port(self) -> int:
        return self.nodes[0].port

    def start(self) -> None:
        """Start all nodes, and wait until each of them takes writes to all slots."""
        for node in self.nodes:
            node.start()
        if not self._is_joined:
            self._join()
            self._is_joined = True
        self.wait()

    def stop(self, *, at_once: bool = False) -> None:
        """Stop all nodes, ``at_once`` as a power cut would."""
        for node in self.nodes:
            node.stop(at_once=at_once)

    def clear(self) -> None:
        """Delete all keys."""
        for node in self.nodes:
            node.clear()

    def wait(self) -> None:
        """Wait until each node sees the cluster as whole, as after the restart of one."""
        deadline = time.monotonic() + START_SECONDS
        while not all(self._asked(_is_whole)):
            if time.monotonic() > deadline:
                raise MissingServerError("the nodes of the cluster do not find each other")
            time.sleep(0.05)

    def _join(self) -> None:
        bounds = [SLOTS * n // NODES for n in range(NODES + 1)]
        for number, node in enumerate(self.nodes):
            with Redis(port=node.port) as client:
                # Nodes of one epoch would have to agree first whose slots count.
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                client.execute_command(
                    "CLUSTER ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1
                )
                for other in self.nodes[:number]:
                    client.execute_command("CLUSTER MEET", "127.0.0.1", other.port, _bus(other))

    def _asked(self, question: Callable[[Redis], Any]) -> list[Any]:
        answers = []
        for node in self.nodes:
            with Redis(port=node.port) as client:
                answers.append(question(client))
        return answers


def make_cluster(folder: Path) -> ClusterServers:
    """Set up three empty nodes."""
    return ClusterServers([_make_node(folder / str(number)) for number in range(NODES)])


def add_replica(primary: RedisServer, folder: Path) -> RedisServer:
    """Start one more node, which has all that a primary has, and takes its place when it dies."""
    node = _make_node(folder)
    node.command = [*node.command, "--repl-diskless-sync-delay", "0"]
    node.start()
    with Redis(port=primary.port) as client:
        name = client.execute_command("CLUSTER MYID")
        client.config_set("repl-diskless-sync-delay", 0)
    with Redis(port=node.port) as client:
        client.execute_command("CLUSTER MEET", "127.0.0.1", primary.port, _bus(primary))
        deadline = time.monotonic() + START_SECONDS
        while client.info("replication").get("master_link_status") != "up":
            if time.monotonic() > deadline:
                raise MissingServerError("the replica does not follow its primary")
            # It may not know the primary yet.
            with suppress(ResponseError):
                client.execute_command("CLUSTER REPLICATE", name)
            time.sleep(0.1)
    return node


def _make_node(folder: Path) -> RedisServer:
    folder.mkdir()
    options = ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]
    # Less than the servers' own 15 seconds until a node that is away stops the cluster.
    return make(folder, find_valkey(), [*options, "--cluster-node-timeout", "2000"])


def _bus(node: RedisServer) -> str:
    return str(node.command[node.command.index("--cluster-port") + 1])


def _is_whole(client: Redis) -> bool:
    state = client.execute_command("CLUSTER INFO")
    return state["cluster_state"] == "ok" and state["cluster_known_nodes"] == str(NODES)
