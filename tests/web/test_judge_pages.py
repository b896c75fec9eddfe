"""People who judge a sample of a crawl's pages in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import page, page_verdict
from tests.web.conftest import PASSWORD, add_users, client_of, fill, log_in, served
from tests.web.crawls.run_examples import details, fill_runs, run_of

PAGES = [page(n, is_relevant=n % 2 == 0, relevance=0.9731, score=7.25) for n in range(10)]
WHOLE = "/judge?topic=money&share=1"


@pytest.fixture
def judged(store_url: str, site: WebSite) -> Iterator[Callable[[Role], TestClient]]:
    """Open clients of users with a role, over a store with ten pages."""
    fill(store_url, PAGES)
    add_users(site)
    with client_of(site) as first, client_of(site) as second:
        clients = iter((first, second))

        def opened(role: Role) -> TestClient:
            client = next(clients)
            log_in(client, role)
            return client

        yield opened


def form(client: TestClient, address: str = WHOLE) -> dict[str, str]:
    """Return the hidden values of the form that a page shows."""
    found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', client.get(address).text)
    return {name: unescape(value) for name, value in found if name != "next"}


def say(client: TestClient, verdict: str, **values: str) -> Any:
    return client.post("/judge", data=form(client) | {"verdict": verdict} | values)


def test_the_whole_sample_is_judged_and_no_score_is_shown_before(
    judged: Callable[[Role], TestClient],
) -> None:
    editor, other = judged(Role.EDITOR), judged(Role.ADMINISTRATOR)
    assert "money" in editor.get("/judge").text
    seen = []
    for verdict in ["relevant"] * 6 + ["irrelevant"] * 3 + ["unsure"]:
        shown = editor.get(WHOLE).text
        assert not re.search(r"97\.3|0\.97|7\.25|为什么抓取", shown)
        seen.append(form(editor)["key"])
        assert say(editor, verdict).status_code == 303
    assert sorted(seen) == sorted(one.key for one in PAGES)
    done = editor.get(WHOLE).text
    assert "样本已全部评判" in done
    assert "66.7" in done
    # Another person begins anew, in the same order, and sees nothing of that.
    assert form(other)["key"] == seen[0]
    assert "editor" not in other.get(WHOLE).text.replace("editor</a>", "")
    assert say(other, "irrelevant").status_code == 303
    assert "editor" not in other.get(WHOLE).text
    assert "66.7" in editor.get(WHOLE).text


def test_a_verdict_of_another_window_is_not_overwritten(
    judged: Callable[[Role], TestClient],
) -> None:
    editor, other = judged(Role.EDITOR), judged(Role.ADMINISTRATOR)
    old = form(editor)
    assert say(editor, "relevant").status_code == 303
    assert editor.post("/judge", data=old | {"verdict": "irrelevant"}).status_code == 409
    # That of another person is neither seen nor in the way.
    assert other.post("/judge", data=old | {"verdict": "irrelevant"}).status_code == 303
    back = form(editor, f"{WHOLE}&key={old['key']}")
    assert back["shown"] == "relevant"
    assert editor.post("/judge", data=back | {"verdict": "unsure"}).status_code == 303


def test_who_may_judge_and_what(judged: Callable[[Role], TestClient]) -> None:
    analyst, editor = judged(Role.ANALYST), judged(Role.EDITOR)
    assert analyst.get("/judge").status_code == 403
    assert analyst.post("/judge", data={"verdict": "relevant"}).status_code == 403
    given = form(editor)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert editor.post("/judge", data=given | {"verdict": "relevant"}, headers=foreign).status_code == 403  # fmt: skip
    assert editor.get("/judge?topic=nobody").status_code == 404
    assert editor.get("/judge?topic=money&share=2").status_code == 400
    outside = next(one.key for one in PAGES if one.key != form(editor, "/judge?topic=money")["key"])
    for values in ({"verdict": "yes"}, {"key": "x"}, {"topic": ""}, {"key": "0" * 32},
                   {"share": "0.05", "key": outside}):  # fmt: skip
        sent = given | {"verdict": "relevant"} | values
        assert editor.post("/judge", data=sent).status_code in (400, 404), values


HARVEST = {
    "judge": "money (nb)",
    "pages": 200,
    "own": 0.4,
    "truth": None,
    "corrected": {"rate": 0.312, "low": 0.25, "high": 0.374},
    "people": None,
    "no_estimate": "",
    "people_text": "",
}


def test_harvest_says_who_judged_in_history_and_run(store_url: str, client: TestClient) -> None:
    given = [
        HARVEST,
        HARVEST | {"corrected": None, "no_estimate": "money has no model card"},
        HARVEST | {"truth": 0.111},
        {"corrected": {"rate": "x"}, "odd": []},
    ]
    runs = [
        run_of(n, days=n, crawl="tunnel-money", spider="tunnel", details=details(harvest=one))
        for n, one in enumerate(given)
    ]
    fill_runs(store_url, runs)
    expected = ["31.2", "无法估计：money has no model card", "11.1", ""]
    whole = client.get("/crawls").text
    for run, text in zip(runs, expected, strict=True):
        shown = client.get(f"/crawls/runs/{run.key}").text
        assert text in shown
        assert text in whole
    assert "由 money (nb) 判定" in whole
    fill(store_url, [page_verdict(1), page_verdict(2, verdict="irrelevant", is_relevant=False)])
    shown = client.get(f"/crawls/runs/{runs[0].key}").text
    assert "50.0" in shown
    assert "人工评判" in shown
    assert "31.2" not in shown


def test_keys_give_verdicts(store_url: str, site: WebSite, visit: Callable[..., Any]) -> None:
    fill(store_url, PAGES)
    add_users(site)
    with served(site) as address:
        opened = visit(f"{address}/login?next=/judge%3Ftopic%3Dmoney%26share%3D1")
        opened.fill("[name=name]", "editor")
        opened.fill("[name=password]", PASSWORD)
        opened.click("main button")
        for number, key in enumerate("1?0"):
            opened.wait_for_selector(f"text=已评判 {number}/10")
            # The keys are listened to once the page is whole.
            opened.wait_for_load_state("load")
            opened.keyboard.press(key)
        opened.wait_for_selector("text=已评判 3/10")
