"""Delivery of reports: when it is due, and what happens if a server does not answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from smtplib import SMTPException
from threading import Thread

import pytest

from focuscrawl.summary.report_delivery import deliver, is_due, reason_of
from focuscrawl.summary.report_mail import mail_target
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.summary.run_report import RunReport
from tests.servers.process import free_port
from tests.servers.webhook_server import webhook_server
from tests.summary.reports import failed_report


@pytest.fixture
def silent_port() -> Iterator[int]:
    """The port of a server that accepts connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("code", "alarms", "expected"),
    [(0, [], False), (None, [], False), (0, ["nothing"], True), (1, [], True), (3, [], True)],
)
def test_a_report_is_due_after_a_failure_or_an_alarm(
    code: int | None, alarms: list[str], expected: bool
) -> None:
    assert is_due(failed_report(exit_code=code, alarms=alarms)) is expected


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_mail_server_that_never_answers_is_given_up(silent_port: int, scheme: str) -> None:
    """The time limit of the socket is told from a closed connection."""
    target = mail_target(f"{scheme}://127.0.0.1:{silent_port}/?to=a@b.test", "")
    (failure,) = deliver(failed_report(), [target], seconds=0.3)
    assert failure.endswith("was not sent: no answer within 0.3 seconds")
    with pytest.raises((OSError, SMTPException)) as failure:
        target.send(failed_report(), 0.1)
    assert reason_of(failure.value, "no answer") == "no answer"


def test_a_webhook_that_never_answers_is_given_up() -> None:
    with webhook_server() as hook:
        hook.may_answer.clear()
        (failure,) = deliver(failed_report(), [webhook_target(hook.url, "")], seconds=0.3)
    assert failure.endswith("/*** was not sent: no answer within 0.3 seconds")


def test_one_server_that_is_down_does_not_keep_the_other_from_its_report() -> None:
    mail = mail_target(f"smtp://127.0.0.1:{free_port()}/?to=a@b.test", "")
    with webhook_server() as hook:
        (failure,) = deliver(failed_report(), [mail, webhook_target(hook.url, "")])
    assert "connection refused" in failure
    assert len(hook.bodies) == 1


def test_an_unknown_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("http_proxy", raising=False)
    target = webhook_target("http://no-such-host.invalid/geheim", "")
    (failure,) = deliver(failed_report(), [target])
    assert "was not sent: the host name is not known" in failure
    assert "geheim" not in failure


class Faulty:
    """A target with a fault."""

    label = "fault"
    secrets: Sequence[str] = ("geheim",)

    def send(self, report: RunReport, seconds: float) -> None:
        raise LookupError("geheim\nis lost")


def test_a_fault_of_the_program_is_one_line_without_secrets() -> None:
    assert deliver(failed_report(), [Faulty()]) == ["fault was not sent: *** is lost (LookupError)"]


def test_a_machine_without_threads_left_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    assert deliver(failed_report(), [Faulty()]) == ["fault was not sent: can't start new thread"]
