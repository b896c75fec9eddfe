"""``compose.yaml`` and the configuration of its servers: read, and tried with our own servers."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from redis import Redis
from scrapy.settings import Settings

from focuscrawl.addon import DEFAULTS
from focuscrawl.known_settings import read_environment
from focuscrawl.stores.store_urls import database_url
from tests.conftest import running
from tests.documentation.console_sessions import ROOT
from tests.servers.process import ServerProcess, free_port
from tests.servers.redis_server import RedisServer, find_valkey

PASSWORDS = {"VALKEY_PASSWORD", "MARIADB_PASSWORD", "MONGODB_PASSWORD", "SCRAPYD_PASSWORD"}
_VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}")


def services(**variables: str) -> dict[str, dict[str, Any]]:
    """Return the services, with variables inserted as Docker Compose does."""
    text = (ROOT / "compose.yaml").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    given = dict.fromkeys(PASSWORDS, "geheim") | variables

    def insert(match: re.Match[str]) -> str:
        name, kind, rest = match.groups()
        if not name:
            return "$"
        assert name in given or kind == "-", f"{name} is not set: {rest}"
        return given.get(name) or rest

    content = yaml.safe_load(_VARIABLE.sub(insert, "\n".join(lines)))
    found: dict[str, dict[str, Any]] = content["services"]
    return found


def options_of(words: list[str]) -> dict[str, str]:
    """Return the options of a command by name."""
    return {
        name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2], strict=True)
    }


def settings_of(*options: str, password: str = "geheim") -> dict[str, str]:
    """Start a Valkey with options, and return its settings."""

    def make(folder: Path) -> ServerProcess:
        port = free_port()
        server = RedisServer(
            [find_valkey(), *options, "--port", str(port), "--dir", str(folder)], folder, port
        )
        server.password = password
        return server

    with running(make) as server, Redis(port=server.port, password=password) as client:
        found: dict[str, str] = client.config_get("*")
        return found


def test_only_this_machine_reaches_the_services() -> None:
    for name, service in services().items():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), name


def test_images_of_others_have_a_version() -> None:
    for name, service in services().items():
        assert "build" in service or re.search(r":\d+\.\d+$", service["image"]), name


@pytest.mark.parametrize("missing", sorted(PASSWORDS))
def test_each_password_is_asked_for(missing: str) -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    assert f"${{{missing}:?set {missing} to" in text
    uses = re.findall(rf"^(?!#).*\$\{{{missing}\b(.)", text, re.MULTILINE)
    assert set(uses) <= {":", "}"}


@pytest.mark.parametrize("name", ["scrapyd", "worker"])
def test_crawls_use_the_servers_that_are_started(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler = services()[name]
    for variable, text in crawler["environment"].items():
        monkeypatch.setenv(variable, text)
    settings = Settings()
    read_environment(settings, DEFAULTS)
    frontier = urlsplit(settings["FOCUSCRAWL_FRONTIER"])
    assert (frontier.scheme, frontier.hostname, frontier.port) == ("redis", "valkey", 6379)
    assert crawler["environment"]["FOCUSCRAWL_FRONTIER_PASSWORD"] == "geheim"
    stores = settings["FOCUSCRAWL_STORES"]
    assert "${MARIADB_PASSWORD}" in stores
    assert urlsplit(database_url(stores)).hostname == "mariadb"
    assert set(crawler["depends_on"]) == {"valkey", "mariadb"}
    assert all("healthcheck" in services()[server] for server in crawler["depends_on"])


def test_there_are_as_many_workers_as_wanted() -> None:
    worker = services(WORKERS="4", CRAWL="crawl tunnel -a topic=money")["worker"]
    assert worker["deploy"]["replicas"] == 4
    assert shlex.split(worker["command"]) == ["crawl", "tunnel", "-a", "topic=money"]
    assert services()["worker"]["deploy"]["replicas"] == 2


def test_scrapyd_has_its_files() -> None:
    mounted = [text.split(":") for text in services()["scrapyd"]["volumes"]]
    files = {target: source for source, target, *_ in mounted if source.startswith("./")}
    assert set(files) == {"/data/scrapy.cfg", "/data/scrapyd.conf"}
    assert all((ROOT / source).is_file() for source in files.values())


def test_valkey_understands_its_command() -> None:
    program, *options = services()["valkey"]["command"]
    assert program == "valkey-server"
    settings = settings_of(*options)
    assert settings | options_of(options) == settings
    assert settings["maxmemory-policy"] == "noeviction"


def test_valkey_understands_the_lines_for_its_configuration(tmp_path: Path) -> None:
    text = (ROOT / "deploy" / "valkey.conf").read_text("utf-8")
    (tmp_path / "password.conf").write_text("requirepass geheim\n")
    path = tmp_path / "valkey.conf"
    path.write_text(text.replace("/etc/valkey", os.fspath(tmp_path)))
    settings = settings_of(os.fspath(path))
    assert settings["requirepass"] == "geheim"
    assert (settings["appendonly"], settings["appendfsync"]) == ("yes", "everysec")
    assert settings["maxmemory-policy"] == "noeviction"
