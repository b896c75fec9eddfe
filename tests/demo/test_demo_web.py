"""Hosts, faults and the log of the demo web."""

import io
from datetime import date

import pytest

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.errors import ArgumentError

TODAY = date(2026, 3, 5)
LIST = "http://bulletins.demo.test/list/"


class OnePage:
    """A site that another spider might bring."""

    def respond(self, path: str, query: str, headers: object) -> Response:
        return Response(200, {}, f"{path}?{query}".encode())

    def turn_to(self, today: date) -> None:
        self.today = today

    def truth(self) -> dict[str, object]:
        return {}


@pytest.mark.parametrize(
    "url",
    ["http://other.test/list/", "http:///list/", "http://[/", "nonsense", "", "http://demo.test/"],
)
def test_unknown_hosts_are_404(url: str) -> None:
    response = DemoWeb(1, 10, TODAY).respond(url, {})
    assert response.status == 404
    assert b"http://bulletins.demo.test/" in response.body


def test_case_and_port_of_a_host_do_not_matter() -> None:
    assert DemoWeb(1, 10, TODAY).respond("http://Bulletins.demo.test:8080/list/", {}).status == 200


def test_a_host_can_be_added_and_lives_through_the_same_days() -> None:
    web = DemoWeb(1, 10, TODAY)
    web.sites["search.demo.test"] = site = OnePage()
    assert web.respond("http://search.demo.test/find?q=%D3%F1", {}).body == b"/find?q=%D3%F1"
    web.advance(2)
    assert site.today == web.today == date(2026, 3, 7)


def test_every_nth_request_fails_with_retry_after() -> None:
    web = DemoWeb(1, 10, TODAY, fail_every=3)
    responses = [web.respond(LIST, {}) for _ in range(6)]
    assert [response.status for response in responses] == [200, 200, 503] * 2
    assert responses[2].headers["Retry-After"] == "1"


def test_broken_pages_are_500_and_no_others() -> None:
    web = DemoWeb(1, 10, TODAY, broken_pages={"/list/index_2.html"})
    assert web.respond("http://bulletins.demo.test/list/index_2.html", {}).status == 500
    assert web.respond(LIST, {}).status == 200


def test_every_request_is_logged() -> None:
    file = io.StringIO()
    web = DemoWeb(1, 10, TODAY, log_file=file)
    web.respond(LIST, {})
    web.respond(f"{LIST}none", {})
    assert list(web.log) == [(200, LIST), (404, f"{LIST}none")]
    assert file.getvalue() == f"200 {LIST}\n404 {LIST}none\n"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"days": 0}, "days=0"),
        ({"days": 100_000}, "days=100000"),
        ({"today": date(1900, 1, 1)}, "1900-01-01"),
        ({"latency_ms": -1}, "latency"),
        ({"latency_ms": float("nan")}, "latency"),
        ({"fail_every": -1}, "fail"),
    ],
)
def test_impossible_options_get_a_sentence(options: dict[str, object], word: str) -> None:
    with pytest.raises(ArgumentError, match=word) as caught:
        DemoWeb(**{"today": TODAY, **options})
    assert "\n" not in str(caught.value)
