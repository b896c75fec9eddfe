"""Secrets in messages."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from focuscrawl.log_formatting import MaskedRecord
from focuscrawl.system.secret_masking import masked


@pytest.mark.parametrize(
    "url",
    [
        "http://me:geheim@a.test/x",
        "http://:geheim@a.test/",
        "http://geheim@a.test/",
        "http://a.test/?password=geheim",
        "http://a.test/?a=1&passwd=geheim&b=2",
        "http://a.test/?pwd=geheim",
        "http://a.test/?TOKEN=geheim",
        "http://a.test/?access_token=geheim,geheim",
        "http://a.test/?accessToken=geheim",
        "http://a.test/?key=geheim",
        "http://a.test/?api_key=geheim",
        "http://a.test/?apikey=geheim",
        "http://a.test/?X-Amz-Signature=geheim",
        "http://a.test/?sig=geheim",
        "http://a.test/?client_secret=geheim",
        "http://a.test/?auth=geheim",
        "http://a.test/x;jsessionid=geheim",
        "http://a.test/?PHPSESSID=geheim",
        "http://a.test/?sid=geheim",
        "http://a.test/#access_token=geheim",
        "http://a.test/?to=http%3A%2F%2Fb.test%2F%3Ftoken%3Dgeheim%26x%3D1",
    ],
)
def test_secrets_are_masked(url: str) -> None:
    shown = masked(f"page failed (timeout): <GET {url}> (referer: None)")
    assert "geheim" not in shown
    assert "***" in shown
    assert shown.startswith("page failed (timeout): <GET http")
    assert shown.endswith("> (referer: None)")


@pytest.mark.parametrize(
    "text",
    [
        "http://a.test/?keyword=玉米&page=2&design=a",
        "http://a.test:8080/x?mail=a@b.test",
        "http://a.test/monkey=1",
        "12 of 13 seeds=4",
        "http://a.test/token/",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_what_stands_beside_a_secret_stays() -> None:
    shown = masked("http://me:geheim@a.test/?q=1&token=geheim&page=2 and http://b.test/")
    assert shown == "http://me:***@a.test/?q=1&token=***&page=2 and http://b.test/"


def test_log_lines_and_tracebacks_are_masked() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    try:
        raise ValueError("http://a.test/?token=geheim")
    except ValueError:
        record = MaskedRecord(
            "x", logging.ERROR, "x", 1, "at %s", ("http://me:geheim@a.test/",), sys.exc_info()
        )
    handler.handle(record)
    assert "geheim" not in stream.getvalue()
    assert "ValueError: http://a.test/?token=***" in stream.getvalue()
