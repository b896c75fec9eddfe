"""Lists of JSON, read by the expressions of a profile."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites.json_list import (
    date_of,
    looks_like_json,
    parse_json,
    read_json_list,
)
from focuscrawl.sites.page_reading import ListPage
from focuscrawl.sites.site_profile import JsonRules

TODAY = date(2026, 11, 1)
URL = "http://host/api?page=3"
DATA = {
    "data": {
        "list": [
            {"id": 1, "url": "/a/1.html", "title": "<em>玉米</em>&amp;小麦", "time": 1710900000},
            {"id": 2, "url": "http://host/a/2.html", "title": "二", "time": "1710900000000"},
            {"id": 3, "url": "/a/1.html", "title": "同一链接", "time": "2024-03-01"},
            {"id": 4, "url": "", "title": "无链接", "time": None},
            {"id": 5, "url": "/a/5.html", "title": ""},
            {"id": 6, "url": "/a/6.html", "title": "2024年2月3日 公告", "time": "20240305"},
            "no object",
        ],
        "next": "?page=9",
    }
}


def read(data: Any = DATA, url: str = URL, **changes: str) -> ListPage:
    rules = {"entries": "data.list", "link": "url", "title": "title", "date": "time"} | changes
    return read_json_list(data, url, "mine", JsonRules(**rules), TODAY)


def test_entries_are_read_once_each_in_order() -> None:
    assert [(one.url, one.title, one.published) for one in read().entries] == [
        ("http://host/a/1.html", "玉米&小麦", date(2024, 3, 20)),
        ("http://host/a/2.html", "二", date(2024, 3, 20)),
        # The title is that of the article's page.
        ("http://host/a/5.html", "", None),
        ("http://host/a/6.html", "2024年2月3日 公告", date(2024, 2, 3)),
    ]
    assert read().unlinked == 1
    assert read().next_url == ""
    assert read(stamp="id").entries[0].stamp == "1"
    filled = read(link="https://m.host/{id}/x?t={title}").entries
    assert filled[1].url == "https://m.host/2/x?t=%E4%BA%8C"


def test_entries_without_a_link_are_counted_those_without_a_title_are_not_lost() -> None:
    urls = ["/a/1.html", None, "", ["/a/2.html"], False]
    rows = [{"url": url, "title": "标题"} for url in urls] + [{"title": None, "url": None}, {}]
    found = read({"data": {"list": rows}})
    assert (len(found.entries), found.unlinked) == (1, 4)
    titles = ["标题", None, "", "  ", ["标题"], 2026]
    rows = [{"url": f"/a/{n}.html", "title": title} for n, title in enumerate(titles)]
    found = read({"data": {"list": rows}})
    assert [one.title for one in found.entries] == ["标题", "", "", "", "", "2026"]
    assert found.unlinked == 0


def test_parameters_that_alone_tell_articles_apart_are_kept() -> None:
    rows = [{"url": f"/show?session_id={n}", "title": f"标题{n}"} for n in range(2)]
    found = read({"data": {"list": rows}}).entries
    assert [one.url for one in found] == [f"http://host/show?session_id={n}" for n in range(2)]


@pytest.mark.parametrize(
    ("rule", "url", "following"),
    [
        ("/api?page={page}", "http://host/api?page=3", "http://host/api?page=4"),
        ("/api?page={page}", "http://host/api", "http://host/api?page=2"),
        ("list_{page}.json", "http://host/x/list_9.json", "http://host/x/list_10.json"),
        ("/api?start={offset}&n=7", "http://host/api?start=7&n=7", "http://host/api?start=14&n=7"),
        ("/api?start={offset}", "http://host/api", "http://host/api?start=7"),
        ("data.next", "http://host/api", "http://host/api?page=9"),
        ("data.missing", "http://host/api", ""),
    ],
)
def test_the_next_page_is_counted_or_named(rule: str, url: str, following: str) -> None:
    page = read(url=url, next=rule)
    assert page.next_url == following
    assert page.is_counted == ("{" in rule)


@pytest.mark.parametrize(
    ("answer", "following"),
    [
        ({"more": True, "cursor": "a+/="}, "http://host/api?c=a%2B%2F%3D&n=3"),
        ({"more": True, "cursor": 17}, "http://host/api?c=17&n=3"),
        ({"more": False, "cursor": "x"}, ""),
        ({"more": True, "cursor": None}, ""),
        ({"more": True, "cursor": "0"}, ""),
        ({"more": True, "cursor": -1}, ""),
        ({}, ""),
    ],
)
def test_a_value_of_the_answer_is_filled_into_the_url(
    answer: dict[str, Any], following: str
) -> None:
    data = {"data": {"list": DATA["data"]["list"]}} | answer
    page = read(data, next="/api?c={more && cursor}&n=3")
    assert (page.next_url, page.is_counted) == (following, False)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("/api?page={page}&o={offset}", "needs {page} or {offset} once, and nothing else"),
        ("/api?page={page", "a brace of .* has no counterpart"),
        ("/api?page={}", "is not a JMESPath expression"),
        ("/api?c={a b}", "'a b' is not a JMESPath expression"),
        ("a b", "'a b' is not a JMESPath expression"),
    ],
)
def test_a_rule_that_cannot_lead_on_is_refused(rule: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        JsonRules(entries="@", link="url", title="title", next=rule)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("data.blocks[].items[]", {"data": {"blocks": []}}),
        ("data.blocks[].items[]", {"data": {"blocks": [{"items": []}, {"items": []}]}}),
        ("[].items[]", []),
        ("@", []),
        ("data[?type=='news']", {"data": [{"type": "ad"}]}),
        # Some sites send a null for an empty array.
        ("data.list", {"data": {"list": None}}),
        ('data."news list"', {"data": {"news list": None}}),
    ],
)
def test_an_empty_array_is_an_empty_list(path: str, data: Any) -> None:
    page = read(data, entries=path, next="/api?page={page}")
    assert (page.entries, page.next_url) == ([], "")


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("data.list", {"data": {"rows": []}}),
        ("data.blocks[].items[]", {"data": {"parts": []}}),
        ("data.blocks[].items[]", {"data": {"blocks": [{"rows": [1]}]}}),
        ("[].items[]", [{"rows": []}]),
    ],
)
def test_a_missing_key_is_no_empty_list(path: str, data: Any) -> None:
    with pytest.raises(ProfileError, match="selects no array on"):
        read(data, entries=path)


@pytest.mark.parametrize(
    ("data", "changes", "sentence"),
    [
        ({"data": None}, {}, r"list.json.entries \(data.list\) selects no array on"),
        (DATA, {"link": "href"}, r"list.json.link \(href\) selects nothing on"),
        (DATA, {"link": "/{href}"}, r"list.json.link \(/{href}\) selects nothing on"),
        (DATA, {"title": "name"}, r"list.json.title \(name\) selects nothing on"),
    ],
)
def test_what_selects_nothing_is_named(data: Any, changes: dict[str, str], sentence: str) -> None:
    with pytest.raises(ProfileError, match=f"site profile mine: {sentence}"):
        read(data, **changes)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('jQuery.cb([{"a": 1}]);', [{"a": 1}]),
        ("[]", []),
        ('\ufeff {"a": 1}', {"a": 1}),
        ('{"a": "\t1\n"}', {"a": "\t1\n"}),
        ('while(1);{"a": 1}', {"a": 1}),
        (")]}',\n[1]", [1]),
        ('{}&&{"a": 1}', {"a": 1}),
        ('/**/cb({"a": 1})', {"a": 1}),
        ('/**/ typeof cb === "function" && cb({"a": 1});', {"a": 1}),
        ('try{cb({"a": 1});}catch(e){}', {"a": 1}),
        ("var list = [1];", [1]),
    ],
)
def test_json_and_jsonp_are_parsed(text: str, value: object) -> None:
    assert looks_like_json(text)
    assert parse_json(text, URL) == value


@pytest.mark.parametrize(
    "text", ["<html></html>", "", "[1", "while(1);", "f(", "x=[", "/*" * 9, "try{" + " " * 99_999]
)
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(ProfileError, match="is not JSON; correct the URL"):
        parse_json(text, URL)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1710900000", date(2024, 3, 20)),
        ("1710950400", date(2024, 3, 21)),
        ("1710900000123", date(2024, 3, 20)),
        ("20240320", date(2024, 3, 20)),
        ("2024-03-20T23:30:00+08:00", date(2024, 3, 20)),
        ("昨天", date(2026, 10, 31)),
        ("12345", None),
        ("", None),
    ],
)
def test_dates_are_read_in_the_time_of_china(text: str, found: date | None) -> None:
    assert date_of(text, TODAY) == found
