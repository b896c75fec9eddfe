"""Log lines without secrets, and without tracebacks for failures of a site."""

from __future__ import annotations

import logging
from typing import Any

from focuscrawl.network.failure_names import failure_words
from focuscrawl.system.secret_masking import masked

_NO_REFERER = "Referer header handling"
_FOREIGN_CERTIFICATE = "Remote certificate is not valid"
_NO_DOWNLOAD = "Error downloading"


class MaskedRecord(logging.LogRecord):
    """A log record whose text is masked when a handler formats it.

    Masking costs nothing for a record that no handler emits.
    """

    def getMessage(self) -> str:
        """Return the message without secrets."""
        return masked(super().getMessage())

    @property
    def exc_text(self) -> str | None:
        """The traceback as text, which a formatter sets."""
        return self._exc_text

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._exc_text = masked(text) if text else text


def make_logs_plain() -> None:
    """Mask secrets in all log lines; log failures of sites in one line each."""
    if logging.getLogRecordFactory() is logging.LogRecord:
        logging.setLogRecordFactory(MaskedRecord)
    logging.getLogger("scrapy.core.scraper").addFilter(_short_failure)
    logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(_short_failure)
    logging.getLogger("scrapy.core.downloader.tls").addFilter(_is_no_foreign_certificate)
    logging.getLogger("scrapy.downloadermiddlewares.redirect").addFilter(_is_no_referer_warning)


def _short_failure(record: logging.LogRecord) -> bool:
    """Shorten a failed download to one line, with the reason in words; return True."""
    message: Any = record.msg
    if record.exc_info and str(message).startswith(_NO_DOWNLOAD):
        error = record.exc_info[1]
        record.exc_info = None
        if error is not None:
            record.msg = f"{_NO_DOWNLOAD} %(request)s: {failure_words(error)}"
    return True


def _is_no_foreign_certificate(record: logging.LogRecord) -> bool:
    """Return False for the warning (two per request) about a certificate that Scrapy accepts anyway."""
    return not str(record.msg).startswith(_FOREIGN_CERTIFICATE)


def _is_no_referer_warning(record: logging.LogRecord) -> bool:
    """Return False for the warning that REFERER_ENABLED=False has its effect."""
    return _NO_REFERER not in str(record.msg)
