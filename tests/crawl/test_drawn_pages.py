"""Crawls of pages that a browser draws, with the real Chromium."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import NO_DELAYS, Crawler, one_line, wait_until
from tests.crawl.drawn_site import PROFILE, ROWS, TITLES, ScriptSite, need_chromium, rows_of
from tests.servers.warm_scrapy import Process

Start = Callable[..., DemoWeb]
BOTH = "select title, text, validators from articles where is_complete order by title"


@pytest.fixture
def drawn(crawl: Crawler, demo: Start, no_workbook: None) -> Callable[..., tuple[DemoWeb, str]]:
    """Serves a :class:`ScriptSite` as ``app.test``, and writes a profile for it."""
    need_chromium()
    crawl.spider = "list"

    def make(site: ScriptSite | None = None, **changes: Any) -> tuple[DemoWeb, str]:
        web = demo(days=1)
        web.sites["app.test"] = site or ScriptSite(per_page=6)
        path = crawl.folder / "drawn.yaml"
        profile = {key: one for key, one in (PROFILE | changes).items() if one is not None}
        path.write_text(yaml.safe_dump(profile, allow_unicode=True), encoding="utf-8")
        return web, f"site={path}"

    return make


@pytest.fixture
def canary() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine that pages may not reach, for TCP and UDP, and what arrives there."""
    found: list[bytes] = []
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with socket.create_server(("127.0.0.1", 0)) as tcp, udp:
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))

        def accept() -> None:
            with suppress(OSError):
                while True:
                    found.append(tcp.accept()[0].recv(100))

        def receive() -> None:
            with suppress(OSError):
                while True:
                    found.append(udp.recv(100))

        for listen in (accept, receive):
            threading.Thread(target=listen, daemon=True).start()
        yield port, found
        tcp.shutdown(socket.SHUT_RDWR)
        udp.close()


def processes_below(pid: int, kind: str) -> list[int]:
    """Return the processes below one whose command line has a text."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [pid] if kind in Path(f"/proc/{pid}/cmdline").read_text() else []
    return found + [one for child in map(int, children) for one in processes_below(child, kind)]


def test_drawn_pages_are_recorded_and_replayed_without_a_browser(
    crawl: Crawler, drawn: Callable[..., tuple[DemoWeb, str]]
) -> None:
    web, site = drawn(ScriptSite(per_page=3))
    done = crawl("-a", site, "-s", "FOCUSCRAWL_WARC=all.warc.gz")
    assert (done.code, done.count("new"), done.count("requests")) == (0, 3, 5), done.out
    rows = crawl.rows(BOTH)
    assert [title for title, _, _ in rows] == sorted(TITLES[:3])
    assert all(text.startswith(title) for title, text, _ in rows)
    # Those of the page without its text.
    assert {validators for _, _, validators in rows} <= {None, "{}"}
    again = crawl("-a", site, "-a", "refresh=all")
    assert (again.code, again.count("changed"), again.count("requests")) == (0, 0, 5), again.out
    crawl.environment |= {
        "FOCUSCRAWL_DATA": "replayed",
        "FOCUSCRAWL_STORES": "sqlite:///two.sqlite",
    }
    web.sites.clear()
    replayed = crawl(
        *("-a", site, "-s", "FOCUSCRAWL_REPLAY=all.warc.gz", "-s", "FOCUSCRAWL_CHROMIUM=/none")
    )
    assert (replayed.code, replayed.count("new")) == (0, 3), replayed.out + replayed.err
    crawl.folder.joinpath("data").rename(crawl.folder / "first")
    crawl.folder.joinpath("data").mkdir()
    crawl.folder.joinpath("two.sqlite").rename(crawl.database)
    assert crawl.rows(BOTH) == rows


def test_clicks_give_further_entries_up_to_a_limit_that_is_told(
    crawl: Crawler, drawn: Callable[..., tuple[DemoWeb, str]]
) -> None:
    _, site = drawn(
        ScriptSite(), render="list", click={"css": ".more"}, max_clicks=2, wait_for=None,
        start_urls=[f"http://app.test/{name}" for name in ("more", "pager", "endless")],
    )  # fmt: skip
    done = crawl("-a", site, "-a", "title=玉米|港口|临储")
    # Of the six entries of each list. The articles, which are not drawn, have no text.
    assert (done.count("incomplete"), done.count("title")) == (12, 6), done.out
    limit = "was clicked 2 times, and the button of click is still there; raise max_clicks"
    assert re.findall(rf"not done +(\S+) {limit}", done.out) == ["http://app.test/endless"]


def test_no_request_leaves_but_by_the_guard(
    crawl: Crawler, drawn: Callable[..., tuple[DemoWeb, str]], canary: tuple[int, list[bytes]]
) -> None:
    port, arrived = canary
    here = f"localhost:{port}"
    leaks = f"""
        for (const tag of ['img', 'iframe', 'script', 'embed', 'video', 'audio', 'track'])
            {{ const one = document.createElement(tag); one.src = 'http://{here}/' + tag; document.body.append(one) }}
        for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'stylesheet', 'icon', 'manifest', 'preload'])
            {{ const one = document.createElement('link'); one.rel = rel; one.href = 'http://{here}/' + rel; document.head.append(one) }}
        for (const url of ['http://{here}/', 'http://127.0.0.1:{port}/', 'http://[::1]:{port}/', '/away'])
            fetch(url, {{mode: 'no-cors'}});
        new WebSocket('ws://{here}/ws'); new EventSource('http://{here}/events');
        navigator.sendBeacon('http://{here}/beacon', 'x'); window.open('http://{here}/window');
        const code = URL.createObjectURL(new Blob([`fetch('http://{here}/worker'); new WebSocket('ws://{here}/')`]));
        new Worker(code); new SharedWorker(code);
        navigator.serviceWorker?.register('/sw.js').catch(() => 0);
        const ice = ['stun:127.0.0.1:{port}', 'turn:127.0.0.1:{port}?transport=tcp'];
        const frame = document.createElement('iframe'); document.body.append(frame);
        const Peer = window.RTCPeerConnection || frame.contentWindow.RTCPeerConnection;
        if (Peer) {{
            const peer = new Peer({{iceServers: [{{urls: ice, username: 'a', credential: 'b'}}]}});
            peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o));
        }}
        const form = document.createElement('form'); form.method = 'post'; form.action = 'http://{here}/form';
        document.body.append(form); setTimeout(() => form.submit(), 50);
        setTimeout(() => location.href = 'http://{here}/secret', 100);
        document.cookie = 'seen=1'; fetch('/moved'); fetch('/hidden/data'); const Transport = window.WebTransport || frame.contentWindow.WebTransport;
        if (Transport) new Transport('https://127.0.0.1:{port}/');
    """
    leaking = ScriptSite({"/static": leaks})
    leaking.robots = "User-agent: *\nDisallow: /hidden/\n"
    leaking.redirects |= {"/away": f"http://{here}/redirected", "/moved": "/kept"}
    # Browsers take such a host for a safe one, with workers and WebTransport.
    start_urls = ["http://app.localhost/static"]
    web, site = drawn(render="list", start_urls=start_urls, wait_for=None, cookies=True)
    web.sites["app.localhost"] = leaking
    done = crawl("-a", site, "-a", "title=没有")
    assert done.code == 0, done.out + done.err
    assert "6 title" in done.out
    assert "private address" in done.out
    assert (
        "robots.txt forbids what pages request by scripts, such as http://app.localhost/hidden/"
        in done.out
    )
    assert arrived == []
    asked = {one.url for one in web.log}
    assert {urlsplit(url).hostname for url in asked} == {"app.localhost"}
    assert "http://app.localhost/away" in asked
    assert "http://app.localhost/hidden/data" not in asked
    # A redirect within the site has the cookies of the page.
    assert leaking.cookies["/kept"] == "seen=1"


HOSTILE = {
    "/a/7.html": "while (true) {}",
    "/a/8.html": "const kept = []; setInterval(() => kept.push(new Uint8Array(9e7).fill(7)), 20);",
    "/a/9.html": "setTimeout(() => location.reload(), 10);",
    "/a/10.html": (
        "app.innerHTML = '<div class=text>有正文,山东玉米每吨2300元。</div>';"
        "alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'; print();"
        "navigator.geolocation.getCurrentPosition(() => app.remove());"
        "for (let n = 0; n < 99; n++) window.open('/list'); setTimeout(() => location.href = '/file.bin', 10);"
    ),
    "/a/11.html": (
        "app.innerHTML = '<div class=text>没有尽头,山东玉米每吨2300元。</div>';"
        "setInterval(() => { for (let n = 0; n < 500; n++) app.append(document.createElement('i')) }, 50);"
    ),
    "/a/12.html": "app.innerHTML = '<div class=other>没有等到</div>';",
}


# Each takes the time that a page may take.
@pytest.mark.exhaustive
def test_hostile_pages_fail_alone(
    crawl: Crawler, drawn: Callable[..., tuple[DemoWeb, str]]
) -> None:
    _, site = drawn(
        ScriptSite(HOSTILE), render="article", start_urls=["http://app.test/static"],
        wait_for={"css": "div.text"},
    )  # fmt: skip
    limits = ("-s", "FOCUSCRAWL_PAGE_SECONDS=10", "-s", "FOCUSCRAWL_PAGE_MEMORY_MB=500")
    done = crawl("-a", site, *limits, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2")
    assert done.code == 3, done.out + done.err
    for reason in (
        "drawing takes over 10 s", "drawing needs over 500 MB, or kills the browser",
        "wait_for is not on the page after 10 s",
    ):  # fmt: skip
        assert reason in done.out, done.out
    rows = dict(crawl.rows("select title, text from articles where is_complete"))
    assert {title: text[:3] for title, text in rows.items()} == {
        TITLES[3]: "有正文", TITLES[4]: "没有尽",
    }  # fmt: skip


def test_a_kill_costs_pages_a_retry(
    crawl: Crawler, drawn: Callable[..., tuple[DemoWeb, str]]
) -> None:
    web, site = drawn()

    def killed(kind: str, process: Process) -> None:
        """Kill a process of a crawl while it draws another article."""
        before = sum("/api/article" in one.url for one in web.log)
        wait_until(process, lambda: sum("/api/article" in one.url for one in web.log) > before)
        os.kill(processes_below(process.pid, kind)[0], signal.SIGKILL)

    one_by_one = ("-a", site, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    first = crawl.start(*one_by_one)
    killed("", first)
    first.communicate(timeout=120)
    assert first.returncode == -signal.SIGKILL
    second = crawl.start(*one_by_one)
    killed("--remote-debugging-pipe", second)
    killed("run-driver", second)
    out, err = second.communicate(timeout=120)
    assert second.returncode == 0, out + err
    assert [title for title, _, _ in crawl.rows(BOTH)] == sorted(TITLES)
    assert len(crawl.rows("select 1 from articles")) == len(ROWS)


def test_what_is_missing_is_one_line_before_any_request(
    crawl: Crawler, drawn: Callable[..., tuple[DemoWeb, str]]
) -> None:
    web, site = drawn()
    done = crawl("-a", site, "-s", "FOCUSCRAWL_CHROMIUM=/none")
    assert done.code == 2
    assert "FOCUSCRAWL_CHROMIUM=/none is no program" in one_line(done.err)
    crawl.environment["FOCUSCRAWL_CHROMIUM"] = "/bin/true"
    broken = crawl("-a", site)
    assert broken.code == 2
    assert "/bin/true does not start" in one_line(broken.err)
    assert not any("/api" in one.url for one in web.log)


# Prints what each command has loaded, in a fork of a process that has imported only Scrapy.
LOADED = """
import os, runpy, sys, scrapy.cmdline
for command in sys.argv[1:]:
    if os.fork():
        assert os.wait()[1] == 0
        continue
    sys.argv[:] = ["scrapy", *command.split()]
    try:
        runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        print("loaded", *sys.modules, file=sys.stderr, flush=True)
        os._exit(end.code or 0)
"""


def test_playwright_is_not_loaded_where_nothing_is_drawn(
    crawl: Crawler, demo: Start, no_workbook: None
) -> None:
    demo(days=3)
    crawl.environment["SCRAPY_SETTINGS_MODULE"] = "focuscrawl.settings"
    commands = "crawl list -a site=demo -a max_pages=1", "newsite http://bulletins.demo.test/list/"
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *(f"{one} {' '.join(NO_DELAYS)}" for one in commands)],
        cwd=crawl.folder, env=os.environ | crawl.environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    loaded = [line.split() for line in done.stderr.splitlines() if line.startswith("loaded")]
    assert ["focuscrawl.crawling.list_response" in names for names in loaded] == [True, True]
    assert not {name for names in loaded for name in names if "playwright" in name}
    assert not any("focuscrawl.crawling.page_drawing" in names for names in loaded)


def test_entries_of_a_page_are_merged_in_their_order() -> None:
    from focuscrawl.sites.page_reading import with_earlier_entries
    from focuscrawl.sites.site_profile import Rule

    pages = [rows_of(ROWS[:2]), rows_of(ROWS[1:4]), rows_of(ROWS[4:])]
    merged = with_earlier_entries(pages, Rule(css="ul.news li"))
    assert [merged.index(title) for title in TITLES] == sorted(merged.index(t) for t in TITLES)
    assert merged.count("<li>") == 6
