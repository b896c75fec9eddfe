"""Which hosts are on the public internet, however they are written."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.network.address_rules import (
    OTHER_SCHEME,
    PRIVATE_ADDRESS,
    AddressRules,
    is_public,
    literal_address,
    normal_host,
    read_address_rules,
)

LOOPBACK = """
127.0.0.1 127.0.0.1. 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0X7F.0.0.1 0177.0.0.1 017700000001
[::1] ::1 [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::127.0.0.1] [2002:7f00:1::] １２７.０.０.１
127。0。0。1 ①②⑦.⓪.⓪.① %31%32%37.0.0.1 [fe80::1%25eth0]
""".split()
PRIVATE = """
0 0.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.0.1
192.168.1.1 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1
255.255.255.255 :: fc00::1 fd12::1 fe80::1 fec0::1 ff02::1 2001:db8::1 3fff::1 100::1 64:ff9b:1::1
""".split()
PRIVATE_NAMES = """
localhost LOCALHOST localhost. a.localhost printer.local metadata metadata.google.internal
instance-data instance-data.ec2.internal intranet router.lan x.home.arpa ｌｏｃａｌｈｏｓｔ
""".split()
PUBLIC = """
8.8.8.8 1.1.1.1 134744072 0x8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 [2606:4700::1111]
64:ff9b::8.8.8.8 www.example.cn example.com. 玉米.中国 xn--fiqs8s.cn 10.0.0.1.example.com local.cn
localhost.cn 1.2.3.4.5 256.256.256.256.cn
""".split()


def refusal(rules: AddressRules, host: str, scheme: str = "http") -> str:
    return rules.refusal(f"{scheme}://{host}/", scheme, host.strip("[]"))


@pytest.mark.parametrize("host", [*LOOPBACK, *PRIVATE, *PRIVATE_NAMES])
def test_pages_do_not_lead_to_private_hosts(host: str) -> None:
    assert refusal(AddressRules(), host) == PRIVATE_ADDRESS
    assert refusal(AddressRules(allow_private=True), host) == ""


@pytest.mark.parametrize("host", PUBLIC)
def test_pages_lead_to_public_hosts(host: str) -> None:
    assert refusal(AddressRules(), host) == ""


@pytest.mark.parametrize("scheme", ["ftp", "file", "data", "s3", "javascript", "gopher", ""])
def test_only_http_and_https(scheme: str) -> None:
    rules = AddressRules(allow_private=True)
    assert refusal(rules, "example.com", scheme) == OTHER_SCHEME
    rules.name(f"{scheme}://example.com/")
    if scheme:
        assert refusal(rules, "example.com", scheme) == ""
        assert refusal(rules, "example.cn", scheme) == OTHER_SCHEME


def test_what_the_user_names_is_allowed_in_his_spelling_alone() -> None:
    rules = AddressRules()
    assert refusal(rules, "127.0.0.1") == PRIVATE_ADDRESS
    rules.name("http://user@127.0.0.1:8000/a")
    assert refusal(rules, "127.0.0.1") == refusal(rules, "127.0.0.1", "https") == ""
    for host in ("127.0.0.2", "localhost", "2130706433", "[::1]", "user"):
        assert refusal(rules, host) == PRIVATE_ADDRESS
    rules.name("http://Intranet./")
    assert refusal(rules, "intranet") == ""
    assert rules.allows_connection("intranet", "10.0.0.1")
    assert not rules.has_refused_connection("intranet")


def test_a_proxy_may_be_connected_to_but_pages_may_not_lead_there() -> None:
    rules = AddressRules()
    assert not rules.allows_connection("127.0.0.1", "127.0.0.1")
    rules.name_proxy("http://user:secret@127.0.0.1:3128")
    assert rules.allows_connection("127.0.0.1", "127.0.0.1")
    assert refusal(rules, "127.0.0.1") == PRIVATE_ADDRESS


def test_a_connection_is_judged_by_the_address_that_a_name_resolves_to() -> None:
    rules = AddressRules()
    assert rules.allows_connection("public.example", "93.184.216.34")
    assert not rules.has_refused_connection("public.example")
    assert not rules.allows_connection("public.example", "169.254.169.254")
    assert rules.has_refused_connection("PUBLIC.example.")
    assert not rules.allows_connection("public.example", "::ffff:10.0.0.1")
    assert not rules.allows_connection("public.example", "no address")


def test_the_setting_opens_hosts_and_networks() -> None:
    rules = read_address_rules("intranet.example, 10.0.0.0/8,fd00::/8, [::1]")
    for host in ("10.1.2.3", "[fd00::1]", "::1", "a.intranet.example"):
        assert refusal(rules, host) == ""
    assert refusal(rules, "192.168.0.1") == PRIVATE_ADDRESS
    assert rules.allows_connection("wiki.intranet.example", "192.168.0.1")
    assert rules.allows_connection("other.example", "10.1.2.3")
    assert not rules.allows_connection("other.example", "192.168.0.1")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        *((value, PRIVATE_ADDRESS) for value in (False, None, "", "0", [], "none")),
        *((value, "") for value in (True, "yes", ["10.0.0.1"])),
    ],
)
def test_the_setting_is_on_or_off(value: object, said: str) -> None:
    assert refusal(read_address_rules(value), "10.0.0.1") == said


@pytest.mark.parametrize("value", ["http://a.example/", "10.0.0.0/99", "a b", "a.example,True"])
def test_a_setting_that_is_none_gets_a_sentence(value: str) -> None:
    with pytest.raises(ArgumentError, match=r"FOCUSCRAWL_ALLOW_PRIVATE=.*comma-separated"):
        read_address_rules(value)


@given(st.integers(0, 2**32 - 1), st.sampled_from([10, 8, 16]), st.integers(1, 4))
def test_every_spelling_of_an_ipv4_address_is_the_address(
    value: int, base: int, parts: int
) -> None:
    numbers = [value >> 8 * (3 - place) & 255 for place in range(parts - 1)]
    numbers.append(value & (1 << 8 * (5 - parts)) - 1)
    write = {10: str, 8: lambda n: f"0{n:o}", 16: hex}[base]
    host = ".".join(map(write, numbers))
    assert literal_address(host) == IPv4Address(value) == ip_address(socket.inet_aton(host))


@given(st.integers(0, 2**128 - 1))
def test_addresses_outside_of_global_unicast_are_private(value: int) -> None:
    address = IPv6Address(value)
    if is_public(address):
        assert value >> 125 == 1 or value >> 32 == 0x64FF9B << 64 or address.ipv4_mapped


@given(
    st.sampled_from(["10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16"]), st.data()
)
def test_ipv6_addresses_that_hold_a_private_one_are_private(
    network: str, data: st.DataObject
) -> None:
    inner = data.draw(st.integers(0, IPv4Network(network).num_addresses - 1))
    value = int(IPv4Network(network)[inner])
    for outer in (0xFFFF << 32 | value, 0x2002 << 112 | value << 80, 0x64FF9B << 96 | value, value):
        assert not is_public(IPv6Address(outer))


@given(st.text(max_size=60) | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")))
def test_no_host_raises(host: str) -> None:
    assert refusal(AddressRules(), host) in ("", PRIVATE_ADDRESS)
    assert normal_host(normal_host(host)) is not None
    assert AddressRules().allows_connection(host, host) in (True, False)
