"""What a run says of itself: exit code, summary, messages that name the cause and no secret."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from textwrap import indent

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import NO_DELAYS, Crawler, Finished, one_line
from tests.crawl.nonsense import ANSWERS, NonsenseServer
from tests.evaluation.small_web import html
from tests.replay.warcs import write_warc
from tests.servers import warm_scrapy
from tests.servers.process import free_port

TOPIC = """
name: nets
lexicon: {神经网络: 3}
seeds: [http://start.test/]
positive_domains: [a.test]
negative_domains: [b.test]
"""
BODY = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")


def line_of(done: Finished, name: str) -> str:
    """Return the text of the only line of a summary with a name."""
    (line,) = [line for line in done.out.splitlines() if line.startswith(f"  {name} ")]
    return line.removeprefix(f"  {name} ").strip()


@pytest.fixture
def topic(crawl: Crawler) -> Crawler:
    (crawl.folder / "nets.yaml").write_text(TOPIC, "utf-8")
    return crawl


def with_seeds(crawl: Crawler, spider: str, seeds: str, *more: str) -> Finished:
    """Run one of the spiders that have seeds."""
    crawl.spider = spider
    own = {"template": ("-a", "template=contacts")}.get(spider, ("-a", "topic=./nets.yaml"))
    return crawl(*own, "-a", f"seeds={seeds}", *more)


def listed(count: int) -> bytes:
    """Return a list page of articles ``/0.htm`` to ``/COUNT-1.htm``."""
    return "".join(f"<li><a href='{n}.htm'>玉米 {n}</a></li>" for n in range(count)).encode(
        "gb18030"
    )


# Exit codes and what was not done.


@pytest.mark.parametrize(("spider", "kind"), [("maize", "mysql"), ("tunnel", "mongodb")])
def test_a_database_that_is_away_has_no_results(
    topic: Crawler, demo: Callable[..., DemoWeb], spider: str, kind: str
) -> None:
    demo(days=2)
    options = "?serverSelectionTimeoutMS=200" if kind == "mongodb" else ""
    url = f"{kind}://me:geheim@127.0.0.1:{free_port()}/db{options}"
    stores = f"FOCUSCRAWL_STORES={url},excel:///a.xlsx"
    settings = ("-s", stores, "-s", "FOCUSCRAWL_STORE_RETRY=0.2")
    if spider == "maize":
        done = topic("-a", "site=demo", *settings)
    else:
        url = "http://bulletins.demo.test/list/"
        done = with_seeds(topic, spider, url, "-a", "keep=all", *settings)
    assert done.code == 3, done.err
    assert "results" not in done.out
    assert not (topic.folder / "a.xlsx").exists()
    assert "records are not in" in line_of(done, "not done")
    found = re.search(
        r"(\d+) records for \S+ in (\S+\.jsonl); the next run", line_of(done, "waiting")
    )
    assert found
    assert (topic.folder / found[2]).read_bytes().count(b"\n") == int(found[1]) > 0
    if spider == "maize":
        # Another database does not make the records forgotten.
        again = topic("-a", "site=demo")
        assert again.code == 0, again.err
        assert line_of(again, "note").startswith(f"{found[2]} holds records")
    assert "geheim" not in done.out + done.err


@pytest.mark.parametrize(("spider", "code"), [("tunnel", 3), ("template", 3), ("labels", 2)])
def test_seeds_that_fail_are_named_with_the_reason(
    topic: Crawler, demo: Callable[..., DemoWeb], spider: str, code: int
) -> None:
    web = demo(days=1)
    web.sites["busy.test"] = Busy()
    done = with_seeds(topic, spider, "http://busy.test/?token=geheim", "-s", "RETRY_TIMES=0")
    assert done.code == code, done.err
    assert "  seeds     failed: http://busy.test/?token=*** (HTTP 503)\n" in done.out
    assert line_of(done, "failed") == "1 HTTP 503"
    assert "no seed could be read (HTTP 503)" in line_of(done, "not done")
    assert "geheim" not in done.out + done.err
    assert "Traceback" not in done.err


class Busy:
    """A site that answers nothing but errors."""

    def respond(self, path: str, query: str, headers: object) -> Response:
        return Response(404 if path == "/robots.txt" else 503, {}, b"")


def test_a_seed_that_is_a_bomb_is_named(topic: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=1).sites["bomb.test"] = Bomb()
    limit = ("-s", "DOWNLOAD_MAXSIZE=100000")
    done = with_seeds(topic, "tunnel", "http://bomb.test/", *limit)
    assert done.code == 3, done.err
    assert "http://bomb.test/ (too large)" in done.out


class Bomb:
    """A site whose page is small as it is sent, and large when it is decompressed."""

    def respond(self, path: str, query: str, headers: object) -> Response:
        import gzip

        if path == "/robots.txt":
            return Response(404, {}, b"")
        head = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
        return Response(200, head, gzip.compress(b"<p>x" * 1_000_000))


def test_more_than_ten_failed_seeds_are_counted(topic: Crawler) -> None:
    seeds = ",".join(f"http://a{n}.test/" for n in range(12))
    done = with_seeds(topic, "tunnel", seeds, "-s", "RETRY_TIMES=0")
    assert done.code == 3
    assert re.search(r"seeds +failed: (http\S+ \(.*?\), ){10}and 2 more\n", done.out)


def test_a_run_that_judges_no_page_is_no_success(topic: Crawler) -> None:
    write_warc(topic.folder / "web.warc.gz", iter([html("http://other.test/", "x")]))
    page = topic.folder / "text.txt"
    page.write_text("text")
    done = with_seeds(topic, "tunnel", f"http://start.test/{page.name}",
                      "-s", "FOCUSCRAWL_REPLAY=web.warc.gz")  # fmt: skip
    assert done.code == 3
    assert "judged    0 pages" in done.out


@pytest.mark.parametrize(("broken", "code"), [(2, 0), (3, 3)])
def test_most_entries_without_article_are_no_success(
    crawl: Crawler,
    odd: Callable[..., str],
    broken: int,
    code: int,
) -> None:
    pages = {"/": listed(4)} | {f"/{n}.htm": BODY for n in range(broken, 4)}
    done = crawl("-a", odd(pages))
    assert done.code == code, done.out + done.err
    assert line_of(done, "failed") == f"{broken} HTTP 404"
    assert ("entries gave no article" in done.out) == (code == 3)


def test_numbers_that_fail_are_no_success(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=1).sites["numbers.test"] = Numbers()
    crawl.spider = "article"
    crawl.environment["FOCUSCRAWL_STORES"] = f"sqlite:///{crawl.database}"
    done = crawl("-a", "url=http://numbers.test/{n}.htm", "-a", "stop=6", "-a", "stop_after=0",
                 "-s", "RETRY_TIMES=0")  # fmt: skip
    assert done.code == 3, done.out + done.err
    assert line_of(done, "failed") == "4 HTTP 503; the next run retries them"
    assert "4 of 6 numbers failed" in line_of(done, "not done")


class Numbers:
    """A site of numbered articles whose first four fail."""

    def respond(self, path: str, query: str, headers: object) -> Response:
        found = re.fullmatch(r"/(\d+)\.htm", path)
        if not found or int(found[1]) > 6:
            return Response(404, {}, b"")
        if int(found[1]) <= 4:
            return Response(503, {}, b"")
        text = (
            f"<html><title>第 {found[1]} 篇</title><body><p>{'这是一篇文章。' * 40}{found[1]}</p>"
        )
        return Response(200, {"Content-Type": "text/html; charset=utf-8"}, text.encode())


# Messages.


def test_a_proxy_that_refuses_is_named_with_the_remedy(crawl: Crawler) -> None:
    crawl.environment["http_proxy"] = "http://me:geheim@127.0.0.1:9"
    done = crawl("-a", "site=demo", "-s", "RETRY_TIMES=0")
    assert done.code == 2
    assert "connection refused by the proxy 127.0.0.1:9" in one_line(done.err)
    assert "scrapy demo" in one_line(done.err)
    assert "geheim" not in done.out + done.err


def test_a_name_that_nobody_knows(crawl: Crawler) -> None:
    crawl.environment |= {"http_proxy": "", "https_proxy": ""}
    done = crawl("-a", "site=demo", "-a", "start_url=http://nosuch.invalid/", "-s", "RETRY_TIMES=0")
    assert done.code == 2
    assert "(robots.txt unreachable: DNS lookup): http://nosuch.invalid/; check" in one_line(
        done.err
    )


def test_nonsense_from_servers_leaves_no_traceback(topic: Crawler) -> None:
    topic.environment |= {"http_proxy": "", "https_proxy": ""}
    settings = ("DOWNLOAD_TIMEOUT=5", "FOCUSCRAWL_RETRY_AFTER_MAX=0", "RETRY_TIMES=0")
    # So that the site is not given up before all of it is read.
    limits = ("-a", "mode=best-first", *(part for one in settings for part in ("-s", one)))
    with NonsenseServer() as server:
        (topic.folder / "s.txt").write_text("\n".join(server.url + name for name in ANSWERS))
        done = with_seeds(topic, "tunnel", "s.txt", *limits)
    # One of the redirects leads to a host that nobody has named, without a robots.txt: that seed waits.
    assert done.code == 3, done.err
    assert "  note      robots.txt of a..test cannot be fetched" in done.out
    waits = (
        f"  not done  {server.url}location-dots has no page (robots.txt unreachable: DNS lookup)"
    )
    assert waits in done.out
    assert "Traceback" not in done.err, done.err
    assert all(line.startswith("20") for line in done.err.splitlines()), done.err
    for reason in ("broken answer", "broken compression", "HTTP 99999"):
        assert reason in line_of(done, "failed")


def test_nonsense_on_article_pages_leaves_no_traceback(
    crawl: Crawler,
    odd: Callable[..., str],
) -> None:
    with NonsenseServer() as server:
        links = "".join(f"<li><a href='{server.url}{name}'>{name}</a></li>" for name in ANSWERS)
        site = odd({"/": links.encode()})
        crawl.environment["no_proxy"] = "127.0.0.1"
        limits = ("-s", "DOWNLOAD_TIMEOUT=5", "-s", "FOCUSCRAWL_RETRY_AFTER_MAX=0")
        limits += ("-s", "FOCUSCRAWL_ALLOW_PRIVATE=True")
        done = crawl("-a", site, *limits, "-s", "RETRY_TIMES=0")
    # None of them has the body that the profile names.
    assert done.code == 2, done.err
    assert "Traceback" not in done.err, done.err
    assert "broken compression" in line_of(done, "failed")


def scrapy(crawl: Crawler, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    project = {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    return warm_scrapy.run(arguments, cwd=crawl.folder, env=os.environ | project | environment)


def test_the_shell_of_scrapy_reads_a_recording(crawl: Crawler) -> None:
    write_warc(crawl.folder / "web.warc.gz", iter([html("http://a.test/", "Titel")]))
    done = scrapy(crawl, "shell", "http://a.test/", "-s", "FOCUSCRAWL_REPLAY=web.warc.gz",
                  "-c", "response.css('title::text').get()")  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "Titel"), done.stderr


def test_a_frontier_without_the_add_on_names_the_add_on(crawl: Crawler) -> None:
    (crawl.folder / "bare.py").write_text(
        "SCHEDULER = 'focuscrawl.scheduling.frontier_scheduler.FrontierScheduler'\nSPIDER_MODULES = ['bare_spider']\n"
        "COMMANDS_MODULE = 'focuscrawl.commands'\n"
    )
    (crawl.folder / "bare_spider.py").write_text(
        "import scrapy\n\nclass Bare(scrapy.Spider):\n    name = 'bare'\n    start_urls = ['data:,x']\n"
    )
    done = scrapy(crawl, "crawl", "bare", SCRAPY_SETTINGS_MODULE="bare")
    assert done.returncode == 2, done.stderr
    assert "FocuscrawlAddon" in one_line(done.stderr)


# Settings.


@pytest.mark.parametrize("arguments", [("crawl", "maize"), ("shell",)])
def test_an_unknown_variable_is_refused_by_every_command(
    crawl: Crawler, arguments: tuple[str, ...]
) -> None:
    done = scrapy(crawl, *arguments, FOCUSCRAWL_MODEL="x")
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done.stderr).endswith("did you mean FOCUSCRAWL_MODELS?")


def test_any_setting_comes_from_the_environment(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=1)
    crawl.environment |= {"FOCUSCRAWL_DATA": "elsewhere", "FOCUSCRAWL_BATCH_SIZE": "7"}
    assert crawl("-a", "site=demo").code == 0
    assert (crawl.folder / "elsewhere" / "focuscrawl.sqlite").exists()
    assert not (crawl.folder / "data").exists()
    crawl.environment["FOCUSCRAWL_BATCH_SIZE"] = "none"
    error = one_line(crawl("-a", "site=demo").err)
    assert "FOCUSCRAWL_BATCH_SIZE must be a number of at least 1, not 'none'" in error


def test_a_project_of_its_own_refuses_unknown_settings(crawl: Crawler) -> None:
    (crawl.folder / "theirs.py").write_text(
        "ADDONS = {'focuscrawl.addon.FocuscrawlAddon': 500}\nFOCUSCRAWL_MODLES = 'x'\n"
    )
    done = scrapy(crawl, "crawl", "maize", SCRAPY_SETTINGS_MODULE="theirs")
    assert done.returncode == 2, done.stderr
    assert one_line(done.stderr).endswith("did you mean FOCUSCRAWL_MODELS?")


# Standard output.


def test_a_full_standard_output_changes_nothing_of_what_was_done(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=2)
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"} | crawl.environment
    command = ["crawl", "maize", "-a", "site=demo", "-a", "title=山东", *NO_DELAYS]
    full = os.open("/dev/full", os.O_WRONLY)
    process = warm_scrapy.start(command, cwd=crawl.folder, env=environment, output=full)
    _, err = process.communicate(timeout=120)
    os.close(full)
    check_output(crawl, web, process.wait(), err, lines=1)


@pytest.mark.exhaustive
def test_a_closed_standard_output_changes_nothing_of_what_was_done(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=2)
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"} | crawl.environment
    command = f"{sys.executable} -m scrapy crawl maize -a site=demo -a title=山东 {' '.join(NO_DELAYS)} >&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=crawl.folder, env=environment, text=True, capture_output=True, check=False
    )  # fmt: skip
    check_output(crawl, web, done.returncode, done.stderr, lines=0)


def check_output(crawl: Crawler, web: DemoWeb, code: int, err: str, *, lines: int) -> None:
    """Check that a crawl has ended well, with so many lines of errors."""
    assert code == 0, err
    assert "Traceback" not in err
    assert err.count("\n") == lines
    assert crawl.rows("select count(*) > 0 from articles") == [(1,)]
    assert web.log


def test_characters_that_standard_output_lacks_are_escaped(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=1)
    crawl.environment["PYTHONIOENCODING"] = "ascii"
    done = crawl("-a", "site=demo", "-a", "title=没有")
    assert done.code == 0
    assert r"matched title=\u6ca1\u6709" in done.out
    assert done.out.isascii()


# Secrets.


def test_secrets_of_urls_are_in_no_log_line_and_in_the_store(
    crawl: Crawler,
    odd: Callable[..., str],
) -> None:
    links = "<li><a href='1.htm?token=geheim'>a</a></li><li><a href='2.htm?key=geheim'>b</a></li>"
    done = crawl("-a", odd({"/": links.encode(), "/1.htm": BODY}), "-L", "DEBUG",
                 "-s", f"FOCUSCRAWL_STORES=sqlite:///{crawl.database}")  # fmt: skip
    assert done.code == 0, done.err
    assert "1.htm?token=***" in done.err
    assert "2.htm?key=***" in done.err
    assert "geheim" not in done.out + done.err
    assert ("http://odd.test/1.htm?token=geheim",) in crawl.rows("select url from articles")


# Ctrl-C while the program loads.

INTERRUPT = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(5)\n"


@pytest.mark.parametrize(
    ("settings", "spiders"),
    [
        (INTERRUPT, ""),
        # Some libraries turn what is raised while they are loaded into something else.
        ("SPIDER_MODULES = ['slow_spiders']\n",
         f"try:\n{indent(INTERRUPT, '    ')}except BaseException:\n    pass\n"),
    ],
    ids=["project", "spiders"],
)  # fmt: skip
def test_ctrl_c_while_the_program_loads_leaves_no_traceback(
    crawl: Crawler, settings: str, spiders: str
) -> None:
    (crawl.folder / "mine.py").write_text(f"from focuscrawl.settings import *\n{settings}")
    (crawl.folder / "slow_spiders.py").write_text(spiders)
    done = scrapy(crawl, "crawl", "maize", "-a", "site=demo", SCRAPY_SETTINGS_MODULE="mine")
    assert (done.returncode, done.stderr) == (130, "")
