"""Likes in the log of changes."""

from __future__ import annotations

from starlette.testclient import TestClient

from focuscrawl.web.accounts.change_log import newest_changes
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.conftest import add_users, fill, log_in


def test_likes_are_logged_once_and_the_reading_list_is_not(
    site: WebSite, client: TestClient
) -> None:
    fill(site.store_url, [numbered(1)])
    add_users(site)
    log_in(client, Role.READER)
    page = f"/articles/{numbered(1).url_md5}"
    for action in ("add", "add", "remove", "remove"):
        client.post(f"{page}/like", data={"action": action})
        client.post(f"{page}/keep", data={"action": action})
    found = site.database.run_now(newest_changes, 10, None, numbered(1).url)
    assert [(one.name, one.action) for one in found] == [
        ("reader", "article.unlike"),
        ("reader", "article.like"),
    ]
