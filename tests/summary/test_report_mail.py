"""Reports by mail, to real servers on 127.0.0.1."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.summary.report_delivery import deliver
from focuscrawl.summary.report_mail import MailTarget, mail_target, subject_of
from tests.servers.certificates import certificate
from tests.servers.mail_server import PASSWORD, USER, Mailbox, mail_server
from tests.summary.reports import failed_report

LOGIN = "crawler%40example.org@"


@pytest.fixture
def tls(tmp_path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path / "certificate.pem"))
    return context


def target(mailbox: Mailbox, login: str = "", scheme: str = "smtp", **changes: str) -> MailTarget:
    password = changes.get("password", PASSWORD) if login else ""
    url = f"{scheme}://{login}127.0.0.1:{mailbox.port}/?to=a@b.test,c+d@e.test&from=x@y.test"
    return mail_target(url, password)


def test_a_report_in_chinese_arrives_as_it_was_written() -> None:
    report = failed_report(crawl="template-contacts-四川")
    with mail_server() as mailbox:
        assert deliver(report, [target(mailbox)]) == []
    (mail,) = mailbox.mails
    assert mail["Subject"] == "focuscrawl: template-contacts-四川 failed (exit 3)"
    assert (mail["From"], mail["To"]) == ("x@y.test", "a@b.test, c+d@e.test")
    assert mailbox.recipients == [["a@b.test", "c+d@e.test"]]
    body = mail.get_content().replace("\r\n", "\n")
    assert body.startswith(
        "template-contacts-四川: finished\n  began     2026-03-05 07:00:03+08:00"
    )
    assert "  note      没有标题\n" in body
    assert "geheim" not in mail.as_string() + body
    assert mail.as_bytes().isascii()
    assert mail["Date"]
    assert mail["Message-ID"].endswith("@y.test>")
    assert mailbox.logins == []


def test_a_login_is_sent_to_the_own_machine_also_without_tls() -> None:
    with mail_server(needs_login=True) as mailbox:
        assert deliver(failed_report(), [target(mailbox, LOGIN)]) == []
    assert mailbox.logins == [(USER, PASSWORD)]
    assert mailbox.encrypted == [False]


@pytest.mark.parametrize(
    ("login", "scheme"),
    [("", "smtp"), (LOGIN, "smtp"), ("", "smtps")],
    ids=["starttls", "starttls with a login", "from the start"],
)
def test_a_connection_is_encrypted_where_that_is_offered(
    tls: ssl.SSLContext, login: str, scheme: str
) -> None:
    with mail_server(tls, needs_login=bool(login), is_smtps=scheme == "smtps") as mailbox:
        assert deliver(failed_report(), [target(mailbox, login, scheme)]) == []
    assert len(mailbox.mails) == 1
    assert scheme == "smtps" or mailbox.encrypted == [True]


def test_a_password_is_sent_to_another_machine_by_tls_with_its_certificate_only(
    tls: ssl.SSLContext,
) -> None:
    with mail_server(needs_login=True) as mailbox:
        far = replace(target(mailbox, LOGIN), host="mail.example.org")
        with (
            smtplib.SMTP("127.0.0.1", mailbox.port, timeout=20) as client,
            pytest.raises(ArgumentError, match="STARTTLS"),
        ):
            far.start_tls(client)
    assert mailbox.logins == []
    with mail_server(tls) as mailbox:
        client = smtplib.SMTP("127.0.0.1", mailbox.port, timeout=20)
        with pytest.raises(ssl.SSLCertVerificationError):
            far.start_tls(client)
        client.close()


def test_a_refused_password_is_one_line_without_it() -> None:
    with mail_server(needs_login=True) as mailbox:
        wrong = target(mailbox, LOGIN, password="falsches-geheim")
        (failure,) = deliver(failed_report(), [wrong])
    assert failure == (
        f"mail to a@b.test, c+d@e.test by 127.0.0.1:{mailbox.port} was not sent: the server refuses"
        " user name or password (535); correct them"
    )
    assert mailbox.mails == []


def test_a_server_without_login_is_named() -> None:
    with mail_server() as mailbox:
        (failure,) = deliver(failed_report(), [target(mailbox, LOGIN)])
    assert "AUTH" in failure
    assert "\n" not in failure


@pytest.mark.parametrize("refused", [{"a@b.test"}, {"a@b.test", "c+d@e.test"}])
def test_refused_recipients_are_named_and_the_others_get_the_mail(refused: set[str]) -> None:
    with mail_server() as mailbox:
        mailbox.refused = refused
        (failure,) = deliver(failed_report(), [target(mailbox)])
    for address in refused:
        assert f"{address} (550 no such user here)" in failure
    assert mailbox.recipients == ([] if len(refused) == 2 else [["c+d@e.test"]])


def test_plain_smtp_to_a_tls_port_ends_in_one_line(tls: ssl.SSLContext) -> None:
    with mail_server(tls, is_smtps=True) as mailbox:
        (failure,) = deliver(failed_report(), [target(mailbox)], seconds=2)
    assert "was not sent" in failure
    with mail_server() as mailbox:
        (failure,) = deliver(failed_report(), [target(mailbox, scheme="smtps")])
    assert "TLS does not work; check port and scheme" in failure


def test_the_subject_has_one_line_and_names_the_end() -> None:
    assert (
        subject_of(failed_report(crawl="a\n b", exit_code=2)) == "focuscrawl: a b failed (exit 2)"
    )
    assert subject_of(failed_report(exit_code=0)) == "focuscrawl: maize-yz88 alarm"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://h/?to=a@b", ("smtp", "h", 25, "", "a@b", ("a@b",))),
        ("smtps://me@h?to=a@b&from=c@d", ("smtps", "h", 465, "me", "c@d", ("a@b",))),
        ("smtp://h:587/?to=a@b&to=c%40d", ("smtp", "h", 587, "", "a@b", ("a@b", "c@d"))),
        ("smtp://[::1]:25/?to=王@例.cn", ("smtp", "::1", 25, "", "王@例.cn", ("王@例.cn",))),
    ],
)
def test_a_url_is_read(url: str, expected: tuple[object, ...]) -> None:
    found = mail_target(url, "wort")
    assert (
        found.scheme, found.host, found.port, found.user, found.sender, found.recipients
    ) == expected  # fmt: skip


@pytest.mark.parametrize(
    ("url", "password", "words"),
    [
        ("smtp://me:geheim@h/?to=a@b", "", "FOCUSCRAWL_MAIL_PASSWORD"),
        ("smtp://me@h/?to=a@b", "", "there is no password"),
        ("smtp://me@h/?to=a@b", "密码", "other than ASCII"),
        ("smtp://h/", "", "names no recipient"),
        ("smtp://h/?to=a@b%0aBcc:c@d", "", "is not a mail address"),
        ("smtp://h/?to=a@b&from=me", "", "'me' is not a mail address"),
        ("smtp://h/?to=a@b&cc=c@d", "", "the unknown part cc="),
        ("http://h/?to=a@b", "", "not the URL of a mail server"),
        ("smtp://h:x/?to=a@b", "", "not the URL of a mail server"),
        ("smtp://h:0/?to=a@b", "", "not the URL of a mail server"),
        ("smtp://h/inbox?to=a@b", "", "not the URL of a mail server"),
        ("a@b", "", "not the URL of a mail server"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_with_the_remedy(
    url: str, password: str, words: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        mail_target(url, password)
    assert words in str(caught.value)
    assert "geheim" not in str(caught.value)
    assert "\n" not in str(caught.value)
