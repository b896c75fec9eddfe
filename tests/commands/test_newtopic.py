"""``scrapy newtopic`` as a user runs it, outside any project."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.addon import DEFAULTS
from focuscrawl.topics import DEFAULT_FOLDER, load_topic
from tests.servers import warm_scrapy


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    done = warm_scrapy.run(["newtopic", *arguments], cwd=folder)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr if code else done.stdout


def test_a_new_topic_loads_and_is_kept(tmp_path: Path) -> None:
    assert run(tmp_path, "tea").startswith(str(Path("topics/tea.yaml")))
    file = tmp_path / "topics/tea.yaml"
    assert load_topic("tea", tmp_path / "topics").lexicon
    file.write_text("mine", encoding="utf-8")
    assert run(tmp_path, "tea", code=2) == "error: topics/tea.yaml exists; --force overwrites it.\n"
    assert file.read_text(encoding="utf-8") == "mine"
    run(tmp_path, "tea", "--force")
    assert load_topic("tea", tmp_path / "topics").name == "tea"


def test_the_folder_is_a_setting(tmp_path: Path) -> None:
    run(tmp_path, "茶", "-s", "FOCUSCRAWL_TOPICS=my/own")
    assert load_topic("茶", tmp_path / "my/own").name == "茶"
    assert DEFAULTS["FOCUSCRAWL_TOPICS"] == DEFAULT_FOLDER


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "Give one name: scrapy newtopic NAME"),
        (["a", "b"], "Give one name"),
        (["../tea"], "'../tea' cannot be the name of a topic"),
        (["tea", "-s", "FOCUSCRAWL_TOPICS=file"], "Cannot write file/tea.yaml: File exists"),
    ],
)
def test_a_mistake_gets_one_sentence(tmp_path: Path, arguments: list[str], part: str) -> None:
    (tmp_path / "file").touch()
    message = run(tmp_path, *arguments, code=2)
    assert message.startswith("error: ")
    assert message.count("\n") == 1
    assert part in message
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
