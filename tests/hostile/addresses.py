"""Public pages that link, redirect and refresh to addresses that are not public."""

from __future__ import annotations

from collections.abc import Callable

from tests.hostile.case import ReceivedRequest, Shelf, Wire, html, links, moved, ok

ADDRESSES = Shelf("address")
# Each with the port of the canary in place of {}.
TARGETS = {
    "loopback": "127.0.0.1:{}",
    "loopback-80": "127.0.0.1",
    "loopback-short": "127.1:{}",
    "loopback-decimal": "2130706433:{}",
    "loopback-hex": "0x7f.1:{}",
    "loopback-hex-whole": "0x7f000001:{}",
    "loopback-octal": "0177.0.0.1:{}",
    "loopback-dot": "127.0.0.1.:{}",
    "loopback-fullwidth": "１２７．０．０．１:{}",
    "loopback-circled": "①②⑦.⓪.⓪.①:{}",
    "loopback-escaped": "127.0.0.%31:{}",
    "loopback-six": "[::1]:{}",
    "loopback-mapped": "[::ffff:127.0.0.1]:{}",
    "loopback-nat64": "[64:ff9b::7f00:1]:{}",
    "loopback-user": "www.good.test@127.0.0.1:{}",
    "localhost": "localhost:{}",
    "localhost-dot": "localhost.:{}",
    "localhost-sub": "any.localhost:{}",
    "localhost-case": "LOCALHOST.localdomain:{}",
    "zero": "0.0.0.0:{}",
    "zero-short": "0:{}",
    "private-10": "10.0.0.1",
    "private-172": "172.16.0.1",
    "private-192": "192.168.1.1",
    "shared-100": "100.64.0.1",
    "link-local": "169.254.169.254",
    "link-local-decimal": "2852039166",
    "link-local-six": "[fe80::1]",
    "unique-local-six": "[fd00:ec2::254]",
    "metadata": "metadata.google.internal",
    "metadata-alibaba": "100.100.100.200",
    "multicast": "224.0.0.1",
    "broadcast": "255.255.255.255",
    "home": "nas.local",
}


def _serve(target: str) -> Callable[[ReceivedRequest], Wire]:
    def serve(request: ReceivedRequest) -> Wire:
        url = f"http://{target.format(request.canary)}"
        if request.path == "/moved":
            yield moved(f"{url}/moved")
        elif request.path == "/refreshed":
            yield ok(f"<meta http-equiv=refresh content='0;url={url}/refreshed'>".encode() + html())
        else:
            ways = [f"{url}/latest/meta-data/", f"{url}/contact", "/moved", "/refreshed", f"{url.replace('http', 'https')}/s"]  # fmt: skip
            frame = f'<iframe src="{url}/frame"></iframe><base href="{url}/">'.encode()
            yield ok(html(links(ways) + links(ways, "联系我们") + frame))

    return serve


for _name, _target in TARGETS.items():
    ADDRESSES.add(f"to-{_name}", f"links to {_target.format('PORT')}", _serve(_target))
