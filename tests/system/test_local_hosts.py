"""Hosts of this machine."""

from __future__ import annotations

import pytest

from focuscrawl.system.local_hosts import is_local


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback_is_local(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize("host", ["", "example.org", "localhost.example.org", "10.0.0.1", "::2"])
def test_other_hosts_are_not(host: str) -> None:
    assert not is_local(host)
