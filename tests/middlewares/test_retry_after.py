from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.middlewares.retry_after import retry_after_seconds

NOON = 1_700_049_600.0  # Wed, 15 Nov 2023 12:00:00 GMT


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (b"", 0),
        (b"7", 7),
        (b" 120 ", 120),
        (b"Wed, 15 Nov 2023 12:01:30 GMT", 90),
        (b"Wed, 15 Nov 2023 11:00:00 GMT", 0),
        (b"-5", 0),
        (b"soon", 0),
        ("²".encode("latin-1"), 0),
    ],
)
def test_seconds_of_headers(header: bytes, seconds: float) -> None:
    assert retry_after_seconds(header, NOON) == seconds


@given(st.binary(max_size=40))
def test_no_header_raises(header: bytes) -> None:
    assert retry_after_seconds(header, NOON) >= 0
