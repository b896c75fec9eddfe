"""Schedules of users who may not start crawls any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.crawls.operation import schedule_pages, schedule_store
from focuscrawl.web.crawls.operation.schedule_store import SchedulePlan
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, log_in, run_async

PLAN = SchedulePlan(spider="maize", arguments={}, cron="0 * * * *")
CONSOLE = Author("console", "")


@pytest.fixture
def started(site: WebSite, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The authors of the crawls that the schedules start."""
    found: list[str] = []

    async def start(_: WebSite, author: Author, spider: str, given: Mapping[str, str]) -> int:
        found.append(author.name)
        return 1

    monkeypatch.setattr(schedule_pages, "start_crawl", start)
    add_users(site)
    for name in (Role.OPERATOR, Role.ADMINISTRATOR):
        site.database.run_now(schedule_store.add_schedule, Author(name, ""), PLAN)
    return found


def run_later(site: WebSite, hours: int) -> None:
    run_async(schedule_pages.run_due(site, datetime.now(UTC) + timedelta(hours=hours)))


@pytest.mark.parametrize("how", ["disable", "role"])
def test_they_stop_and_the_page_says_so(
    how: str, started: list[str], site: WebSite, client: TestClient
) -> None:
    run = site.database.run_now
    log_in(client, Role.ADMINISTRATOR)
    says = "operator 已停用或不再是运维"
    assert says not in client.get("/crawls/schedules").text
    run_later(site, 2)
    assert started == ["operator", "administrator"]
    if how == "disable":
        run(account_store.set_disabled, CONSOLE, "operator", True)
    else:
        run(account_store.set_role, CONSOLE, "operator", Role.EDITOR)
    run_later(site, 4)
    assert started == ["operator", "administrator", "administrator"]
    assert client.get("/crawls/schedules").text.count(says) == 1
    # Whoever may start crawls takes it over.
    old = run(schedule_store.schedule_numbered, 1)
    run(schedule_store.change_schedule, Author("administrator", ""), old, replace(PLAN))
    assert says not in client.get("/crawls/schedules").text
