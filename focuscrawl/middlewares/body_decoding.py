"""Downloader middlewares that decompress bodies and detect the charset of pages."""

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

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import BrokenBodyError
from focuscrawl.text.file_kinds import kind_of_file
from focuscrawl.text.page_charset import detect

# The libraries that Scrapy takes for this version of Python.
_brotli: Any = vars(_compression)["brotli"]
_zstd: Any = vars(_compression)["zstd"]
_GZIP = b"\x1f\x8b"
_MAGIC = {
    **{_GZIP: b"gzip", b"\x28\xb5\x2f\xfd": b"zstd"},
    **dict.fromkeys((b"\x78\x01", b"\x78\x9c", b"\x78\xda"), b"deflate"),
}
# What servers write for "not compressed"; a name of a charset is another mistake of theirs.
_NO_CODING = {b"", b"none", b"identity", b"binary", b"8bit", b"7bit", b"text", b"html", b"chunked"}
_BEGINS_AS_TEXT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[!?a-zA-Z]|[\[{]\s*[\"\[{\]}])").match
_IS_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]").search
_TEXT_TYPES = re.compile(rb"text/|html|xml|json|javascript", re.IGNORECASE).search
_SEARCHED = 4096


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
        self.run = RunningCrawl.of(crawler)
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
    ) -> Any:
        """Return the response decompressed, or a request to get it again; raises BrokenBodyError."""
        if request.method == "HEAD" or not response.body:
            return response
        if "download_stopped" in response.flags:
            return self._lenient.process_response(request, response)
        response = _with_true_coding(response)
        is_cut = "dataloss" in response.flags
        try:
            # The second time for a page that was compressed twice.
            once = _with_true_coding(self._decompressed(request, response))
            found = self._decompressed(request, once)
        except BrokenBodyError as error:
            if _BEGINS_AS_TEXT(response.body):
                return _without_coding(response)
            if not 200 <= response.status < 300:
                return response
            if request.meta.get("download_fail_on_dataloss", self._fails):
                return self._again(request, response, error)
            found = self._lenient.process_response(request, response)
            is_cut = True
        if is_cut:
            sentence = "pages are cut off, but taken as they are: DOWNLOAD_FAIL_ON_DATALOSS is off"
            self.run.mark_incomplete(sentence)
        return found

    def _decompressed(self, request: Request, response: Response) -> Any:
        found: Any = super().process_response(request, response)
        if "Content-Encoding" not in found.headers:
            return found
        if _may_be_text(found) and _IS_BINARY(found.body[:_SEARCHED]):
            raise BrokenBodyError("unknown compression")
        return _without_coding(found)

    def _warn_unknown_encoding(self, response: Response, encodings: list[bytes]) -> None:
        """Say nothing: the body shows whether the name means anything."""

    def _again(self, request: Request, response: Response, error: BrokenBodyError) -> Request:
        spider: Any = self.crawler.spider
        may_retry = self._retries and not request.meta.get("dont_retry")
        again = may_retry and get_retry_request(request, spider=spider, reason=str(error))
        if not again:
            raise error
        if "cached" in response.flags:
            again.meta["dont_cache"] = True
        return again

    @staticmethod
    def _decode(body: bytes, encoding: bytes, max_size: int) -> bytes:
        """Return a body decompressed to at most ``max_size`` bytes; 0 is no limit."""
        try:
            text: bytes = _decompress(body, encoding, max_size + 1 if max_size else 0)
        except EOFError as error:
            raise BrokenBodyError("incomplete body") from error
        except (OSError, zlib.error, _brotli.error, _zstd.ZstdError) as error:
            raise BrokenBodyError("broken compression") from error
        _compression._check_max_size(len(text), max_size)
        return text


def _decompress(body: bytes, coding: bytes, most: int) -> Any:
    """Return the first ``most`` bytes (0 for all) of a body; raises EOFError if it ends too early."""
    if len(body) < 2:
        raise EOFError
    if coding == b"zstd":
        return _zstd.ZstdFile(BytesIO(body)).read(most or -1)
    if coding == b"br":
        unpack = _brotli.Decompressor()
        parts, size = [unpack.process(body, output_buffer_limit=1 << 16)], 0
        while not unpack.is_finished() and (not most or size < most):
            parts.append(unpack.process(b"", output_buffer_limit=1 << 16))
            size += len(parts[-1])
            if not parts[-1]:
                raise EOFError
        return b"".join(parts)
    # Some servers leave out the header of zlib.
    is_zlib = body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
    wrapping = 0 if is_zlib else -2 * zlib.MAX_WBITS
    inflate = zlib.decompressobj(zlib.MAX_WBITS + (wrapping if coding == b"deflate" else 16))
    text = inflate.decompress(body, most)
    if not inflate.eof and (not most or len(text) < most):
        raise EOFError
    if coding != b"deflate" and inflate.unused_data.startswith(_GZIP):
        return GzipFile(fileobj=BytesIO(body)).read(most or -1)
    # Anything else behind the end is ignored, as browsers do.
    return text


def _with_true_coding(response: Response) -> Response:
    """Return the response with a ``Content-Encoding`` that is true, as far as the body shows it."""
    header = b",".join(response.headers.getlist("Content-Encoding")).lower()
    codings = [part.partition(b";")[0].strip() for part in header.split(b",")]
    kept = [
        name
        for name in codings
        if name not in _NO_CODING and not webencodings.lookup(name.decode("latin-1"))
    ]
    if not kept and _may_be_text(response):
        kept = [coding for magic, coding in _MAGIC.items() if response.body.startswith(magic)]
    if kept:
        response.headers["Content-Encoding"] = b", ".join(kept)
    return response if kept or not header else _without_coding(response)


def _may_be_text(response: Response) -> bool:
    kind = response.headers.get("Content-Type")
    path = urlparse_cached(response).path.lower()
    return not path.endswith((".gz", ".tgz", ".zst")) and (not kind or bool(_TEXT_TYPES(kind)))


def _without_coding(response: Response) -> Response:
    """Return the response with the class that Scrapy gives to one without ``Content-Encoding``."""
    headers = response.headers.copy()
    headers.pop("Content-Encoding", None)
    values = {name: getattr(response, name) for name in Response.attributes} | {"headers": headers}
    cls = responsetypes.from_args(headers, response.url, body=response.body[:_SEARCHED])
    return cls(**values)


class CharsetMiddleware:
    """Downloader middleware: uses a page's declared charset unless its bytes contradict it.

    What claims to be text, but is a PDF or another file, becomes a plain ``Response``.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; one of text has its detected charset as ``encoding``."""
        if not isinstance(response, TextResponse) or not response.body:
            return response
        if kind_of_file(response.body):
            return Response(**{name: getattr(response, name) for name in Response.attributes})
        header = response.headers.get("Content-Type", b"") or b""
        _, _, declared = header.decode("latin-1").lower().partition("charset=")
        return response.replace(encoding=detect(response.body, declared.strip("\"' ;")))
