"""Rules drafted for lists of JSON."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.json_draft import counted_url, draft_json, json_next
from focuscrawl.sites.json_list import read_json_list
from tests.sites.induction.pages import TITLES

TODAY = date(2026, 11, 1)
URL = "http://host/api?page=1&size=4"
NO_PAGE_URL = "http://host/api?size=4"


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
    ("link", "sentence"),
    [
        ("http://host/{id}.html", r"--link http://host/{id}.html: the entries have no id; they have title, uuid"),
        ("http://host/{uuid}/{a.b}", r"the entries have no a.b; they have"),
    ],
)  # fmt: skip
def test_a_given_link_has_keys_of_the_entries(link: str, sentence: str) -> None:
    with pytest.raises(ProfileError, match=sentence):
        draft_json(objects(uuid="a-#"), URL, TODAY, link)


def blocks(**keys: str) -> list[dict[str, Any]]:
    """Return two blocks with a heading, each with half of the objects."""
    found = objects(**keys)
    half = len(found) // 2
    return [
        {"name": "国内新闻频道", "items": found[:half]},
        {"name": "国际新闻频道", "items": found[half:]},
    ]


def test_arrays_in_the_objects_of_an_array_are_flattened() -> None:
    data = {"data": {"blocks": blocks(url="/a/#.html", date="2024-03-1#")}}
    draft = draft_json(data, URL, TODAY)
    assert draft.rules.rules.entries == "data.blocks[].items[]"
    page = read_json_list(data, URL, "mine", draft.rules.rules, TODAY)
    assert [entry.title for entry in page.entries] == TITLES
    assert draft.doubts == []


def test_a_block_alone_and_blocks_in_blocks_are_looked_into() -> None:
    data = {"blocks": [{"body": {"parts": blocks(url="/a/#.html")}}]}
    rules = draft_json(data, URL, TODAY).rules.rules
    assert rules.entries == "blocks[].body.parts[].items[]"
    assert len(read_json_list(data, URL, "mine", rules, TODAY).entries) == len(TITLES)
    rules = draft_json([{"items": objects(url="/a/#.html")}], URL, TODAY).rules.rules
    assert rules.entries == "[].items[]"


def test_related_articles_in_the_entries_are_not_the_list() -> None:
    data = objects(url="/a/#.html", date="2024-03-1#")
    for entry in data:
        entry["related"] = objects(url="/b/#.html", date="2024-03-1#")
    assert draft_json(data, URL, TODAY).rules.rules.entries == "@"


def test_the_number_of_pages_is_told_if_the_answer_has_it() -> None:
    assert draft_json({"rows": objects(url="/a/#.html"), "total": 9}, URL, TODAY).pages == 3
    assert draft_json({"rows": objects(url="/a/#.html"), "pages": 7}, URL, TODAY).pages == 7


def test_nulls_between_the_objects_are_no_entries() -> None:
    data = {"list": [*objects(url="/a/#.html"), None]}
    rules = draft_json(data, URL, TODAY).rules.rules
    assert rules.entries == "list"
    assert len(read_json_list(data, URL, "mine", rules, TODAY).entries) == len(TITLES)


@pytest.mark.parametrize(
    ("url", "counted"),
    [
        ("http://host/a?pageNo=1&type=2", "http://host/a?pageNo={page}&type=2"),
        ("http://host/a?type=1&p=1", "http://host/a?type=1&p={page}"),
        ("http://host/a?offset=0&limit=20", "http://host/a?offset={offset}&limit=20"),
        ("http://host/list_2.json", "http://host/list_{page}.json"),
        ("http://host/page/2/", "http://host/page/{page}/"),
        # The first number may be that of a channel, or a date.
        ("http://host/a?p=12&pn=1", "http://host/a?p=12&pn={page}"),
        ("http://host/a?start=20260101&page=1", "http://host/a?start=20260101&page={page}"),
        ("http://host/list/12/page/1", "http://host/list/12/page/{page}"),
        ("http://host/a?id=12", ""),
        ("http://host/2024/", ""),
    ],
)
def test_the_number_of_the_page_is_found_in_the_url(url: str, counted: str) -> None:
    assert counted_url(url) == counted


@pytest.mark.parametrize(
    ("data", "url", "rule"),
    [
        ({"next": "http://host/api?after=x"}, NO_PAGE_URL, "next"),
        ({"_links": {"next": {"href": "/api?after=x"}}}, NO_PAGE_URL, "_links.next.href"),
        ({"next": "?page=2", "page": 1}, NO_PAGE_URL, "next"),
        ({"d": {"hasMore": True, "nextCursor": "abc"}}, NO_PAGE_URL, NO_PAGE_URL + "&cursor={d.hasMore && d.nextCursor}"),
        ({"has_more": 1, "cursor": 7}, NO_PAGE_URL, NO_PAGE_URL + "&cursor={has_more != `0` && cursor}"),
        ({"isEnd": False, "lastId": 7}, NO_PAGE_URL, NO_PAGE_URL + "&lastId={!isEnd && lastId}"),
        ({"nextPageToken": "x"}, "http://host/api", "http://host/api?pageToken={nextPageToken}"),
        ({"pageInfo": {"hasNextPage": True, "endCursor": "x"}}, NO_PAGE_URL,
         NO_PAGE_URL + "&after={pageInfo.hasNextPage && pageInfo.endCursor}"),
        ({"next_cursor": "x"}, "http://host/api?cursor=&n=4", "http://host/api?cursor={next_cursor}&n=4"),
        ({"next-page": 2}, NO_PAGE_URL, NO_PAGE_URL + '&page={"next-page"}'),
        ({"page": 1, "total": 90}, NO_PAGE_URL, NO_PAGE_URL + "&page={page}"),
        ({"pageNum": 1, "hasNext": True}, NO_PAGE_URL, NO_PAGE_URL + "&pageNum={page}"),
        ({"offset": 0, "limit": 4, "total": 90}, NO_PAGE_URL, NO_PAGE_URL + "&offset={offset}"),
        ({"total": 90, "next": "x"}, "http://host/api?page=1", "http://host/api?page={page}"),
        ({"next": "/other"}, "http://host/api?page=1", "http://host/api?page={page}"),
        # The page behind the last may be an error.
        ({"next": "/api?page=2"}, "http://host/api?page=1", "next"),
    ],
)  # fmt: skip
def test_the_answer_says_where_the_next_page_is(data: Any, url: str, rule: str) -> None:
    assert json_next(data, url, 4)[0] == rule


@pytest.mark.parametrize(
    ("data", "doubt"),
    [
        ({}, "the URL has no page number, so only this page is read"),
        ({"total": 4}, ""),
        ({"has_more": False, "cursor": "x"}, ""),
        ({"isLast": True}, ""),
        ({"has_more": False, "total": 90}, ""),
        ({"cursor": "0"}, "the URL has no page number, so only this page is read"),
        ({"total": 90}, "only this page is read, although total is 90; look in the network tools"),
        ({"count": 4, "total": 90}, "only this page is read, although total is 90; look in the network"),
        ({"hits": {"total": {"value": 90}}}, "only this page is read, although hits.total.value is 90; look"),
        ({"d": {"totalPages": 3}}, "only this page is read, although d.totalPages is 3; look in"),
        # Counting begins with 1.
        ({"page": 0, "hasNext": True}, "only this page is read, although hasNext is true; look in"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_told(data: Any, doubt: str) -> None:
    rule, found = json_next(data, NO_PAGE_URL, 4)
    assert rule == ""
    assert found.startswith(doubt)
    assert bool(found) == bool(doubt)


def test_a_guess_is_told() -> None:
    _, doubt = json_next({"cursor": "abc"}, NO_PAGE_URL, 4)
    assert (
        doubt == f"list.json.next is a guess, since cursor is abc: {NO_PAGE_URL}&cursor={{cursor}}"
    )


@pytest.mark.parametrize("url", ["http://host/list_12.json", "http://host/a?p=12"])
def test_a_number_that_is_not_that_of_a_first_page_is_doubted(url: str) -> None:
    rule, doubt = json_next({"total": 90}, url, 4)
    assert rule == counted_url(url)
    assert doubt == f"list.json.next counts on from 12, which may be no page number: {rule}"
