"""Redirects that lead in circles, on without end, or to what is no page."""

from __future__ import annotations

import re

from tests.hostile.case import ReceivedRequest, Shelf, Wire, answer, head, html, links, moved, ok

REDIRECTS = Shelf("redirect")
_NUMBER = re.compile(r"\d+")


def _number(path: str) -> int:
    found = _NUMBER.search(path)
    return int(found[0]) if found else 0


@REDIRECTS.case()
def itself(request: ReceivedRequest) -> Wire:
    """A page that moved to where it is."""
    yield moved(request.path)


@REDIRECTS.case()
def two(request: ReceivedRequest) -> Wire:
    """Two pages that lead to each other."""
    yield moved("/a" if request.path == "/b" else "/b")


@REDIRECTS.case()
def chain_50(request: ReceivedRequest) -> Wire:
    """Fifty redirects, then a page."""
    step = _number(request.path)
    yield moved(f"/step{step + 1}") if step < 50 else ok(html())


@REDIRECTS.case()
def chain_endless(request: ReceivedRequest) -> Wire:
    """Redirects without end."""
    yield moved(f"{request.root}/step{_number(request.path) + 1}", "301 Moved Permanently")


@REDIRECTS.case()
def chain_growing(request: ReceivedRequest) -> Wire:
    """Redirects without end to ever longer URLs."""
    yield moved(f"{request.path}{'x' * 2000}/")


@REDIRECTS.case()
def chain_hosts(request: ReceivedRequest) -> Wire:
    """Redirects without end, each to another host."""
    host = request.root.removeprefix("http://")
    yield moved(f"http://h{_number(host) + 1}.{re.sub(r'^h[0-9]+[.]', '', host)}/")


@REDIRECTS.case()
def refresh_itself(request: ReceivedRequest) -> Wire:
    """A page that refreshes itself at once."""
    yield ok(b"<meta http-equiv=refresh content='0'>" + html())


@REDIRECTS.case()
def refresh_loop(request: ReceivedRequest) -> Wire:
    """Pages that refresh to the next without end."""
    yield ok(f"<meta http-equiv=refresh content='0;url=/step{_number(request.path) + 1}'>".encode() + html())  # fmt: skip


@REDIRECTS.case()
def refresh_nonsense(request: ReceivedRequest) -> Wire:
    """Refreshes to what is no URL, after what is no time."""
    urls = (
        "http://[",
        "//[::1",
        "file:///etc/passwd",
        "data:text/html,x",
        "javascript:1",
        "\x00",
        "http://a:b/",
    )
    metas = [f"<meta http-equiv=refresh content='{time};url={url}'>" for url in urls for time in ("0", "-1", "1e9", "9" * 400, "x")]  # fmt: skip
    at = _number(request.path) % len(metas)
    yield ok(metas[at].encode() + html(links(f"/{n}" for n in range(len(metas)))))


@REDIRECTS.case()
def script(request: ReceivedRequest) -> Wire:
    """A page that only leads on by script."""
    yield ok(f"<script>location.href='/step{_number(request.path) + 1}'</script>".encode() + html())


@REDIRECTS.case()
def cookies(request: ReceivedRequest) -> Wire:
    """Leads back until a cookie comes, which never does."""
    yield answer("302 Found", b"", f"Location: {request.path}", "Set-Cookie: seen=1")


REDIRECTS.answers({
    "to-nowhere": ("an empty Location", moved("")),
    "without-location": ("no Location", head("302 Found", "Content-Length: 0")),
    "to-nonsense": ("what is no URL", moved("http://")),
    "to-bracket": ("a broken IPv6 address", moved("http://[")),
    "to-port": ("a port that cannot be", moved("http://redirect-target.test:99999999/")),
    "to-file": ("a file of this machine", moved("file:///etc/passwd")),
    "to-data": ("data:", moved("data:text/html,<a href=/x>神经网络</a>")),
    "to-ftp": ("ftp:", moved("ftp://127.0.0.1/")),
    "to-script": ("javascript:", moved("javascript:alert(1)")),
    "to-s3": ("s3:", moved("s3://bucket/key")),
    "to-100k": ("a URL of 100 KB", moved("/" + "a" * 100_000)),
    "to-1m": ("a URL of 1 MB", moved("/?" + "a=1&" * 250_000)),
    "to-nul": ("a NUL in the URL", moved("/a\x00b")),
    "to-blanks": ("blanks and line breaks in the URL", moved("/a b\tc\rd")),
    "to-raw-bytes": ("bytes of GBK in the URL", b"HTTP/1.1 302 Found\r\nLocation: /\xc9\xf1\xbe\xad?q=\xc9\xf1\r\nContent-Length: 0\r\n\r\n"),
    "to-user": ("a user and a password", moved("http://root:secret@redirect-to-user.hostile.test/")),
    "to-idn": ("a host name that cannot be encoded", moved("http://" + "\u3002" * 3 + "\u202e神.test/")),
    "to-long-label": ("a label of 300 letters", moved("http://" + "x" * 300 + ".test/")),
    "to-https": ("https, where nobody is", moved("https://redirect-to-https.hostile.test/")),
    "locations-two": ("two Locations", answer("302 Found", b"", "Location: /a", "Location: /b")),
    "status-300": ("300 without a choice", answer("300 Multiple Choices", html())),
    "status-304": ("304 to a request without a condition", head("304 Not Modified")),
    "status-305": ("Use Proxy", answer("305 Use Proxy", b"", "Location: http://127.0.0.1:1/")),
    "status-399": ("a redirect of no kind", answer("399 Odd", b"", "Location: /x")),
})  # fmt: skip
