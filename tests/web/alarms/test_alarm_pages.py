"""Pages about alarms, their rules and feeds."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_store import Event, StoredRule
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import PASSWORD, add_users, client_of, fill, log_in
from tests.web.prices.conftest import weeks

ATOM = "{http://www.w3.org/2005/Atom}"
PRICE = {"kind": "price", "commodity": "玉米", "region": "山东", "amount": "50", "unit": "yuan",
         "days": "3", "entity": "", "webhook": "feishu"}  # fmt: skip
HOSTILE = '<script>"x"</script>\x00'


def stored(site: WebSite) -> list[StoredRule]:
    return site.database.run_now(alarm_store.all_rules)


def shown(html: str) -> str:
    """Return the state that a form carries."""
    found = re.search(r'name="shown" value="([^"]*)"', html)
    assert found
    return found[1].replace("&#34;", '"').replace("&quot;", '"')


@pytest.fixture
def operator(site: WebSite, client: TestClient) -> TestClient:
    add_users(site)
    log_in(client, Role.OPERATOR)
    return client


def test_rules_are_made_changed_and_deleted(site: WebSite, operator: TestClient) -> None:
    assert operator.post("/alarms/rules", data=PRICE).status_code == 303
    (rule,) = stored(site)
    assert (rule.region, rule.amount, rule.days, rule.webhook) == ("山东", 50, 3, "feishu")
    assert "山东玉米在 3 天内变动超过 50 元/吨" in operator.get("/alarms").text
    path = f"/alarms/rules/{rule.number}"
    state = shown(operator.get(path).text)
    changed = PRICE | {"days": "9", "by_mail": "true", "shown": state}
    assert operator.post(path, data=changed).status_code == 303
    assert (stored(site)[0].days, stored(site)[0].by_mail) == (9, True)
    # Somebody else was quicker.
    assert operator.post(path, data=changed).status_code == 409
    assert operator.post(f"{path}/delete").status_code == 303
    assert stored(site) == []
    assert operator.get(path).status_code == 404


def test_a_rule_of_an_unknown_name_says_so(site: WebSite) -> None:
    add_users(site)
    fill(site.store_url, weeks(1))
    names = [("寿光", "山东"), ("", ""), ("寿", ""), ("寿光", "大洋洲"), ("", "大洋洲")]
    with client_of(site) as client:
        log_in(client, Role.OPERATOR)
        # Until the prices are read, nothing is known of them.
        assert client.get("/prices").status_code == 200
        for entity, region in names:
            given = PRICE | {"entity": entity, "region": region}
            assert client.post("/alarms/rules", data=given).status_code == 303
        text = client.get("/alarms").text
        found = re.findall(
            r'<td class="n">(\d)</td>.*?class="flag" href="([^"]*)">报价中没有', text
        )
        wanted = [("3", "寿"), ("4", "寿光"), ("5", "大洋洲")]
        assert found == [(number, f"/prices?find={quote(name)}") for number, name in wanted]
        # Rules about crawls have no names of prices.
        client.post("/alarms/rules", data={"kind": "failed"})
        assert client.get("/alarms").text.count("报价中没有") == len(wanted)


@pytest.mark.parametrize(
    "changes",
    [{"commodity": "石油"}, {"days": "0"}, {"amount": "0"}, {"amount": "nan"}, {"unit": "斤"},
     {"made_by": "x"}, {"kind": "nothing"}, {"webhook": "http://127.0.0.1/"}, {"days": "3.5"}],
)  # fmt: skip
def test_bad_values_are_refused(
    changes: dict[str, str], site: WebSite, operator: TestClient
) -> None:
    assert operator.post("/alarms/rules", data=PRICE | changes).status_code == 400
    assert stored(site) == []


def test_only_administrators_name_an_address(site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.OPERATOR)
    own = {"kind": "failed", "webhook": "json", "webhook_url": "http://169.254.169.254/token"}
    assert client.post("/alarms/rules", data=own).status_code == 403
    assert "webhook_url" not in client.get("/alarms/rules/new").text
    log_in(client, Role.ADMINISTRATOR)
    assert client.post("/alarms/rules", data=own | {"webhook_url": "file:///x"}).status_code == 400
    assert client.post("/alarms/rules", data=own).status_code == 303
    assert stored(site)[0].webhook_url == own["webhook_url"]
    log_in(client, Role.OPERATOR)
    html = client.get("/alarms/rules/1").text
    assert "webhook at http://169.254.169.254/***" in html
    assert "token" not in html
    # An operator's change keeps it, and cannot take it away.
    change = {"kind": "failed", "webhook": "wecom", "shown": shown(html)}
    assert client.post("/alarms/rules/1", data=change | {"no_url": "1"}).status_code == 403
    assert client.post("/alarms/rules/1", data=change).status_code == 303
    assert stored(site)[0].webhook_url == own["webhook_url"]
    log_in(client, Role.ADMINISTRATOR)
    log = client.get("/log").text
    assert own["webhook_url"] not in log
    assert "webhook at http://169.254.169.254/***" in log
    change["shown"] = shown(client.get("/alarms/rules/1").text)
    assert client.post("/alarms/rules/1", data=change | {"no_url": "1"}).status_code == 303
    assert stored(site)[0].webhook_url == ""


def test_the_page_says_who_makes_rules(site: WebSite, client: TestClient) -> None:
    add_users(site)
    told = "规则由角色为“运维”或“管理员”的用户设置。"
    for role in Role:
        log_in(client, role)
        text = client.get("/alarms").text
        makes = role in (Role.OPERATOR, Role.ADMINISTRATOR)
        assert (told in text, 'href="/alarms/rules/new"' in text) == (not makes, makes), role


def add_alarm(site: WebSite) -> None:
    values: dict[str, Any] = {"code": 2, "error": HOSTILE}
    event = Event(key="failed 1", kind="failed", subject=HOSTILE, values=values, run="abc")
    site.database.run_now(alarm_store.add_alarms, 1, [event])


def test_a_secret_address_is_one_of_tls(site: WebSite) -> None:
    add_users(site)
    site.is_secure = True
    with client_of(site) as client:
        form = {"name": Role.READER, "password": PASSWORD}
        cookie = client.post("/login", data=form).headers["set-cookie"].partition(";")[0]
        answer = client.post("/alarms/feed", headers={"Cookie": cookie})
        # The proxy may not tell the server that it has spoken TLS.
        assert re.search(r"https://127\.0\.0\.1/alarms/feed/[\w-]{43}\.xml", answer.text)


def test_a_feed_has_a_secret_address(site: WebSite, client: TestClient) -> None:
    add_users(site)
    add_alarm(site)
    log_in(client, Role.READER)
    html = client.post("/alarms/feed").text
    (address,) = re.findall(r"http://127.0.0.1(/alarms/feed/[\w-]{40,}\.xml)", html)
    shown = client.get("/alarms").text
    assert address not in shown
    # Readers make no rules.
    assert "rules/new" not in shown
    client.post("/logout")
    client.cookies.clear()
    answer = client.get(address)
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ET.fromstring(answer.content)
    (entry,) = feed.iter(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == '预警：<script>"x"</script>'
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "http://127.0.0.1/crawls/runs/abc"
    for other in ("/alarms/feed/x.xml", address.replace(".xml", "x.xml")):
        assert client.get(other).status_code == 404
    log_in(client, Role.READER)
    newer = client.post("/alarms/feed").text
    assert client.get(address).status_code == 404
    (address,) = re.findall(r"http://127.0.0.1(/alarms/feed/[\w-]{40,}\.xml)", newer)
    assert client.get(address).status_code == 200
    site.database.run_now(account_store.set_disabled, Author("administrator", ""), "reader", True)
    assert client.get(address).status_code == 404


def test_hostile_texts_are_escaped(site: WebSite, client: TestClient) -> None:
    add_alarm(site)
    html = client.get("/alarms").text
    assert "&lt;script&gt;" in html
    assert "<script>&#34;" not in html
    assert HOSTILE not in html
