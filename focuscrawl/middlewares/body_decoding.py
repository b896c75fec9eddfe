"""Downloader middleware that decompresses bodies and retries those that are cut off or damaged."""

from __future__ import annotations

import re
import zlib
from gzip import GzipFile
from io import BytesIO
from typing import Any

import webencodings
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils import _compression
from scrapy.utils.httpobj import urlparse_cached

from focuscrawl.crawl_run import mark_incomplete
from focuscrawl.errors import BrokenBodyError

# The libraries that Scrapy takes for this version of Python.
_brotli: Any = vars(_compression)["brotli"]
_zstd: Any = vars(_compression)["zstd"]
_CUT, _DAMAGED = "incomplete body", "broken compression"
_GZIP = b"\x1f\x8b"
_ZLIB, _RAW, _GZIPPED = zlib.MAX_WBITS, -zlib.MAX_WBITS, 16 + zlib.MAX_WBITS
_MAGIC = {
    **{_GZIP: b"gzip", b"\x28\xb5\x2f\xfd": b"zstd"},
    **dict.fromkeys((b"\x78\x01", b"\x78\x9c", b"\x78\xda"), b"deflate"),
}
# What servers write for "not compressed"; a name of a charset is another mistake of theirs.
_NO_CODING = {b"", b"none", b"identity", b"binary", b"8bit", b"7bit", b"text", b"html", b"chunked"}
_BEGINS_AS_TEXT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[!?a-zA-Z]|[\[{]\s*[\"\[{\]}])").match
_IS_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]").search
_TEXT_TYPES = re.compile(rb"text/|html|xml|json|javascript", re.IGNORECASE).search
_SEARCHED = 512


class BodyDecoding(HttpCompressionMiddleware):
    """Scrapy's middleware, but the end of a compressed body and its checksum are checked.

    Scrapy takes what it can decompress for the page. Here a page that is cut off or damaged is
    requested again as after a broken connection, then fails with a
    :class:`~focuscrawl.errors.BrokenBodyError`; with ``DOWNLOAD_FAIL_ON_DATALOSS`` off it is taken as it
    is, and the run counts as incomplete. A ``Content-Encoding`` that the body contradicts is ignored.
    """

    def __init__(self, crawler: Crawler, *, retries: bool, fails: bool) -> None:
        super().__init__(crawler=crawler)
        self.crawler = crawler
        self._retries = retries
        self._fails = fails
        self._lenient = HttpCompressionMiddleware(crawler=crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BodyDecoding:
        """Build the middleware; raises NotConfigured if ``COMPRESSION_ENABLED`` is off."""
        HttpCompressionMiddleware.from_crawler(crawler)
        settings = crawler.settings
        fails = settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")
        return cls(crawler, retries=settings.getbool("RETRY_ENABLED"), fails=fails)

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the response decompressed, or a request to get it again; raises BrokenBodyError."""
        if request.method == "HEAD" or not response.body:
            return response
        fails = request.meta.get("download_fail_on_dataloss", self._fails)
        if "dataloss" in response.flags:
            self._report_cut()
        response = _with_true_coding(response)
        try:
            # The second time for a page that was compressed twice.
            found = _with_true_coding(self._decompressed(request, response))
            return self._decompressed(request, found)
        except BrokenBodyError as error:
            if _BEGINS_AS_TEXT(response.body):
                return _without_coding(response)
            if not 200 <= response.status < 300:
                return response
            if "download_stopped" not in response.flags and fails:
                return self._again(request, response, error)
            if fails is False:
                self._report_cut()
            return self._lenient.process_response(request, response)

    def _decompressed(self, request: Request, response: Response) -> Response:
        found = super().process_response(request, response)
        assert isinstance(found, Response)
        if "Content-Encoding" in found.headers:
            if _may_be_text(found) and _IS_BINARY(found.body[:_SEARCHED]):
                raise BrokenBodyError("unknown compression")
            return _without_coding(found)
        return found

    def _warn_unknown_encoding(self, response: Response, encodings: list[bytes]) -> None:
        """Say nothing: the body shows whether the name means anything."""

    def _again(self, request: Request, response: Response, error: BrokenBodyError) -> Request:
        again = None
        if self._retries and not request.meta.get("dont_retry"):
            spider = self.crawler.spider
            again = get_retry_request(request, spider=spider, reason=str(error))  # type: ignore[arg-type]
        if again is None:
            raise error
        if "cached" in response.flags:
            again.meta["dont_cache"] = True
        return again

    def _report_cut(self) -> None:
        mark_incomplete(
            self.crawler,
            "some pages are cut off, but taken as they are, since DOWNLOAD_FAIL_ON_DATALOSS is off",
        )

    @staticmethod
    def _decode(body: bytes, encoding: bytes, max_size: int) -> bytes:
        """Return a body decompressed to at most ``max_size`` bytes; 0 is no limit."""
        try:
            text = _decompress(body, encoding, max_size + 1 if max_size else 0)
        except EOFError as error:
            raise BrokenBodyError(_CUT) from error
        except (
            OSError,
            zlib.error,
            _brotli.error,
            _zstd.ZstdError,
        ) as error:
            raise BrokenBodyError(_DAMAGED) from error
        _compression._check_max_size(len(text), max_size)
        return text


def _decompress(body: bytes, coding: bytes, most: int) -> bytes:
    """Return the first ``most`` bytes (0 for all) of a body; raises EOFError if it ends too early."""
    if len(body) < 2:
        raise EOFError
    match coding:
        case b"deflate":
            # Some servers leave out the header of zlib.
            is_zlib = body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
            return _inflated(body, most, _ZLIB if is_zlib else _RAW)[0]
        case b"br":
            return _unbrotli(body, most)
        case b"zstd":
            content: bytes = _zstd.ZstdFile(BytesIO(body)).read(most or -1)
            return content
    text, rest = _inflated(body, most, _GZIPPED)
    # Anything else behind the end is ignored, as browsers do.
    return GzipFile(fileobj=BytesIO(body)).read(most or -1) if rest.startswith(_GZIP) else text


def _inflated(body: bytes, most: int, window: int) -> tuple[bytes, bytes]:
    inflate = zlib.decompressobj(window)
    text = inflate.decompress(body, most)
    if not inflate.eof and (not most or len(text) < most):
        raise EOFError
    return text, inflate.unused_data


def _unbrotli(body: bytes, most: int) -> bytes:
    inflate = _brotli.Decompressor()
    parts = [inflate.process(body, output_buffer_limit=_compression._CHUNK_SIZE)]
    size = len(parts[0])
    while not inflate.is_finished() and (not most or size < most):
        parts.append(inflate.process(b"", output_buffer_limit=_compression._CHUNK_SIZE))
        size += len(parts[-1])
        if not parts[-1]:
            raise EOFError
    return b"".join(parts)


def _with_true_coding(response: Response) -> Response:
    """Return the response with a ``Content-Encoding`` that is true, as far as the body shows it."""
    header = b",".join(response.headers.getlist("Content-Encoding")).lower()
    codings = [part.partition(b";")[0].strip() for part in header.split(b",")]
    kept = [name for name in codings if not _is_no_coding(name)]
    if not kept and _may_be_text(response):
        kept = [coding for magic, coding in _MAGIC.items() if response.body.startswith(magic)]
    if kept:
        response.headers["Content-Encoding"] = b", ".join(kept)
        return response
    return _without_coding(response) if header else response


def _is_no_coding(name: bytes) -> bool:
    return name in _NO_CODING or webencodings.lookup(name.decode("latin-1")) is not None


def _may_be_text(response: Response) -> bool:
    kind = response.headers.get("Content-Type")
    path = urlparse_cached(response).path.lower()
    return not path.endswith((".gz", ".tgz", ".zst")) and (not kind or bool(_TEXT_TYPES(kind)))


def _without_coding(response: Response) -> Response:
    response.headers.pop("Content-Encoding", None)
    # Scrapy takes any page with that header for a file.
    cls = responsetypes.from_args(
        headers=response.headers, url=response.url, body=response.body[: _SEARCHED * 8]
    )
    return response.replace(
        cls=cls, **({"encoding": None} if issubclass(cls, TextResponse) else {})
    )
