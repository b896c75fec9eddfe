"""``scrapy demo``, as a user runs it."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from datetime import date
from pathlib import Path

import pytest

from focuscrawl.commands import demo
from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.topics import load_topic
from tests.servers import warm_scrapy

PROJECT = Path(__file__).parents[2]
SCRAPY = [sys.executable, "-m", "scrapy", "demo"]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return warm_scrapy.run(["demo", *options], cwd=PROJECT)


def test_it_serves_prints_how_to_crawl_and_ends_quietly_on_ctrl_c(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    options = ["--days", "3", "--today", "2026-03-05", "--log", str(log)]
    with subprocess.Popen(
        [*SCRAPY, *options], cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        greeting = [process.stdout.readline().strip() for _ in range(6)]
        proxy = greeting[2].rpartition("=")[2]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
        with opener.open("http://bulletins.demo.test/list/", timeout=10) as response:
            page = response.read().decode("gb2312")
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    assert "2026-03-05" in greeting[0]
    assert "http://bulletins.demo.test/" in greeting[0]
    assert greeting[2] == f"export http_proxy={proxy} https_proxy={proxy}"
    assert greeting[3:] == [
        "scrapy crawl maize -a site=demo",
        "scrapy crawl article -a profile=demo",
        "scrapy crawl template -a template=contacts -a region=四川 -a engine=demo",
    ]
    assert "2026年3月5日山东玉米" in page
    assert log.read_text() == "200 http://bulletins.demo.test/list/\n"
    assert (process.returncode, rest.strip(), errors) == (0, "", "")


def test_a_port_in_use_gets_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("--port", str(port))
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: port {port} is in use")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--days", "0"], "days=0"),
        (["--today", "5 March"], "write it as 2026-03-05"),
        (["--dyas", "5"], "unknown option --dyas"),
        (["--latency-ms", "-1"], "argument --latency-ms: '-1' is not a number of at least 0"),
        (["--log", "no/such/folder/log"], "cannot write the log file no/such/folder/log"),
        (["--out", "somewhere"], "give --crawl as well"),
        (["--crawl", "--out", "a,b"], "contains ','"),
        (["--crawl", "--out", "README.md"], "cannot create the folder"),
        (["--truth", "truth.csv"], "give --communities as well"),
    ],
)
def test_a_mistake_gets_a_sentence_and_exit_code_2(options: list[str], words: str) -> None:
    result = run(*options)
    assert result.returncode == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_crawl_runs_the_spider_through_the_proxy_and_passes_its_exit_code_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stand-in for Scrapy notes how it was called, writes the database and fails."""
    note = tmp_path / "note"
    stand_in = tmp_path / "stand_in"
    stand_in.write_text(
        f"#!{sys.executable}\nimport os, pathlib, sys\n"
        "options = dict(pair.split('=', 1) for pair in sys.argv if '=' in pair)\n"
        "stores = options['FOCUSCRAWL_STORES'].split(',')\n"
        "pathlib.Path(stores[0].removeprefix('sqlite:///')).write_bytes(b'x')\n"
        f"words = [*sys.argv[1:], os.environ['http_proxy'], os.environ['https_proxy']]\n"
        f"pathlib.Path({str(note)!r}).write_text('\\n'.join(words))\n"
        "sys.exit(7)\n"
    )
    stand_in.chmod(0o755)
    monkeypatch.setattr(demo.sys, "executable", str(stand_in))
    out = tmp_path / "out"
    with DemoServer(DemoWeb(1, 3, date(2026, 3, 5))) as server:
        assert demo._crawl(server, out) == 7
        shown: list[list[str]] = []
        monkeypatch.setattr(demo, "_run", lambda _, command: shown.append(command) or 0)
        demo._show(server, out, 0)
    words = note.read_text().split("\n")
    assert words[:4] == ["-m", "scrapy", "crawl", "maize"]
    assert {"site=demo", "title=山东玉米", "DOWNLOAD_DELAY=0", f"FOCUSCRAWL_DATA={out}"} <= {*words}
    assert f"FOCUSCRAWL_STORES=sqlite:///{out}/demo.sqlite,excel:///{out}/demo.xlsx" in words
    assert words[-2:] == [server.url, server.url]
    # Crawls started in the browser write the workbook as well.
    assert f"FOCUSCRAWL_STORES=sqlite:///{out}/demo.sqlite,excel:///{out}/demo.xlsx" in shown[0]
    assert "--store" not in shown[0]
    assert capsys.readouterr().out == (
        f"database: {out / 'demo.sqlite'}\nworkbook: not written\n"
        f"in the browser: scrapy serve --store sqlite:///{out / 'demo.sqlite'}\n"
    )
    assert "FOCUSCRAWL_STORES" not in os.environ


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_signal_ends_what_was_started_as_well(number: signal.Signals) -> None:
    started = "print(1, flush=True); import time; time.sleep(600)"
    program = (
        "import sys; from types import SimpleNamespace; from focuscrawl.commands.demo import _run;"
        f"_run(SimpleNamespace(proxy_environment={{}}), [sys.executable, '-c', {started!r}])"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"1\n"
        process.send_signal(number)
        # The output ends with the last program that has it.
        assert process.communicate(timeout=60)[0] == b""


def test_communities_come_with_a_topic_and_the_truth(tmp_path: Path) -> None:
    topic, truth = tmp_path / "topics" / "money.yaml", tmp_path / "truth.csv"
    options = [
        "--communities",
        "9",
        "--articles",
        "5",
        "--topic",
        str(topic),
        "--truth",
        str(truth),
    ]
    with subprocess.Popen(
        [*SCRAPY, *options], cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        greeting = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert "http://bulletins.demo.test/ http://c000.communities.demo.test/" in greeting
    assert "and 111 more" in greeting
    known = load_topic(str(topic))
    assert known.name == "money"
    rows = [line.split(",") for line in truth.read_text(encoding="utf-8").splitlines()]
    assert rows[0] == ["url", "relevant", "page_type"]
    relevant = {url: flag == "1" for url, flag, _ in rows[1:]}
    labels = {known.label_of(url) for url in relevant}
    assert labels == {True, False, None}
    assert all(known.label_of(url) for url in known.seeds)
    # A site on the negative list has no relevant page.
    assert not any(flag and known.label_of(url) is False for url, flag in relevant.items())
