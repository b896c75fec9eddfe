"""The crontab and the systemd units of ``deploy/``, checked by the programs that read them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.summary.report_mail import mail_target
from tests.crawl.conftest import Crawler, crawl, demo
from tests.documentation.console_sessions import ROOT, steps_of

__all__ = ["crawl", "demo"]

DEPLOY = ROOT / "deploy"
HOME = "/srv/focuscrawl"
ENVIRONMENT = "/etc/focuscrawl.env"
_FIELDS = re.compile(r"((?:[\d*,/-]+ ){5})(.+)")

needs_systemd = pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="systemd-analyze is not here"
)


def crontab_lines() -> list[tuple[str, str]]:
    """Return schedule and command of each line of the crontab."""
    text = (DEPLOY / "crontab.example").read_text("utf-8")
    matches = (_FIELDS.fullmatch(line) for line in text.splitlines())
    return [(match[1].strip(), match[2]) for match in matches if match]


def install(folder: Path, text: str) -> str:
    """Return a text with the paths of a new installation in a folder, which is made."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / "log").mkdir()
    scrapy = folder / ".venv" / "bin" / "scrapy"
    scrapy.write_text(f'#!/bin/sh\nexec {sys.executable} -m scrapy "$@"\n')
    scrapy.chmod(0o755)
    shutil.copy(DEPLOY / "focuscrawl.env.example", folder / "focuscrawl.env")
    return text.replace(HOME, str(folder)).replace(ENVIRONMENT, str(folder / "focuscrawl.env"))


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@needs_systemd
@pytest.mark.parametrize(
    "name",
    [
        "focuscrawl.service",
        "focuscrawl-web.service",
        "scrapyd.service",
        "focuscrawl-worker@.service",
    ],
)
def test_systemd_accepts_each_service(tmp_path: Path, name: str) -> None:
    service = install(tmp_path, (DEPLOY / name).read_text("utf-8"))
    shutil.copy(tmp_path / ".venv" / "bin" / "scrapy", tmp_path / ".venv" / "bin" / "scrapyd")
    shutil.copy(DEPLOY / "focuscrawl.timer", tmp_path)
    unit = tmp_path / name.replace("@", "@1")
    unit.write_text(service)
    units = [str(unit)]
    if name == "focuscrawl.service":
        units.append(str(tmp_path / "focuscrawl.timer"))
    done = run("systemd-analyze", "verify", *units, **os.environ)
    names = ("focuscrawl.", unit.name)
    complaints = [line for line in done.stderr.splitlines() if any(name in line for name in names)]
    assert (done.returncode, complaints) == (0, []), done.stderr


def test_the_web_views_end_alone_and_leave_crawls_running() -> None:
    assert "\nKillMode=process\n" in (DEPLOY / "focuscrawl-web.service").read_text("utf-8")


@needs_systemd
def test_the_timer_elapses_every_morning() -> None:
    timer = (DEPLOY / "focuscrawl.timer").read_text("utf-8")
    (calendar,) = re.findall(r"^OnCalendar=(.+)$", timer, re.MULTILINE)
    command = ("systemd-analyze", "calendar", "--iterations=2", calendar)
    done = run(*command, **os.environ | {"TZ": "Asia/Shanghai"})
    assert done.returncode == 0, done.stderr
    assert re.search(r"Next elapse: .* 07:00:00 CST", done.stdout), done.stdout


def test_the_crontab_has_only_lines_that_cron_reads() -> None:
    text = (DEPLOY / "crontab.example").read_text("utf-8")
    other = [line for line in text.splitlines() if not _FIELDS.fullmatch(line)]
    assert all(re.match(r"#|[A-Z]+=", line) for line in other), other
    assert [schedule for schedule, _ in crontab_lines()] == ["0 7 * * *", "30 7 * * 1"]
    # A percent sign means a line break there.
    assert not [command for _, command in crontab_lines() if "%" in command]


def test_the_command_of_the_crontab_and_the_check_of_its_log_work(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=2)
    home = crawl.folder / "home"
    command = install(home, crontab_lines()[0][1]).replace("site=yz88", "site=demo")
    added = crawl.environment | {
        "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
        "FOCUSCRAWL_MAIL_PASSWORD": "geheim",
    }
    with (home / "focuscrawl.env").open("a") as file:
        file.writelines(f"{name}='{value}'\n" for name, value in added.items())
    # cron sets little more.
    done = run("/bin/sh", "-c", command, PATH="/usr/bin:/bin", HOME=str(home))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (home / "log" / "maize.err").read_text() == ""
    assert json.loads((home / "log" / "maize.jsonl").read_text())["exit_code"] == 0

    page = (ROOT / "docs" / "cron.md").read_text("utf-8")
    (check,) = [step.command for step in steps_of(page) if step.command.startswith("find ")]
    checked = f"cd {home}; {check}"
    assert run("/bin/sh", "-c", checked, **os.environ).stdout == "well\n"
    bad = install(home / "2", command).replace("site=demo", "site=no-such")
    assert run("/bin/sh", "-c", bad, PATH="/usr/bin:/bin", HOME=str(home)).returncode == 2
    assert run("/bin/sh", "-c", checked, **os.environ).stdout == ""


def test_a_shell_reads_the_environment_file_as_it_is_meant() -> None:
    script = f'. {DEPLOY / "focuscrawl.env.example"}; printf %s "$FOCUSCRAWL_MAIL"'
    url = run("/bin/sh", "-c", script).stdout
    assert mail_target(url, "x").recipients == ("analyst@example.org",)


def test_no_file_has_a_secret() -> None:
    text = (DEPLOY / "focuscrawl.env.example").read_text("utf-8")
    secrets = re.findall(r"^\w*(?:PASSWORD|TOKEN|WEBHOOK)\w*=(.*)$", text, re.MULTILINE)
    assert set(secrets) == {"''"}
    for path in DEPLOY.iterdir():
        assert not re.search(r"://[^/\s]+:[^/@\s]*[a-z][^/@\s]*@", path.read_text("utf-8")), path
