"""A Scrapyd of the tests' own, with our project as a user deploys it."""

from __future__ import annotations

import json
import shutil
import sys
import time
from base64 import b64encode
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from tests.documentation.console_sessions import ROOT
from tests.servers.process import MissingServerError, ServerProcess, free_port

USER, PASSWORD = "operator", "geheim-wort"
PROJECT = "focuscrawl"


class ScrapydServer(ServerProcess):
    """A Scrapyd; its jobs are stopped with it, as systemd does."""

    leads_group = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def schedule(
        self, spider: str, arguments: Mapping[str, str], settings: Mapping[str, str]
    ) -> str:
        """Start a job, and return its id."""
        form = [("project", PROJECT), ("spider", spider), *arguments.items()]
        form += [("setting", f"{name}={value}") for name, value in settings.items()]
        answer = json.loads(self.ask("schedule.json", urlencode(form).encode()))
        assert answer["status"] == "ok", answer
        job: str = answer["jobid"]
        return job

    def jobs(self) -> dict[str, dict[str, Any]]:
        """Return the jobs by id, each with its ``state``."""
        found = json.loads(self.ask(f"listjobs.json?project={PROJECT}"))
        return {
            job["id"]: job | {"state": state}
            for state in ("pending", "running", "finished")
            for job in found[state]
        }

    def wait(self, job: str, seconds: float = 120) -> dict[str, Any]:
        """Wait for the end of a job, and return it."""
        deadline = time.monotonic() + seconds
        while (found := self.jobs()[job])["state"] != "finished":
            assert time.monotonic() < deadline, (found, self._last_words())
            time.sleep(0.1)
        return found

    def ask(self, path: str, data: bytes | None = None) -> str:
        """Return the answer to a request with the password."""
        login = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        request = Request(f"{self.url}/{path}", data, {"Authorization": f"Basic {login}"})
        with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:
            text: str = answer.read().decode()
            return text


def make(folder: Path) -> ScrapydServer:
    """Set up a Scrapyd without jobs; its ``environment`` is that of the crawls, too."""
    if not find_spec("scrapyd"):
        raise MissingServerError("there is no Scrapyd here; install scrapyd into the venv")
    shutil.copy(ROOT / "scrapy.cfg", folder)
    port = free_port()
    example = (ROOT / "deploy" / "scrapyd.conf").read_text("utf-8")
    options = {"http_port": port, "poll_interval": 0.1, "max_proc": 2}
    lines = [f"{name} = {value}" for name, value in options.items()]
    kept = [line for line in example.splitlines() if line.partition(" ")[0] not in options]
    (folder / "scrapyd.conf").write_text("\n".join([*kept, *lines, ""]))
    server = ScrapydServer([sys.executable, "-m", "scrapyd", "--pidfile="], folder, port)
    server.environment = {"SCRAPYD_USERNAME": USER, "SCRAPYD_PASSWORD": PASSWORD}
    return server
