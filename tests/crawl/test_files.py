"""Files as entries of a list and as attachments of articles."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, OddSite
from tests.files.made_files import pdf, word, workbook

ROOT = "http://odd.test/"
XLSX = workbook([["企业", "今日价格(元/吨)"], ["寿光金玉米", 2360], ["诸城兴贸", 2370]])
ARTICLE = {"body": "//div[@id='body']"}
PDF = pdf([(80, 100, "山东寿光金玉米收购价2360元/吨")])
DOCX = word("今日玉米价格", [["企业", "价格(元/吨)"], ["长春大成", "2240"]])
TYPES = {
    "pdf": "application/pdf", "xlsx": "application/vnd.ms-excel", "csv": "text/csv",
    "docx": "application/octet-stream", "xls": "application/vnd.ms-excel", "zip": "application/zip",
}  # fmt: skip
statuses: list[int] = []


class FileSite(OddSite):
    """A site whose responses have the types of their names, and validators."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        response = super().respond(path, query, headers)
        if response.status != 200:
            return response
        suffix = path.rpartition(".")[2]
        tag = f'"{hashlib.md5(response.body).hexdigest()}"'
        known = {name.lower(): value for name, value in headers.items()}.get("if-none-match")
        types = {"Content-Type": TYPES.get(suffix, "text/html; charset=utf-8"), "ETag": tag}
        statuses.append(304 if known == tag else 200)
        return Response(304 if known == tag else 200, types, b"" if known == tag else response.body)


@pytest.fixture
def site(
    crawl: Crawler, odd: Callable[..., str], demo: Callable[..., DemoWeb]
) -> Callable[..., str]:
    crawl.spider = "list"

    def make(pages: dict[str, bytes], **changes: object) -> str:
        names = [name for name in pages if name != "/" and not name.startswith("/files/")]
        items = "".join(f"<li><a href={n}>玉米价格{n[1:]}</a>" for n in names).encode()
        argument = odd({}, reader="prices", **changes)
        demo(days=1).sites["odd.test"] = FileSite({"/": items, **pages})
        return argument

    return make


def files_read(out: str) -> set[str]:
    (line,) = re.findall(r"^  files     (.*)$", out, re.M)
    return set(line.split(", "))


def test_entries_that_are_files_have_their_text_and_prices(
    crawl: Crawler, site: Callable[..., str]
) -> None:
    table = "企业,价格(元/吨)\n长春大成,2240\n".encode("gbk")
    pages = {"/1.pdf": PDF, "/2.xlsx": XLSX, "/3.docx": DOCX, "/4.csv": table, "/5": PDF}
    web = site(pages)
    done = crawl("-a", web)
    assert done.code == 0, done.out
    assert files_read(done.out) == {"2 PDF", "1 Excel", "1 Word", "1 CSV"}
    query = "select a.url, is_complete, price_yuan_per_ton_low from articles a join quotes q on q.article_md5 = a.url_md5 order by 1, 3"
    found = [(url.removeprefix(ROOT), done, price) for url, done, price in crawl.rows(query)]
    assert [(url, whole, float(price)) for url, whole, price in found] == [
        ("1.pdf", 1, 2360), ("2.xlsx", 1, 2360), ("2.xlsx", 1, 2370), ("3.docx", 1, 2240),
        ("4.csv", 1, 2240), ("5", 1, 2360),
    ]  # fmt: skip
    again = crawl("-a", web)
    assert (again.code, again.count("requests")) == (0, 3), again.out
    statuses.clear()
    refreshed = crawl("-a", web, "-a", "refresh=all")
    assert (refreshed.code, refreshed.count("changed")) == (0, 0), refreshed.out
    assert statuses.count(304) == 5


def test_attachments_are_appended_and_kept_and_asked_for_again_conditionally(
    crawl: Crawler, site: Callable[..., str]
) -> None:
    body = (
        "<div id=body>今日行情见附件<a href=/files/a.xlsx>价格表.xlsx</a> <a href=/files/gone.pdf>旧</a>"
        "<iframe src='/viewer.html?file=%2Ffiles%2Fb.pdf'></iframe></div><a href=/files/menu.pdf>"
    )
    only = "<div id=body><iframe src='/files/b.pdf'></iframe></div>"
    pages = {"/1": body.encode(), "/2": only.encode(), "/files/a.xlsx": XLSX, "/files/b.pdf": PDF}
    web = site(pages, article=ARTICLE | {"attachments": "keep"})
    done = crawl("-a", web)
    assert done.code == 0, done.out
    texts = dict(crawl.rows("select url, text from articles"))
    assert texts[ROOT + "1"] == (
        "今日行情见附件价格表.xlsx 旧\n附件：价格表.xlsx\n企业\t今日价格(元/吨)\n寿光金玉米\t2360\n诸城兴贸\t2370\n"
        "附件：b.pdf\n山东寿光金玉米收购价2360元/吨"
    )
    assert texts[ROOT + "2"] == "附件：b.pdf\n山东寿光金玉米收购价2360元/吨"
    assert "1 HTTP 404" in done.out
    kept = {path.name: path.read_bytes() for path in (crawl.folder / "data/files").iterdir()}
    assert kept == {
        f"{hashlib.sha256(body).hexdigest()}.{suffix}": body
        for body, suffix in ((XLSX, "xlsx"), (PDF, "pdf"))
    }
    statuses.clear()
    refreshed = crawl("-a", web, "-a", "refresh=all")
    assert (refreshed.code, refreshed.count("changed")) == (0, 0), refreshed.out
    assert statuses.count(304) == 5
    pages["/files/b.pdf"] = pdf([(80, 100, "山东寿光金玉米收购价2390元/吨")])
    web = site(pages, article=ARTICLE | {"attachments": "keep"})
    changed = crawl("-a", web, "-a", "refresh=all")
    assert (changed.code, changed.count("changed")) == (0, 2), changed.out
    assert "2390元" in crawl.rows("select text from articles")[0][0]


def test_a_recording_has_the_files(crawl: Crawler, site: Callable[..., str]) -> None:
    body = "<div id=body>今日行情<a href=/files/b.pdf>价格表</a></div>".encode()
    web = site(
        {"/1": body, "/2.xlsx": XLSX, "/files/b.pdf": PDF},
        article=ARTICLE | {"attachments": "read"},
    )
    every = "select url, text from articles order by url"
    recorded = crawl("-a", web, "-s", "FOCUSCRAWL_WARC=web.warc.gz")
    texts = crawl.rows(every)
    assert (recorded.code, len(texts)) == (0, 2), recorded.out
    assert texts[0][1] == "今日行情价格表\n附件：价格表\n山东寿光金玉米收购价2360元/吨"
    crawl.database.unlink()
    replayed = crawl("-a", web, "-s", "FOCUSCRAWL_REPLAY=web.warc.gz")
    assert (replayed.code, crawl.rows(every)) == (0, texts), replayed.out
    assert not (crawl.folder / "data/files").exists()


def test_what_cannot_be_read_is_a_link_and_its_reason_is_said(
    crawl: Crawler, site: Callable[..., str]
) -> None:
    page = "<html><div id=body>山东寿光金玉米收购价2360元/吨</div></html>".encode()
    bomb = workbook([["0" * 30_000] * 2])
    pages = {
        "/1.pdf": page,
        "/2.pdf": PDF[:300],
        "/3.docx": b"\xd0\xcf\x11\xe0" + "WordDocument".encode("utf-16-le"),
        "/4.xlsx": b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"),
        "/5.pdf": PDF + b"%" * 3_000_000,
        "/6.zip": b"PK\3\4" + bytes(50),
        "/7.xls": b"<html><table><tr><td>x<td>2360<tr><td>y<td>3</table></html>",
    }
    web = site(pages | {"/8.xlsx": bomb})
    done = crawl("-a", web, "-s", "DOWNLOAD_MAXSIZE=2000000")
    assert done.code == 3, done.out
    for said in (
        "1 files have no text: damaged (http://odd.test/2.pdf)",
        "1 files have no text: old Word format, which is not read (save it as .docx) (http://odd.test/3.docx)",
        "1 files have no text: encrypted (http://odd.test/4.xlsx)",
        "1 files have no text: over DOWNLOAD_MAXSIZE, which may be raised (http://odd.test/5.pdf)",
    ):
        assert said in done.out
    texts = dict(
        crawl.rows("select replace(url, 'http://odd.test/', ''), text from articles order by url")
    )
    assert [url for url, text in texts.items() if text] == ["1.pdf", "7.xls", "8.xlsx"]
    assert texts["1.pdf"] == "山东寿光金玉米收购价2360元/吨"
    assert crawl("-a", web).count("requests") == 3


def test_without_the_extra_files_are_links_as_before(
    crawl: Crawler, site: Callable[..., str]
) -> None:
    (crawl.folder / "sitecustomize.py").write_text("import sys; sys.modules['pdfplumber'] = None")
    crawl.environment["PYTHONPATH"] = os.pathsep.join([str(crawl.folder), *sys.path])
    web = site({"/1.pdf": PDF, "/2": "<div id=body>玉米2360元/吨</div>".encode()})
    done = crawl("-a", web)
    assert done.code == 0, done.out
    assert files_read(done.out) == {"1 PDF", "1 without text"}
    assert "run pip install 'focuscrawl[files]'" in done.out
    assert crawl.rows("select count(*) from articles where text = ''") == [(1,)]
    quiet = crawl("-a", web).count("requests")
    (crawl.folder / "sitecustomize.py").unlink()
    shutil.rmtree(crawl.folder / "__pycache__", ignore_errors=True)
    installed = crawl("-a", web)
    assert (installed.code, files_read(installed.out)) == (0, {"1 PDF"}), installed.out
    assert crawl.rows("select count(*) from articles where text = ''") == [(0,)]
    assert crawl("-a", web).count("requests") == quiet == 3


def test_attachments_are_read_once_they_can_be_or_are_wanted_by_refresh_all(
    crawl: Crawler, site: Callable[..., str]
) -> None:
    body = "<div id=body>今日行情<a href=/files/b.pdf>价格表</a></div>".encode()
    pages = {"/1": body, "/2.pdf": PDF, "/files/b.pdf": PDF}
    crawl.environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    path = crawl.environment["PYTHONPATH"]
    texts = {}
    for mode, is_installed in (("ignore", True), ("read", False), ("read", True), ("keep", True)):
        (crawl.folder / "sitecustomize.py").write_text(
            "" if is_installed else "import sys; sys.modules['pdfplumber'] = None"
        )
        crawl.environment["PYTHONPATH"] = os.pathsep.join([str(crawl.folder), path])
        web = site(pages, article=ARTICLE | {"attachments": mode})
        done = crawl(
            "-a", web, "-a", f"refresh={'0' if is_installed and mode == 'read' else 'all'}"
        )
        assert done.code == (3 if not is_installed else 0), done.out
        assert ("pip install" in done.out) is not is_installed
        texts[mode, is_installed] = [
            "2360" in text for (text,) in crawl.rows("select text from articles order by url")
        ]
    assert texts == {
        ("ignore", True): [False, True],
        ("read", False): [False, True],
        ("read", True): [True, True],
        ("keep", True): [True, True],
    }
    assert len(list((crawl.folder / "data/files").iterdir())) == 1
