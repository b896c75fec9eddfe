"""The rule for the next page of a list of JSON."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.sites.induction.paging.json_next import counted_url, json_next

URL = "http://host/api?size=4"


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
        ("http://host/a?from=3&page=1", "http://host/a?from=3&page={page}"),
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
        ({"next": "http://host/api?after=x"}, URL, "next"),
        ({"_links": {"next": {"href": "/api?after=x"}}}, URL, "_links.next.href"),
        ({"next": "?page=2", "page": 1}, URL, "next"),
        ({"d": {"hasMore": True, "nextCursor": "abc"}}, URL, URL + "&cursor={d.hasMore && d.nextCursor}"),
        ({"has_more": 1, "cursor": 7}, URL, URL + "&cursor={has_more != `0` && cursor}"),
        ({"isEnd": False, "lastId": 7}, URL, URL + "&lastId={!isEnd && lastId}"),
        ({"nextPageToken": "x"}, "http://host/api", "http://host/api?pageToken={nextPageToken}"),
        ({"next_page_token": "x"}, URL, URL + "&page_token={next_page_token}"),
        ({"pageInfo": {"hasNextPage": True, "endCursor": "x"}}, URL,
         URL + "&after={pageInfo.hasNextPage && pageInfo.endCursor}"),
        ({"next_cursor": "x"}, "http://host/api?cursor=&n=4", "http://host/api?cursor={next_cursor}&n=4"),
        ({"next": 2}, URL, URL + "&page={next}"),
        ({"next-page": 2}, URL, URL + '&page={"next-page"}'),
        ({"page": 1, "total": 90}, URL, URL + "&page={page}"),
        ({"pageNum": 1, "hasNext": True}, URL, URL + "&pageNum={page}"),
        ({"offset": 0, "limit": 4, "total": 90}, URL, URL + "&offset={offset}"),
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
        ({"total": "90"}, "only this page is read, although total is 90; look in the network tools"),
        ({"d": {"totalPages": 3}}, "only this page is read, although d.totalPages is 3; look in"),
        # Counting begins with 1.
        ({"page": 0, "hasNext": True}, "only this page is read, although hasNext is true; look in"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_told(data: Any, doubt: str) -> None:
    rule, found = json_next(data, URL, 4)
    assert rule == ""
    assert found.startswith(doubt)
    assert bool(found) == bool(doubt)


def test_a_guess_is_told() -> None:
    _, doubt = json_next({"cursor": "abc"}, URL, 4)
    assert doubt == f"list.json.next is a guess, since cursor is abc: {URL}&cursor={{cursor}}"


@pytest.mark.parametrize("url", ["http://host/list_12.json", "http://host/a?p=12"])
def test_a_number_that_is_not_that_of_a_first_page_is_doubted(url: str) -> None:
    rule, doubt = json_next({"total": 90}, url, 4)
    assert rule == counted_url(url)
    assert doubt == f"list.json.next counts on from 12, which may be no page number: {rule}"
