"""Rules drafted for lists of JSON."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.json_draft import counted_url, draft_json
from tests.sites.induction.pages import TITLES

TODAY = date(2026, 11, 1)
URL = "http://host/api?page=1&size=4"


def objects(**keys: str) -> list[dict[str, Any]]:
    """Return an object for each title; # stands for its number."""
    return [
        {"title": title} | {key: value.replace("#", str(n)) for key, value in keys.items()}
        for n, title in enumerate(TITLES)
    ]


def test_the_fields_are_found_by_their_values_and_names() -> None:
    data = {
        "code": 0,
        "data": {
            "menu": [{"name": "首页栏目", "sort": 1}, {"name": "关于我们", "sort": 2}],
            "list": objects(
                cover="/img/#.jpg", url="/a/#.html", editor="张三", created="171090000#"
            ),
        },
    }
    draft = draft_json(data, URL, TODAY)
    rules = draft.rules.rules
    assert (rules.entries, rules.link, rules.title, rules.date) == (
        "data.list", "url", "title", "created",
    )  # fmt: skip
    assert rules.next == "http://host/api?page={page}&size=4"
    assert draft.doubts == ["other arrays of objects with titles: data.menu"]
    assert draft.pages is None


def test_nested_values_and_odd_keys_are_found() -> None:
    data = [
        {"attributes": {"title": {"rendered": title}}, "my-link": f"http://host/{n}", "date": "2024-03-01"}
        for n, title in enumerate(TITLES)
    ]  # fmt: skip
    draft = draft_json(data, "http://host/posts", TODAY)
    rules = draft.rules.rules
    assert (rules.entries, rules.link, rules.title) == (
        "@", '"my-link"', "attributes.title.rendered",
    )  # fmt: skip
    assert draft.doubts == ["the URL has no page number, so only this page is read"]
    assert draft.pages == 1


def test_the_url_of_the_next_page_may_stand_in_the_data() -> None:
    data = {"results": objects(url="/a/#.html"), "paging": {"next": "http://host/api?after=x"}}
    draft = draft_json(data, "http://host/api", TODAY)
    assert draft.rules.rules.next == "paging.next"
    assert draft.doubts == ["the entries show no date"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"code": 1}, "JSON without a list of at least 2 objects with a title"),
        ([{"x": 1}, {"x": 2}], "JSON without a list of at least 2 objects with a title"),
        (objects(uuid="a-#"), r"no link, but uuid \(such as a-0\); look at the address of an article"),
        (objects(colour="red"), "have no link; write the profile by hand"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(data: Any, sentence: str) -> None:
    with pytest.raises(ProfileError, match=sentence):
        draft_json(data, URL, TODAY)


def test_a_given_link_is_used() -> None:
    draft = draft_json(objects(uuid="a-#"), URL, TODAY, "http://host/{uuid}.html")
    assert draft.rules.rules.link == "http://host/{uuid}.html"


@pytest.mark.parametrize(
    ("url", "counted"),
    [
        ("http://host/a?pageNo=1&type=2", "http://host/a?pageNo={page}&type=2"),
        ("http://host/a?type=1&p=1", "http://host/a?type=1&p={page}"),
        ("http://host/a?offset=0&limit=20", "http://host/a?offset={offset}&limit=20"),
        ("http://host/list_2.json", "http://host/list_{page}.json"),
        ("http://host/page/2/", "http://host/page/{page}/"),
        ("http://host/a?id=12", ""),
        ("http://host/2024/", ""),
    ],
)
def test_the_number_of_the_page_is_found_in_the_url(url: str, counted: str) -> None:
    assert counted_url(url) == counted
