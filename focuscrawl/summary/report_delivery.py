"""Delivery of the report of a run that failed or has an alarm, by mail and to a webhook."""

from __future__ import annotations

import smtplib
import socket
import ssl
import time
from collections.abc import Sequence
from threading import Thread
from typing import Any, Protocol, TypeVar
from urllib.error import HTTPError, URLError

from focuscrawl.errors import FocuscrawlError
from focuscrawl.summary.run_report import RunReport

LIMIT_SECONDS = 20.0
_Sent = TypeVar("_Sent")
_Taken = TypeVar("_Taken", contravariant=True)


class Target(Protocol[_Taken]):
    """A place to which reports, or other messages, are sent; ``label`` names it without its secrets."""

    @property
    def label(self) -> str:
        """``mail to …``, ``webhook at …``."""

    @property
    def secrets(self) -> Sequence[str]:
        """Texts that no message may show."""

    def send(self, report: _Taken, seconds: float, /) -> None:
        """Send a report; no step may take longer than ``seconds``."""


def is_due(report: RunReport) -> bool:
    """Return whether a report has to be sent: the exit code is not 0, or there is an alarm."""
    return bool(report.exit_code or report.alarms)


def deliver(
    report: _Sent, targets: Sequence[Target[_Sent]], seconds: float = LIMIT_SECONDS
) -> list[str]:
    """Send a report to all targets at once; return a sentence for each that did not accept it in time."""
    attempts = [_Attempt(report, target, seconds) for target in targets]
    end = time.monotonic() + seconds
    for attempt in attempts:
        attempt.join(max(0.0, end - time.monotonic()))
    return [
        f"{attempt.target.label} was not sent: {why}"
        for attempt in attempts
        if (why := attempt.why)
    ]


class _Attempt:
    """One attempt to send, in a thread, since the resolution of a name has no time limit."""

    def __init__(self, report: Any, target: Target[Any], seconds: float) -> None:
        self.target = target
        self.why = f"no answer within {seconds:g} seconds"
        self._report = report
        self._seconds = seconds
        self._thread = Thread(target=self._send, daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self.why = str(error)

    def join(self, seconds: float) -> None:
        """Wait for the end of the attempt."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _send(self) -> None:
        try:
            self.target.send(self._report, self._seconds)
            why = ""
        # Whatever happens, the run has ended and its exit code says how.
        except Exception as error:
            why = reason_of(error, self.why)
            for secret in self.target.secrets:
                why = why.replace(secret, "***")
        self.why = why


# Reasons why a report could not be sent, in words, with the remedy.


def reason_of(error: BaseException, timeout: str) -> str:
    """Return one line on an error of sending; ``timeout`` is that for no answer in time."""
    if isinstance(error, URLError) and isinstance(error.reason, BaseException):
        error = error.reason
    return " ".join(_words(error, timeout).split())


def _words(error: BaseException, timeout: str) -> str:
    match error:
        case FocuscrawlError():
            return str(error)
        case HTTPError():
            return f"it answered HTTP {error.code}; check the address and the token"
        case smtplib.SMTPAuthenticationError():
            return f"the server refuses user name or password ({error.smtp_code}); correct them"
        case smtplib.SMTPRecipientsRefused():
            return f"the server refuses {refused_words(error.recipients)}"
        case smtplib.SMTPResponseException():
            return f"the server answered {error.smtp_code} {_text(error.smtp_error)}"
        case smtplib.SMTPServerDisconnected(__context__=TimeoutError()):
            # smtplib hides the time limit of the socket.
            return timeout
        case smtplib.SMTPServerDisconnected():
            return "the server closed the connection; check port and scheme (smtp or smtps)"
        case smtplib.SMTPException():
            return f"{error} Correct user name or port."
        case TimeoutError():
            return timeout
        case ConnectionRefusedError():
            return "connection refused; start the server, or correct host and port"
        case socket.gaierror():
            return "the host name is not known; correct it, or check the network"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({error.verify_message}); SSL_CERT_FILE may name another authority"
        case ssl.SSLError():
            return "TLS does not work; check port and scheme"
        case OSError():
            return error.strerror or type(error).__name__
    return f"{error} ({type(error).__name__})"


def refused_words(refused: dict[str, tuple[int, bytes]]) -> str:
    """Return the recipients that a server refuses, with its answers."""
    return ", ".join(f"{name} ({code} {_text(why)})" for name, (code, why) in refused.items())


def _text(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
