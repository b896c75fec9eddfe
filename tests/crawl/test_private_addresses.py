"""Pages that lead to hosts of a private network, fetched without a proxy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from focuscrawl.demo import DemoServer, DemoWeb, Response
from focuscrawl.frontier import Outcome, State
from tests.frontier.test_scheduler import SCRAPY, Stepper, page

REFUSED = Outcome(State.DROPPED, "private address")
RESOLVER = '''
from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer


class Resolver(CachingThreadedResolver):
    """Resolves names of tests to this machine, rebound.test only the second time."""

    requested = 0

    def getHostByName(self, name, timeout=()):
        if name == "rebound.test":
            Resolver.requested += 1
            if Resolver.requested == 1:
                return defer.succeed("127.0.0.1")
            return defer.succeed("169.254.169.254")
        if name.endswith(".test"):
            return defer.succeed("127.0.0.1")
        return super().getHostByName(name, timeout)
'''


@dataclass
class Local:
    """A server on 127.0.0.1 that answers under every host, and a crawler without a proxy."""

    steps: Stepper
    port: int

    def says(self, path: str, *answers: Response, host: str = "127.0.0.1") -> None:
        self.steps.says(f"http://{host}{path}", *answers)

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def hosts(self) -> set[str]:
        """Return the hosts that were requested, robots.txt included."""
        return {urlsplit(one.url).netloc.rpartition(":")[0] for one in self.steps.web.log}

    def run(self, *arguments: str, seeds: str) -> str:
        return self.steps.run(*arguments, seeds=seeds)


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Local]:
    for name in os.environ:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    web = DemoWeb(seed=1, days=1, today=date(2026, 3, 5))
    (tmp_path / "resolver_of_tests.py").write_text(RESOLVER)
    with DemoServer(web) as server:
        yield Local(Stepper(tmp_path, web, {}), server.port)


HOSTS = """
localhost localhost. 127.0.0.2 127.1 2130706433 0x7f.1 0177.0.0.1 [::1] [::ffff:127.0.0.1] 0.0.0.0
１２７.０.０.２ metadata.google.internal 10.0.0.1 192.168.0.1 169.254.169.254 100.64.0.1
""".split()


@pytest.mark.parametrize("scheduler", [(), SCRAPY], ids=["frontier", "scrapy"])
def test_links_and_redirects_do_not_leave_for_other_private_hosts(
    local: Local, scheduler: tuple[str, ...]
) -> None:
    linked = [local.url(host, "/linked") for host in HOSTS]
    redirects = [f"/to{number}" for number in range(len(HOSTS))]
    others = ["file:///etc/passwd", "ftp://127.0.0.1/x", f"http://a@127.0.0.2:{local.port}/"]
    local.says("/", page(*linked, *redirects, *others, "/honest"))
    local.says("/honest", page())
    for path, host in zip(redirects, HOSTS, strict=True):
        local.says(path, Response(302, {"Location": local.url(quote(host, "[:]"), "/redirected")}))
    assert local.run(*scheduler, seeds=local.url("127.0.0.1")) == ""
    assert local.hosts() == {"127.0.0.1"}
    items = local.steps.items()
    assert items.keys() >= {local.url("127.0.0.1", "/honest"), local.url("127.0.0.1")}
    facts = [facts for url, (facts, _) in items.items() if url.endswith(("/linked", "/redirected"))]
    assert facts
    assert set(facts) == {"RefusedAddressError"}
    assert items["file:///etc/passwd"][0] == "RefusedAddressError"
    if not scheduler:
        assert local.steps.state(linked[2]) == REFUSED
        assert local.steps.state("ftp://127.0.0.1/x") == Outcome(State.DROPPED, "not http")
        assert local.steps.state(local.url("127.0.0.2", "/redirected")) == REFUSED
        assert local.steps.waiting() == 0


OWN_NAMES = ("-s", "TWISTED_DNS_RESOLVER=resolver_of_tests.Resolver")


def test_a_name_is_judged_by_what_it_resolves_to(local: Local) -> None:
    local.says("/", page(local.url("public.test"), "/honest"))
    local.says("/honest", page())
    local.says("/", page(), host="public.test")
    assert local.run(*OWN_NAMES, seeds=local.url("127.0.0.1")) == ""
    assert local.hosts() == {"127.0.0.1"}
    assert local.steps.state(local.url("public.test")) == REFUSED
    assert local.steps.state(local.url("127.0.0.1", "/honest")) == Outcome(State.DONE)


def test_a_name_that_the_user_gives_may_resolve_to_a_private_address(local: Local) -> None:
    local.says("/", page(local.url("public.test", "/x")), host="public.test")
    local.says("/x", page(local.url("other.test")), host="public.test")
    local.says("/", page(), host="other.test")
    assert local.run(*OWN_NAMES, seeds=local.url("public.test")) == ""
    assert local.hosts() == {"public.test"}
    # The next run finds the seed done, and what is left known as refused.
    assert local.steps.state(local.url("other.test")) == REFUSED


def test_without_trust_the_user_names_public_hosts_only(local: Local) -> None:
    untrusted = ("-s", "FOCUSCRAWL_TRUST_URLS=False")
    for host in ("127.0.0.1", "public.test"):
        local.says("/", page(), host=host)
        local.run(*OWN_NAMES, *untrusted, seeds=local.url(host))
    assert local.hosts() == set()
    allowed = ("-s", "FOCUSCRAWL_ALLOW_PRIVATE=127.0.0.0/8")
    local.run(*OWN_NAMES, *untrusted, *allowed, seeds=local.url("127.0.0.1", "/?2"))
    assert local.hosts() == {"127.0.0.1"}


def test_a_name_that_resolves_to_another_address_later_gains_nothing(local: Local) -> None:
    local.says("/", page(local.url("rebound.test", "/a")))
    setting = ("-s", "FOCUSCRAWL_ALLOW_PRIVATE=127.0.0.1", "-s", "ROBOTSTXT_OBEY=False")
    torn = Response(200, {"Content-Type": "application/json"}, b'{"links": []}', fault="cut")
    local.says("/a", torn, host="rebound.test")
    local.run(*OWN_NAMES, *setting, seeds=local.url("127.0.0.1"))
    requested = [one.url for one in local.steps.web.log if "rebound" in one.url]
    assert requested == [local.url("rebound.test", "/a")]
    assert local.steps.state(local.url("rebound.test", "/a")) == REFUSED


def test_the_setting_opens_private_addresses(local: Local) -> None:
    local.says("/", page(local.url("localhost"), local.url("2130706433")))
    local.says("/", page(), host="localhost")
    setting = ("-s", "FOCUSCRAWL_ALLOW_PRIVATE=127.0.0.0/8,localhost")
    assert local.run(*setting, seeds=local.url("127.0.0.1")) == ""
    assert local.hosts() == {"127.0.0.1", "localhost", "2130706433"}


def test_robots_txt_of_a_named_host_does_not_lead_to_another_private_one(local: Local) -> None:
    local.says("/robots.txt", Response(302, {"Location": local.url("localhost", "/robots.txt")}))
    local.says("/", page())
    assert local.run(seeds=local.url("127.0.0.1")) == ""
    assert local.hosts() == {"127.0.0.1"}
    assert local.steps.state(local.url("127.0.0.1")) == Outcome(State.DONE)
