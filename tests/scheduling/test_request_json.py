"""What a request is kept as."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest
from scrapy.utils.request import request_from_dict

from focuscrawl.errors import FrontierError
from focuscrawl.scheduling.request_json import fields_of, payload_of


class Keeper(Spider):
    name = "keeper"

    def parse_page(self, response: Any) -> None: ...

    def failed(self, failure: Any) -> None: ...


SPIDER = Keeper()
URL = "http://a.test/?q=%E7%8E%89"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def again(request: Request) -> Request:
    payload = json.loads(json.dumps(payload_of(request, SPIDER)))
    return request_from_dict(fields_of(request.url, payload), spider=SPIDER)


def test_a_plain_request_needs_nothing() -> None:
    assert payload_of(Request(URL), SPIDER) == {}


@given(
    method=st.sampled_from(["GET", "POST"]),
    body=st.binary(max_size=20),
    headers=st.dictionaries(st.sampled_from(["Referer", "X-One"]), st.binary(max_size=9)),
    cookies=st.dictionaries(st.text("abc", min_size=1), st.text()),
    priority=st.integers(),
    dont_filter=st.booleans(),
    flags=st.lists(st.text()),
    cb_kwargs=st.dictionaries(st.text("abc", min_size=1), JSON),
    meta=st.dictionaries(st.text("abc", min_size=1), JSON),
)
def test_nothing_is_lost(**fields: Any) -> None:
    request = Request(URL, SPIDER.parse_page, errback=SPIDER.failed, **fields)
    assert again(request).to_dict(spider=SPIDER) == request.to_dict(spider=SPIDER)


@pytest.mark.parametrize(
    "request_",
    [
        JsonRequest(URL, data={"q": "玉米"}),
        FormRequest(URL, formdata={"q": "玉米"}, encoding="gb18030"),
    ],
)
def test_other_kinds_of_requests_come_back_as_such(request_: Request) -> None:
    back = again(request_)
    assert type(back) is type(request_)
    assert back.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)


def test_what_belongs_to_one_download_stays_away() -> None:
    meta = {"_private": SPIDER, "links": [SPIDER], "download_latency": 0.1, "depth": 2}
    assert payload_of(Request(URL, meta=meta), SPIDER) == {"meta": {"depth": 2}}
    assert payload_of(Request(URL, meta={"_private": 1}), SPIDER) == {}


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"cb_kwargs": {"walk": SPIDER}}, "cb_kwargs['walk'] is a Keeper"),
        ({"meta": {"a": [{"b": b"1"}]}}, "meta['a'][0]['b'] is a bytes"),
        ({"meta": {"a": {1: 2}}}, "meta['a'] has the key 1"),
        ({"callback": print}, "its callback print is not a method of the spider"),
        ({"errback": lambda failure: None}, "its errback <lambda> is not a method"),
        ({"callback": Keeper().parse_page}, "its callback parse_page is not a method"),
    ],
)
def test_what_cannot_be_kept_is_named(fields: dict[str, Any], what: str) -> None:
    with pytest.raises(FrontierError) as caught:
        payload_of(Request(URL, **fields), SPIDER)
    assert what in str(caught.value)
    assert URL in str(caught.value)
    assert "\n" not in str(caught.value)
