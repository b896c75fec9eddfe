"""Network addresses as limits count them."""

from __future__ import annotations

import pytest

from focuscrawl.web.network_addresses import counted_address


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_the_network_of_an_ipv6_address_counts(address: str, counted: str) -> None:
    assert counted_address(address) == counted
