"""``scrapy newtopic`` as a user runs it, outside any project."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.addon import DEFAULTS
from focuscrawl.topics import DEFAULT_FOLDER, load_topic, page_relevance
from focuscrawl.topics.topic_draft import Check
from tests.evaluation.small_web import html
from tests.replay.warcs import write_warc
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


TEA = "龙井 茶叶 要用 八十度 的水 冲泡 , 茶香 清高 。"
FOOD = "红烧 排骨 要 小火 慢炖 , 出锅 撒 葱花 。"


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A recorded web with nine pages on tea, nine on food and a list of the former."""
    pages = [html(f"http://tea.test/{n}", f"龙井 第 {n} 泡", text=TEA * 20) for n in range(9)]
    pages += [html(f"http://food.test/{n}", f"第 {n} 碗", text=FOOD * 20) for n in range(9)]
    pages.append(html("http://tea.test/copy", "龙井 第 3 泡", text=TEA * 20))
    write_warc(tmp_path / "web.warc.gz", pages)
    urls = [f"http://tea.test/{n}" for n in range(9)]
    (tmp_path / "like.txt").write_text(
        "\n".join(["# mine", *urls, "http://tea.test/gone", "http://tea.test/copy"]), "utf-8"
    )
    return tmp_path


_UNLIKE = ("--unlike", ",".join(f"http://food.test/{n}" for n in range(9)))
_REPLAY = ("-s", "FOCUSCRAWL_REPLAY=web.warc.gz")


def test_a_topic_is_drafted_from_example_pages(examples: Path) -> None:
    done = run(examples, "tea", "--like", "like.txt", *_UNLIKE, *_REPLAY)
    assert "left out: http://tea.test/gone failed: " in done
    same = "http://tea.test/copy (the same text as http://tea.test/3)"
    assert f"left out: {same}\n" in done
    assert "finds 9 of 9 pages of the topic that it has not seen, takes 0 of 9 others" in done
    assert "from fewer than 10 pages expect most of what it takes to be wrong" in done
    topic = load_topic("tea", examples / "topics")
    assert {"龙井", "茶叶"} <= {*topic.lexicon}
    assert not {*topic.lexicon} & {"红烧", "排骨", "小火"}
    assert len(topic.seeds) == 9
    assert page_relevance(topic, "明前 茶叶", TEA).relevant
    assert not page_relevance(topic, "排骨", FOOD).relevant


def test_a_draft_that_misses_its_own_pages_is_said_to_be_no_use() -> None:
    assert "had a precision of 0.85" in Check(30, 40, 1, 40).sentence
    for bad in (Check(0, 40, 0, 0), Check(40, 40, 30, 40)):
        assert "precision" not in bad.sentence
        assert "no use: give pages that are more alike, and more others" in bad.sentence


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--unlike", "http://food.test/1"], "give pages on the topic by --like"),
        (["--like", "like.txt", "--unlike", "http://tea.test/1"], "is in both --like and --unlike"),
        (["--like", "http://tea.test/1"], "1 readable pages of the topic are too few; give 5"),
        (["--like", "nothing.txt"], "--like nothing.txt: write comma-separated URLs, or the path"),
    ],
)
def test_bad_examples_get_one_sentence(examples: Path, arguments: list[str], part: str) -> None:
    message = run(examples, "tea", *arguments, *_REPLAY, code=2)
    assert message.startswith("error: ")
    assert message.count("\n") == 1
    assert part in message
    assert not (examples / "topics").exists()


def test_pages_are_not_fetched_for_a_topic_that_exists(examples: Path) -> None:
    run(examples, "tea")
    message = run(examples, "tea", "--like", "http://127.0.0.1:1/", code=2)
    assert message == "error: topics/tea.yaml exists; --force overwrites it.\n"
