"""Registered domains of hosts."""

from __future__ import annotations

import pytest

from focuscrawl.pages.registered_domains import registered_domain


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("example.cn", "example.cn"),
        ("a.b.example.com.cn", "example.com.cn"),
        ("me.github.io", "me.github.io"),
        ("a.me.github.io", "me.github.io"),
        ("github.io", "github.io"),
        ("n1.n2.trap.hostile.test", "hostile.test"),
        ("localhost", "localhost"),
        ("192.168.0.1", "192.168.0.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("a.xn--fiqs8s", "a.xn--fiqs8s"),
        ("", ""),
    ],
)
def test_the_owner_of_a_host(host: str, expected: str) -> None:
    assert registered_domain(host) == expected
