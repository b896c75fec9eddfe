"""Articles per second from MongoDB to MariaDB: ``scrapy transfer`` compared with a simple script.

    python benchmarks/transfer.py [--articles 100000] [--script-articles 100000]
                                  [--source URL --target URL]

The script exports JSON lines, one per document, then reads them and inserts each with its own
statement and commit, into a table with the columns and indexes of ours. It checks nothing; the
transfer reads every row back and compares its MD5. The articles are generated, with 2 KB of text and
3 KB of HTML on average. Without URLs, two servers are started: a mongod, and a mariadbd with its
default durability.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from pymongo import MongoClient

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from focuscrawl.items import NumberedArticle, check_code  # noqa: E402
from focuscrawl.stores.records.batch_changes import NUMBERED, Prepared  # noqa: E402
from focuscrawl.stores.records.canonical_records import prepare  # noqa: E402
from focuscrawl.stores.store_urls import make_stores  # noqa: E402
from tests.servers import mariadb, mongodb  # noqa: E402

SERIES = "http://n.example/article/{n}.htm"
BEGIN = datetime(2010, 1, 1, tzinfo=UTC)
TEXTS, TOGETHER = 2000, 500
# Options that the tests set for speed, without which a server has its defaults.
QUICK = ("flush-log", "doublewrite", "buffer-pool")


def invented(number: int) -> NumberedArticle:
    """Return an article of about 40 sentences of invented words, deterministic by number."""
    chance = random.Random(number)
    words = [
        chr(chance.randint(0x4E00, 0x5200)) + chr(chance.randint(0x4E00, 0x5200)) for _ in "x" * 60
    ]
    words += ["python", "print()", "😀", "import os", "MySQL"]
    lines = [" ".join(chance.choices(words, k=6)) for _ in range(chance.randint(5, 75))]
    return NumberedArticle(
        url=SERIES.format(n=number),
        site="n.example",
        series=SERIES,
        number=number,
        title=lines[0],
        description=lines[1],
        tags=words[:3],
        author=words[4],
        published=(BEGIN + timedelta(hours=number)).date(),
        body_html="".join(f'<p class="text">{line}</p>\r\n' for line in lines),
        body_text="\n".join(lines),
        extra={"views": number % 997, "from": {"name": words[5]}},
        fetched_at=BEGIN + timedelta(hours=number),
    )


async def fill(url: str, count: int) -> None:
    """Fill a store with articles of ``TEXTS`` distinct texts, since tokenising all would take long."""
    (store,) = make_stores(url)
    await store.open()
    # Built once over all documents, MongoDB's text index takes a fraction of the time.
    with MongoClient(url) as client:
        client.get_default_database()[NUMBERED.table].drop_index("numbered_search")
    texts = [prepare(invented(n)).row for n in range(min(TEXTS, count))]
    for start in range(0, count, TOGETHER):
        batch = [clone(texts[n % TEXTS], n) for n in range(start, min(start + TOGETHER, count))]
        await store.copy(NUMBERED, batch, ())
    await store.open()
    await store.close()


def clone(row: dict[str, object], number: int) -> Prepared:
    url = SERIES.format(n=number)
    own = {"url": url, "url_md5": check_code(url), "number": number}
    return Prepared(NUMBERED, check_code(url), url, row | own)


def export(url: str, path: Path, count: int) -> None:
    """Write documents as JSON lines, like mongoexport."""
    from bson import json_util

    with MongoClient(url, tz_aware=True) as client, path.open("w") as file:
        collection = client.get_default_database()["numbered_articles"]
        for document in collection.find({}, {"_id": 0}).limit(count):
            file.write(
                json_util.dumps(document, json_options=json_util.RELAXED_JSON_OPTIONS) + "\n"
            )


def insert(url: str, path: Path) -> None:
    """Insert each line of JSON in its own transaction."""
    import pymysql
    from sqlalchemy.engine import make_url

    from focuscrawl.stores.sql.sql_tables import numbered_articles

    parts = make_url(url)
    connection = pymysql.connect(
        host=parts.host, port=parts.port or 3306, user=parts.username, password=parts.password or "",
        database=parts.database, charset="utf8mb4", autocommit=True,
    )  # fmt: skip
    names = [column.name for column in numbered_articles.c]
    marks = ", ".join(["%s"] * len(names))
    statement = f"INSERT INTO numbered_articles ({', '.join(names)}) VALUES ({marks})"  # noqa: S608
    with connection, connection.cursor() as cursor, path.open() as file:
        for line in file:
            document = json.loads(line)
            cursor.execute(statement, [_value(name, document) for name in names])


def _value(name: str, document: dict[str, object]) -> object:
    value = document.get(name)
    if isinstance(value, dict) and "$date" in value:
        return datetime.fromisoformat(str(value["$date"])).replace(tzinfo=None)
    if name == "extra":
        return json.dumps(
            {"views": document["views"], "from": document["from"]}, ensure_ascii=False
        )
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


async def make_tables(url: str) -> None:
    (store,) = make_stores(url)
    await store.open()
    await store.close()


@contextmanager
def servers() -> Iterator[tuple[str, str, list[int]]]:
    """Start a MongoDB and a MariaDB server; yield their URLs and process ids."""
    with ExitStack() as stack:
        urls, processes = [], []
        for module in (mongodb, mariadb):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fc-")))
            server = module.make(folder)
            server.command = [o for o in server.command if not any(name in o for name in QUICK)]
            server.start()
            stack.callback(server.stop, at_once=True)
            urls.append(f"127.0.0.1:{server.port}")
            assert server._process
            processes.append(server._process.pid)
        password = quote(mariadb.PASSWORD, safe="")
        yield f"mongodb://{urls[0]}/shop", f"mysql+pymysql://tester:{password}@{urls[1]}", processes


def cpu_of(processes: list[int]) -> float:
    """Return the CPU time of running processes so far in seconds."""
    stats = [Path(f"/proc/{number}/stat").read_text().rpartition(")")[2] for number in processes]
    ticks = sum(sum(map(int, stat.split()[11:13])) for stat in stats)
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(
    name: str, command: list[str], count: int, processes: list[int]
) -> tuple[float, float]:
    """Run a program and print its speed; return seconds and CPU seconds per article."""
    before = cpu_of(processes)
    begin = time.monotonic()
    done = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    _, status, used = os.wait4(done.pid, 0)
    seconds = time.monotonic() - begin
    output = done.stdout.read() if done.stdout else ""
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode:
        raise SystemExit(f"{command} fails: {output}")
    own, theirs = used.ru_utime + used.ru_stime, cpu_of(processes) - before
    print(
        f"{name:<10} {count:>7,} articles {seconds:>7.1f} s {count / seconds:>8,.0f} articles/s "
        f"{own:>6.1f} s CPU (servers {theirs:>6.1f} s) {used.ru_maxrss / 1024:>5.0f} MB at most",
        flush=True,
    )
    return seconds / count, (own + theirs) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--script-articles", type=int, default=100_000)
    parser.add_argument("--source")
    parser.add_argument("--target")
    options = parser.parse_args()
    with ExitStack() as stack:
        if options.source and options.target:
            source, target, processes = options.source, options.target, []
        else:
            source, target, processes = stack.enter_context(servers())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        compare((source, target), processes, folder, (options.articles, options.script_articles))


def compare(
    urls: tuple[str, str], processes: list[int], folder: Path, counts: tuple[int, int]
) -> None:
    (source, target), (count, script_count) = urls, counts
    begin = time.monotonic()
    asyncio.run(fill(f"{source}?socketTimeoutMS=0", count))
    print(f"filled MongoDB with {count:,} articles in {time.monotonic() - begin:.1f} s", flush=True)
    own, other = f"{target}/copied", f"{target}/inserted"
    transfer = [sys.executable, "-m", "scrapy", "transfer", "-s", f"FOCUSCRAWL_DATA={folder}"]
    ours = measured("transfer", [*transfer, source, own], count, processes)
    measured("again", [*transfer, source, own], count, processes)
    asyncio.run(make_tables(other))
    code = (
        "import sys, pathlib; sys.path.insert(0, 'benchmarks'); import transfer as t; "
        f"p = pathlib.Path({str(folder / 'lines')!r}); t.export({source!r}, p, {script_count}); "
        f"t.insert({other!r}, p)"
    )
    theirs = measured("script", [sys.executable, "-c", code], script_count, processes)
    print(f"the transfer is {theirs[0] / ours[0]:.1f} times as fast, by all CPU time ", end="")
    print(f"{theirs[1] / ours[1]:.1f} times")


if __name__ == "__main__":
    main()
