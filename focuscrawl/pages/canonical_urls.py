"""Canonical URLs, and the resolution of an ``href`` to one."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, urljoin, urlsplit

from w3lib.url import safe_url_string

from focuscrawl.network.address_rules import reference

# Scrapy drops longer URLs (URLLENGTH_LIMIT), and no crawler should keep them in memory.
LONGEST_URL = 2083

# Files without links: Scrapy's list (IGNORED_EXTENSIONS) and newer or Chinese-only kinds.
FILE_EXTENSIONS = frozenset(
    # archives
    "7z 7zip bz2 gz lz4 rar tar tbz tgz xz z zip zst"
    # pictures
    " ai avif bmp cdr cur drw dxf eps gif heic ico jfif jpeg jpg mng pct png ps psd psp pst svg tif"
    " tiff webp"
    # audio and video
    " 3gp aac aiff amr ape asf asx au avi flac flv m3u8 m4a m4v mid mkv mov mp3 mp4 mpg mpeg ogg ogv"
    " opus qt ra rm rmvb swf wav webm wma wmv"
    # office documents, e-books
    " azw3 caj csv doc docb docm docx dotm dotx epub et key mobi numbers odg odp ods odt pages pdf"
    " potm potx pps ppt pptm pptx rtf wps xls xlsb xlsm xlsx xltm xltx"
    # programs, disk images, files that only browsers or feed readers load
    " apk atom bat bin cpl css deb dll dmg eot exe hta ipa iso jar js json map mjs msi msp otf py rb"
    " rpm rss sh torrent ttf wasm woff woff2 xml".split()
)

# A URL that is canonical already, the regular case. Ports, needless escapes and segments that begin
# with a dot take the slow path. Possessive groups would not match in Python 3.11.0 to 3.11.4.
_HOST = r"[a-z0-9]+(?:[-.][a-z0-9]+)*"
_NEEDFUL = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[B-DF])"
_PLAIN = r"[A-Za-z0-9_~!$&()*+,;=:@/-]*"
_TEXT = rf"{_PLAIN}(?:(?:{_NEEDFUL}|(?<!/)\.){_PLAIN})*"
_IS_CANONICAL = re.compile(rf"https?://{_HOST}/{_TEXT}(?:\?{_TEXT}(?<!\?))?").fullmatch
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE).match
_FULL = re.compile(r"https?://", re.IGNORECASE).match
# For quote: characters that need no escape in a path, and those left to the slow path.
_PATH_KEPT = "%/~!$&'()*+,;=:@\\"

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_HOST_IS_POSSIBLE = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]").fullmatch
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical_url(url: str, charset: str = "utf-8") -> str:
    """Return the canonical form of an absolute http(s) URL; the function is idempotent.

    Scheme and host in lower case (other scripts as punycode), no default port, no fragment, no
    dot segments, at least the path ``/``. Characters that need it are percent-encoded as Scrapy
    and browsers do (UTF-8; in the query ``charset``, that of the page), escapes are in upper case,
    those that are needless by RFC 3986 (section 6.2.2) are decoded, and a ``%`` that begins no escape
    is escaped. Parameters keep their order, which matters to some servers. Raises ``ValueError`` for
    anything but an http(s) URL.
    """
    if _IS_CANONICAL(url):
        return url
    parts = urlsplit(_safe(_without_surrogates(url), charset))
    host = _host(parts.hostname)
    port = parts.port
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"not an http or https URL: {url[:100]!r}")
    path = _without_dots(_needful_escapes(parts.path)) or "/"
    user = parts.netloc.rpartition("@")
    netloc = user[0] + user[1] + host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        netloc += f":{port}"
    query = f"?{_needful_escapes(parts.query)}" if parts.query else ""
    return f"{parts.scheme}://{netloc}{path}{query}"


def canonical_or_same(url: str) -> str:
    """Return the canonical URL, or anything but an http(s) URL unchanged: redirects lead anywhere."""
    try:
        return canonical_url(url)
    except ValueError:
        return url


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _safe(url: str, charset: str) -> str:
    try:
        return safe_url_string(url, charset)
    except (UnicodeEncodeError, LookupError):
        return safe_url_string(url)


def _host(name: str | None) -> str:
    host = f"[{name}]" if name and ":" in name else (name or "").lower()
    if not _HOST_IS_POSSIBLE(host):
        raise ValueError(f"not a host name: {host[:100]!r}")
    return host


def _needful_escapes(text: str) -> str:
    return _ESCAPE.sub(_needful_escape, text) if "%" in text else text


def _needful_escape(match: re.Match[str]) -> str:
    if not match[1]:
        return "%25"
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _without_dots(path: str) -> str:
    """Resolve ``.`` and ``..`` as in RFC 3986, section 5.2.4."""
    if "/." not in path:
        return path
    kept: list[str] = []
    *segments, last = path.split("/")[1:]
    for segment in (*segments, last):
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if last in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def is_file(url: str) -> bool:
    """Return whether a canonical URL names a file of a type without links."""
    name = url.partition("?")[0].rpartition("/")[2]
    return "." in name and name.rpartition(".")[2].lower() in FILE_EXTENSIONS


# Every page of a site repeats the same menus. A miss costs 1 to 30 µs, a hit 0.1; an entry has at
# most 3 * LONGEST_URL characters, typically 300, so the cache takes about 10 MB.
@lru_cache(maxsize=20_000)
def resolve(base: str, href: str, charset: str = "utf-8") -> str | None:
    """Return the canonical URL of an ``href``, None if it does not lead to a page.

    ``base`` is the canonical base URL of the page. Invalid references, other schemes than http(s),
    references within the page and files (see :func:`is_file`) give None.
    """
    if len(href) > LONGEST_URL:
        return None
    target = reference(href).partition("#")[0]
    if not target:
        return None
    url = _quickly(base, target) or _thoroughly(base, target, charset)
    return None if url is None or len(url) > LONGEST_URL or is_file(url) else url


def is_too_long(href: str) -> bool:
    """Return whether an ``href`` is one that :func:`resolve` leaves out for its length alone."""
    return len(href) > LONGEST_URL and not _OTHER_SCHEME(href)


def _quickly(base: str, reference: str) -> str | None:
    """Resolve an absolute URL or a path without unusual parts; return None for the others."""
    if not reference.isascii() and reference.isprintable() and "?" not in reference:
        reference = quote(reference, safe=_PATH_KEPT)
    if reference[0] == "/":
        if not reference.startswith("//"):
            reference = "/".join(base.split("/", 3)[:3]) + reference
    elif ":" in reference:
        if reference.count("/") == 2:
            reference += "/"
    elif reference[0] != "?":
        folder = base.partition("?")[0].rpartition("/")[0]
        # urljoin replaces two slashes by one, as Scrapy does.
        if "//" in folder[8:] + reference:
            return None
        reference = f"{folder}/{reference}"
    return reference if _IS_CANONICAL(reference) else None


def _thoroughly(base: str, reference: str, charset: str) -> str | None:
    if _OTHER_SCHEME(reference):
        return None
    try:
        # urljoin takes an absolute URL without a host for the page itself.
        is_full = _FULL(reference)
        return canonical_url(reference if is_full else urljoin(base, reference), charset)
    except ValueError:
        return None
