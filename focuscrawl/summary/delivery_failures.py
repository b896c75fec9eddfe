"""Reasons why a report could not be sent, in words, with the remedy."""

from __future__ import annotations

import smtplib
import socket
import ssl
from urllib.error import HTTPError, URLError

from focuscrawl.errors import FocuscrawlError


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
