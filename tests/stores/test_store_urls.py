"""Store URLs, and the messages for wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import StoreError
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_urls import make_destinations, make_stores
from tests.stores.record_examples import article

MYSQL = "mysql+pymysql://u:p%40%2C@h:3306/db"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels(urls: str | list[str]) -> list[str]:
    stores, workbooks = make_destinations(urls)
    return [store.label for store in stores] + [book.label for book in workbooks]


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (
            f"sqlite:///a/b.sqlite, {MYSQL},mongodb://u:p%2C@h:27017/db?x=1,excel:////tmp/x.xlsx,",
            [
                "sqlite:///{here}/a/b.sqlite",
                "mysql+pymysql://u@h:3306/db",
                "mongodb://u@h:27017/db",
                "excel:////tmp/x.xlsx",
            ],
        ),
        ("mysql://u@h/db", ["mysql+pymysql://u@h/db"]),
        ("mariadb://u@h/db", ["mysql+pymysql://u@h/db"]),
        ("MySQL+PyMySQL://u@h/db", ["mysql+pymysql://u@h/db"]),
        ("mongodb://a:1,b:2,c:3/db,sqlite:////x/y", ["mongodb://a:1,b:2,c:3/db", "sqlite:////x/y"]),
        (["sqlite:///a,b.sqlite"], ["sqlite:///{here}/a,b.sqlite"]),
        ("sqlite:///a%2Cb.sqlite", ["sqlite:///{here}/a,b.sqlite"]),
    ],
    ids=[
        "all kinds",
        "mysql",
        "mariadb",
        "case",
        "replica set",
        "comma in a list",
        "encoded comma",
    ],
)
def test_labels_are_urls_without_password(
    urls: str | list[str], expected: list[str], here: Path
) -> None:
    assert labels(urls) == [label.format(here=here) for label in expected]


def test_workbooks_are_no_stores_and_show_the_first_database(here: Path) -> None:
    stores, workbooks = make_destinations(
        ["excel:///x.xlsx", "sqlite:///a.sqlite", "sqlite:///b.sqlite"]
    )
    assert [store.label for store in stores] == [f"sqlite:///{here}/{name}.sqlite" for name in "ab"]
    (book,) = workbooks
    assert (book.path, book.is_alone) == (here / "x.xlsx", False)
    assert book.source.label == stores[0].label


def test_a_lone_workbook_has_a_database_beside_it(here: Path) -> None:
    """Two spellings of a workbook share it."""
    stores, workbooks = make_destinations("excel:///x.xlsx,excel:///y.xlsx,excel:///x.XLSX")
    beside = [f"sqlite:///{here}/{name}.sqlite" for name in "xyx"]
    assert [store.label for store in stores] == beside[:2]
    assert [(book.source.label, book.is_alone) for book in workbooks] == [
        (label, True) for label in beside
    ]


def test_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    monkeypatch.setenv("DB_USER", "u ser")
    monkeypatch.setenv("DB_PASSWORD", "p@ss,w/rd:%41")
    monkeypatch.setenv("DB_HOST", "h")
    monkeypatch.setenv("FOLDER", str(here / "x"))
    assert labels(
        "mysql+pymysql://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/db,sqlite:///${FOLDER}/a"
    ) == [
        "mysql+pymysql://u ser@h/db",
        f"sqlite:///{here}/x/a",
    ]
    (store,) = make_stores("mysql://u:${DB_PASSWORD}@h/db")
    assert store._url.password == "p@ss,w/rd:%41"


@pytest.mark.parametrize(
    ("urls", "parts"),
    [
        ("", ["no store is named", "sqlite:///"]),
        ([], ["no store is named"]),
        ("oracle://u:geheim@h/db", ["'oracle'", "mysql+pymysql://", "excel:///"]),
        ("data.sqlite", ["'data.sqlite' is not a store"]),
        ("mysql//u:geheim@h/db", ["is not a store"]),
        ("sqlite://a.sqlite", ["names no file", "sqlite:////"]),
        ("sqlite:///folder/", ["names no file"]),
        ("excel:///x.xls", [".xlsx"]),
        ("excel:///.xlsx", ["is not a workbook", ".xlsx"]),
        ("sqlite:///a%00b.sqlite", ["NUL character", "name another file"]),
        (f"sqlite:///{'玉' * 80}.sqlite", ["longer than 200 bytes", "name another file"]),
        ("sqlite:///a,sqlite:///./a", ["named twice"]),
        ("mysql://u:geh@eim@h/db", ["%40", "environment"]),
        ("mysql://u:geheim@h:port/db", ["cannot be read"]),
        ("mysql://u:ge,heim@h/db", ["mysql://u:*** cannot be read", "%2C"]),
        ("mysql://u:ge/h,eim@h/db", ["mysql://u:*** cannot be read", "%2C"]),
        ("mysql://u:12,geheim@h/db", ["'***@h/db' is not a store", "%2C"]),
        ("mongodb+srv://u:geh,eim@h/db", ["'***@h/db' is not a store", "%2C"]),
        ("oracle://u:geh,eim@h/db", ["'oracle'"]),
        ("mysql://u:geheim@h/db?speed=1", ["no option 'speed'", "ssl_"]),
        ("mysql://u:${NO_SUCH_VARIABLE}@h/db", ["NO_SUCH_VARIABLE; set it"]),
    ],
)
def test_a_wrong_url_gets_one_sentence(urls: str, parts: list[str]) -> None:
    with pytest.raises(StoreError) as caught:
        make_stores(urls)
    message = str(caught.value)
    for part in parts:
        assert part in message
    assert "\n" not in message
    assert not any(part in message for part in ("ge/", "geh", "eim"))


async def test_parent_folders_are_made(here: Path) -> None:
    stores, workbooks = make_destinations("sqlite:///deep/er/a.sqlite,excel:///other/b.xlsx")
    archive = Archive(stores, here / "spill", workbooks=workbooks)
    await archive.open()
    await archive.write(article())
    await archive.close()
    assert (here / "deep" / "er" / "a.sqlite").exists()
    assert (here / "other" / "b.xlsx").exists()
