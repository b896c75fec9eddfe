"""``scrapy users``, run as its own program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.servers import warm_scrapy

PASSWORD = "correct horse battery"


def users(
    folder: Path, *arguments: str, password: str = PASSWORD
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"FOCUSCRAWL_DATA": str(folder / "data")}
    given = f"{password}\n"
    return warm_scrapy.run(["users", *arguments], cwd=folder, env=environment, given=given)


def test_adds_changes_and_lists_users(tmp_path: Path) -> None:
    first = users(tmp_path, "add", "li", "--role", "editor")
    assert first.returncode == 2
    assert "the first user has to be an administrator" in first.stderr
    assert users(tmp_path, "add", "wang", "--role", "administrator").returncode == 0
    assert users(tmp_path, "add", "li", "--role", "editor").returncode == 0
    assert users(tmp_path, "role", "li", "--role", "analyst").returncode == 0
    assert users(tmp_path, "disable", "li").returncode == 0
    listed = users(tmp_path, "list").stdout
    assert listed == "li\tanalyst\tdisabled\nwang\tadministrator\tactive\n"
    assert b"correct horse" not in (tmp_path / "data/web.sqlite").read_bytes()


def test_the_database_may_be_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOCUSCRAWL_WEB_DATABASE", "sqlite:///${PLACE}/w.sqlite")
    unset = users(tmp_path, "add", "wang", "--role", "administrator")
    assert unset.returncode == 2
    assert "needs the environment variable PLACE; set it" in unset.stderr
    monkeypatch.setenv("PLACE", str(tmp_path))
    assert users(tmp_path, "add", "wang", "--role", "administrator").returncode == 0
    assert (tmp_path / "w.sqlite").exists()


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    users(tmp_path, "add", "wang", "--role", "administrator")
    for arguments, said in [
        (["disable", "wang"], "last administrator"),
        (["role", "nobody", "--role", "reader"], "there is no user 'nobody'"),
        (["add", "wang", "--role", "reader"], "already"),
        (["add", "a b", "--role", "reader"], "is no name of a user"),
        (["add", "li"], "needs a --role"),
        (["list", "li"], "scrapy users list"),
        (["erase", "li"], "is none of"),
    ]:
        ended = users(tmp_path, *arguments)
        assert ended.returncode == 2
        assert ended.stderr.count("\n") == 1
        assert said in ended.stderr
    short = users(tmp_path, "add", "li", "--role", "reader", password="short")
    assert "a password has 10 to 256 characters" in short.stderr
