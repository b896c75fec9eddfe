from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from focuscrawl.errors import TopicError
from focuscrawl.topics import Topic, load_topic, topic_names
from focuscrawl.topics.topic_loading import template

SHIPPED = ["agriculture", "finance", "machine-learning", "security"]
GOOD = {
    "name": "mine",
    "lexicon": {"茶叶": 2, "green tea": 3},
    "positive_domains": ["example.com/tea/", "tea.example.com"],
    "negative_domains": ["example.com", "tea.example.com/ads/", "例子.cn"],
    "seeds": ["http://example.com/"],
    "blacklist": ["ads.example.com", "example.net/private"],
}


def write(folder: Path, file: str = "mine.yaml", **changes: object) -> str:
    path = folder / file
    path.write_text(yaml.safe_dump(GOOD | changes, allow_unicode=True), encoding="utf-8")
    return str(path)


def mistake_in(name: str, folder: Path) -> str:
    with pytest.raises(TopicError) as caught:
        load_topic(name, folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_topic_is_complete(name: str, tmp_path: Path) -> None:
    topic = load_topic(name, tmp_path)
    assert topic.name == name
    assert topic.description
    assert 60 <= len(topic.lexicon) <= 120
    assert len(topic.positive_domains) > 10 < len(topic.negative_domains)
    assert any(topic.label_of(seed) for seed in topic.seeds)
    assert not any(topic.is_blacklisted(f"http://{place}/") for place in topic.positive_domains)


def test_names_are_the_shipped_and_the_users_own(tmp_path: Path) -> None:
    assert topic_names(tmp_path / "missing") == SHIPPED
    write(tmp_path)
    write(tmp_path, "finance.yaml", name="finance")
    assert topic_names(tmp_path) == sorted([*SHIPPED, "mine"])


def test_the_users_own_topic_comes_first(tmp_path: Path) -> None:
    write(tmp_path, "finance.yaml", name="finance")
    assert load_topic("finance", tmp_path).lexicon == GOOD["lexicon"]
    assert load_topic("finance", tmp_path / "missing").lexicon != GOOD["lexicon"]


def test_a_topic_is_read_from_a_path(tmp_path: Path) -> None:
    assert load_topic(write(tmp_path, "other.yaml")).name == "mine"


def test_a_topic_that_newtopic_of_0_1_wrote_loads(tmp_path: Path) -> None:
    write(tmp_path, page_rule={"min_score": 4, "min_terms": 3, "title_factor": 3})
    assert load_topic("mine", tmp_path).page_rule.min_terms == 3


@pytest.mark.parametrize("name", ["tea", "茶", "on", "123", "a-b_c"])
def test_the_template_loads_as_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.yaml").write_text(template(name), encoding="utf-8")
    topic = load_topic(name, tmp_path)
    assert topic.name == name
    assert topic.page_rule == Topic(name="x", lexicon={"x": 1}).page_rule
    assert topic.label_of(topic.seeds[0]) is True


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("http://example.com/", False),
        ("https://www.EXAMPLE.com:8080/x?y#z", False),
        ("http://example.com/tea", True),
        ("http://www.example.com/tea/green.html", True),
        ("http://example.com/teapots", False),
        ("http://tea.example.com/", True),
        ("http://shop.tea.example.com/ads/1", False),
        ("http://www.例子.cn/", False),
        ("http://www.xn--fsqu00a.cn/", False),
        ("http://notexample.com/", None),
        ("http://com/", None),
        ("mailto:a@example.com", None),
        ("http://[broken/", None),
        ("http://" + "例" * 300 + ".cn/", None),
        ("", None),
    ],
)
def test_labels_by_the_most_exact_place(url: str, label: bool | None) -> None:
    assert Topic.model_validate(GOOD).label_of(url) is label


def test_the_blacklist_holds_subdomains_and_folders() -> None:
    topic = Topic.model_validate(GOOD)
    urls = ["http://x.ads.example.com/", "http://example.net/private/1", "http://example.net/"]
    assert [topic.is_blacklisted(url) for url in urls] == [True, True, False]


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"lexicom": {}}, ["lexicom", "not permitted"]),
        ({"lexicon": {}}, ["lexicon", "at least 1"]),
        ({"lexicon": {"茶": "heavy"}}, ["lexicon.茶", "number"]),
        ({"lexicon": {"茶": 11}}, ["lexicon.茶", "write at most 10"]),
        ({"lexicon": {"茶": float("nan")}}, ["lexicon.茶"]),
        ({"lexicon": {2019: 1}}, ["lexicon.2019", "string"]),
        ({"lexicon": {"茶": 0}}, ["'茶' has weight 0"]),
        ({"lexicon": {" - ": 1}}, ["' - ' is not a term"]),
        ({"lexicon": {"茶": -1}}, ["negative weights"]),
        ({"lexicon": {"Green Tea": 1, "green-tea": 2}}, ["'green-tea' and 'Green Tea'"]),
        ({"positive_domains": ["http://example.org/"]}, ["positive_domains.0", "is not a domain"]),
        ({"negative_domains": ["-"], "positive_domains": ["a b"]}, ["'a b' is not a domain"]),
        ({"positive_domains": ["Example.com"]}, ["example.com", "both", "remove it from one"]),
        ({"positive_domains": "example.com"}, ["positive_domains", "tuple"]),
        ({"seeds": ["ftp://example.com/"]}, ["seeds.0"]),
        ({"seeds": ["http://ads.example.com/1"]}, ["ads.example.com/1", "blacklist"]),
        ({"page_rule": {"threshold": 0}}, ["page_rule.threshold", "greater than 0"]),
        ({"page_rule": {"score": 1}}, ["page_rule.score", "not permitted"]),
        ({"name": "-x"}, ["name"]),
        ({"name": "other"}, ["has name: 'other'", "write name: mine"]),
    ],
)
def test_a_broken_topic_gets_one_sentence(
    tmp_path: Path, changes: dict[str, object], parts: list[str]
) -> None:
    write(tmp_path, **changes)
    message = mistake_in("mine", tmp_path)
    assert "mine.yaml" in message
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"lexicon: [", "is not YAML"),
        (b"[" * 20_000, "is not YAML"),
        (b"name: 2019-99-99", "is not YAML"),
        (b"", "is empty"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"!!python/object:os.system {}", "is not YAML"),
    ],
)
def test_a_file_that_is_no_topic_gets_one_sentence(
    tmp_path: Path, content: bytes, part: str
) -> None:
    (tmp_path / "mine.yaml").write_bytes(content)
    assert part in mistake_in("mine", tmp_path)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("finanse", "known: agriculture, finance, machine-learning, security"),
        ("../security", "cannot be the name of a topic"),
        ("", "cannot be the name of a topic"),
        ("x\n", "cannot be the name of a topic"),
        ("missing.yaml", "cannot read the topic missing.yaml: No such file"),
    ],
)
def test_a_topic_that_is_not_there_gets_one_sentence(tmp_path: Path, name: str, part: str) -> None:
    assert part in mistake_in(name, tmp_path)


def test_counter_terms_do_not_speak_for_the_topic() -> None:
    topic = Topic(name="t", lexicon={"股票": 2, "足球": -1, "基金": 0.5})
    assert topic.terms == ("股票", "基金")


@pytest.mark.parametrize("folder", ["茶", "%E8%8C%B6", "%e8%8c%b6/"])
def test_a_folder_may_be_written_as_people_do(folder: str) -> None:
    topic = Topic(name="t", lexicon={"茶": 2}, positive_domains=[f"example.com/{folder}"])
    assert topic.label_of("http://example.com/%E8%8C%B6/1.html") is True
    assert topic.label_of("http://example.com/%E8%8C%B7/1.html") is None
