"""Reports by mail, over SMTP: ``smtp://USER@HOST:PORT/?to=A,B&from=C``."""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from focuscrawl.errors import ArgumentError
from focuscrawl.summary.run_report import RunReport, as_text
from focuscrawl.system.local_hosts import is_local
from focuscrawl.system.secret_masking import masked

SETTING = "FOCUSCRAWL_MAIL"
PASSWORD = "FOCUSCRAWL_MAIL_PASSWORD"
_EXAMPLE = "write it as smtp://USER@HOST:587/?to=ADDRESS&from=ADDRESS"
_PORTS = {"smtp": 25, "smtps": 465}
_ADDRESS = re.compile(r"[^\s@,<>\"]+@[^\s@,<>\"]+")


@dataclass(frozen=True, slots=True)
class MailTarget:
    """A mail server, the login there (none if ``user`` is empty), and the addresses."""

    scheme: str
    host: str
    port: int
    user: str
    password: str
    sender: str
    recipients: tuple[str, ...]

    @property
    def label(self) -> str:
        """The mail, by its recipients and server."""
        return f"mail to {', '.join(self.recipients)} by {self.host}:{self.port}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The password."""
        return (self.password,) if self.password else ()

    def send(self, report: RunReport, seconds: float) -> None:
        """Send the report; raises an error of smtplib or the network, or ArgumentError."""
        self.send_text(subject_of(report), as_text(report), seconds)

    def send_text(self, subject: str, lines: Sequence[str], seconds: float) -> None:
        """Send a text, like :meth:`send`."""
        with self._connect(seconds) as client:
            if self.scheme == "smtp":
                self.start_tls(client)
            if self.user:
                client.login(self.user, self.password)
            refused = client.send_message(_message(subject, lines, self))
        if refused:
            raise smtplib.SMTPRecipientsRefused(refused)

    def start_tls(self, client: smtplib.SMTP) -> None:
        """Encrypt a connection where the server offers it; raises ArgumentError if a login needs it."""
        client.ehlo_or_helo_if_needed()
        if client.has_extn("starttls"):
            client.starttls(context=self._context())
        elif self.user and not is_local(self.host):
            raise ArgumentError(
                f"the server does not offer STARTTLS, and the password of {self.user} must not be"
                " sent readable; use smtps://, another port, or a server without login"
            )

    def _connect(self, seconds: float) -> smtplib.SMTP:
        if self.scheme == "smtps":
            return smtplib.SMTP_SSL(self.host, self.port, timeout=seconds, context=self._context())
        return smtplib.SMTP(self.host, self.port, timeout=seconds)

    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        # The certificate of a mail server on the same machine names another host, or nobody signed it.
        if is_local(self.host):
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context


def mail_target(url: str, password: str) -> MailTarget:
    """Return the target of a URL of the setting; raises ArgumentError without showing the URL."""
    parts = _split(url)
    if parts.password is not None:
        raise ArgumentError(
            f"{SETTING} has a password in the URL, which others may read; remove it, and set the"
            f" environment variable {PASSWORD}"
        )
    user = unquote(parts.username or "")
    if user and not password:
        raise ArgumentError(
            f"{SETTING} names the user {user}, but there is no password; set the environment"
            f" variable {PASSWORD}"
        )
    if not password.isascii():
        raise ArgumentError(f"{PASSWORD} has characters other than ASCII; choose another password")
    to, sender = _addresses(parts)
    port = parts.port or _PORTS[parts.scheme]
    return MailTarget(parts.scheme, str(parts.hostname), port, user, password, sender or to[0], to)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        is_valid = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or parts.path not in ("", "/") or parts.fragment:
        raise ArgumentError(f"{SETTING} is not the URL of a mail server; {_EXAMPLE}")
    return parts


def _addresses(parts: SplitResult) -> tuple[tuple[str, ...], str]:
    """Return the recipients, and the sender, ``""`` if it is not given."""
    # A plus sign is part of an address here, not a blank.
    query = parse_qs(parts.query.replace("+", "%2B"), keep_blank_values=True)
    if unknown := query.keys() - {"to", "from"}:
        raise ArgumentError(f"{SETTING} has the unknown part {min(unknown)}=; {_EXAMPLE}")
    to = tuple(part.strip() for text in query.get("to", []) for part in text.split(","))
    sender = query.get("from", [""])[-1]
    for address in (*to, *([sender] if sender else [])):
        if not _ADDRESS.fullmatch(address):
            raise ArgumentError(f"{SETTING}: {address!r} is not a mail address; {_EXAMPLE}")
    if not to:
        raise ArgumentError(f"{SETTING} names no recipient; {_EXAMPLE}")
    return to, sender


def _message(subject: str, lines: Sequence[str], target: MailTarget) -> EmailMessage:
    # Not every server takes anything but ASCII; the policy encodes the rest.
    message = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
    message["Subject"] = subject
    message["From"] = target.sender
    message["To"] = ", ".join(target.recipients)
    message["Date"] = formatdate(localtime=True)
    message["Message-ID"] = make_msgid(domain=target.sender.rpartition("@")[2])
    # Mail servers and vacation programs do not answer what is marked so (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    text = "\n".join(map(masked, lines))
    message.set_content(text.encode("utf-8", "backslashreplace").decode())
    return message


def subject_of(report: RunReport) -> str:
    """Return the subject: the crawl, and how it ended."""
    ending = f"failed (exit {report.exit_code})" if report.exit_code else "alarm"
    crawl = " ".join(report.crawl.encode("utf-8", "backslashreplace").decode().split())
    return f"focuscrawl: {crawl} {ending}"
