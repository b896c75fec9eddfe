"""A mail server on 127.0.0.1 that keeps what it gets, with and without login and STARTTLS."""

from __future__ import annotations

import email
import ssl
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from typing import Any, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.servers.process import free_port

USER, PASSWORD = "crawler@example.org", "geheim-wort"


@dataclass
class Mailbox:
    """Mails that arrived, and ``logins`` with user and password; ``refused`` recipients get 550."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refused:
            return "550 no such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        mail = email.message_from_bytes(cast(bytes, envelope.content), policy=default)
        self.mails.append(mail)
        self.recipients.append(envelope.rcpt_tos)
        self.encrypted.append(session.ssl is not None)
        return "250 OK"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        """Accept one user with one password."""
        assert isinstance(data, LoginPassword)
        login = data.login.decode(), data.password.decode()
        self.logins.append(login)
        return AuthResult(success=login == (USER, PASSWORD), handled=False)


@contextmanager
def mail_server(
    context: ssl.SSLContext | None = None, *, needs_login: bool = False, is_smtps: bool = False
) -> Iterator[Mailbox]:
    """Run a server; ``context`` offers STARTTLS, or encrypts from the start with ``is_smtps``."""
    mailbox = Mailbox()
    options: dict[str, Any] = {}
    if needs_login:
        options |= {"authenticator": mailbox.authenticate, "auth_required": True}
        options |= {"auth_require_tls": False}
        warnings.filterwarnings("ignore", "Requiring AUTH while not requiring TLS")
    if context:
        options |= {"ssl_context": context} if is_smtps else {"tls_context": context}
    mailbox.port = free_port()
    controller = Controller(mailbox, hostname="127.0.0.1", port=mailbox.port, **options)
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
