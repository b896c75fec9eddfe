"""``scrapy train`` as a user runs it, and what a crawl then makes of its models."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.links.label_store import LabelStore
from focuscrawl.links.label_walk import LabelWalk
from focuscrawl.links.link import LabelledLink, Link
from focuscrawl.links.scorers import load_page_judge, load_scorer
from focuscrawl.topics import load_topic
from tests.evaluation.webs import small_web

TOPIC = """
name: nets
lexicon: {神经网络: 3, 梯度下降: 3, 卷积: 2, 词向量: 2}
seeds: [http://blog0.test/]
positive_domains: [nets.test]
negative_domains: [food.test]
"""


def scrapy(folder: Path, *arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    (folder / "topics").mkdir(exist_ok=True)
    (folder / "topics" / "nets.yaml").write_text(TOPIC, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    return done


def labels(folder: Path, topic: str = "nets", both: bool = True) -> Path:
    """Write labelled links of six sites, without the texts of pages."""
    path = folder / "data" / f"labels-{topic}.sqlite"
    path.parent.mkdir(parents=True)
    found = [
        LabelledLink(
            Link(f"http://h{host}.test/{n}", "神经网络" if n % 3 else "红烧排骨", f"第{n}篇"),
            "http://seed.test/",
            n % 3 > 0 if both else True,
        )
        for host in range(6)
        for n in range(30)
    ]
    with closing(LabelStore(path, topic)) as store:
        walk = LabelWalk(store, max_pages=10, max_per_site=10)
        walk.resume(["http://seed.test/"], lambda _: None)
        walk.take(1)
        store.add_page("http://seed.test/", found)
    return path


def test_a_recorded_web_gives_both_models_and_their_card(tmp_path: Path) -> None:
    recording, truth = small_web(tmp_path)
    done = scrapy(tmp_path, "train", "nets", "--recorded", recording, "--truth", truth)
    folder = tmp_path / "models" / "nets"
    assert f"models and their card: {folder}" in done.stdout
    assert done.stdout.startswith("links: ")
    assert "pages: 310 examples" in done.stdout
    card = (folder / "README.md").read_text("utf-8")
    assert "web.warc.gz: 310 pages" in card
    assert "tokeniser: rjieba-" in card
    assert card.count("average precision") == 2
    topic = load_topic("nets", tmp_path / "topics")
    scorer = load_scorer(topic, tmp_path / "models")
    good, bad = scorer.score(
        [Link("http://x.test/1", "卷积 图像 识别"), Link("http://x.test/2", "红烧 排骨")]
    )
    assert bad.probability < 0.5 < good.probability
    assert (
        load_page_judge(topic, tmp_path / "models")
        .score([("梯度下降", "梯度下降 收敛")])[0]
        .relevant
    )
    stored = json.loads((folder / "links.json").read_text("utf-8"))
    assert not any("blog0" in name for name in stored["counts"])


def test_labels_without_texts_give_the_link_model_only(tmp_path: Path) -> None:
    labels(tmp_path)
    old = tmp_path / "models" / "nets" / "pages.json"
    old.parent.mkdir(parents=True)
    old.write_text("of an earlier training")
    done = scrapy(tmp_path, "train", "nets", "--algorithm", "svm", "--group", "2")
    assert "the page rule of the topic" in done.stdout
    assert not old.exists()
    stored = json.loads((tmp_path / "models/nets/links.json").read_text("utf-8"))
    assert (stored["algorithm"], stored["group"]) == ("svm", 2)


def test_why_uses_the_trained_model(tmp_path: Path) -> None:
    labels(tmp_path)
    scrapy(tmp_path, "train", "nets")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    done = scrapy(tmp_path, "why", "http://h0.test/1", "--topic", "nets")
    assert "anchor:神经网络" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one topic"),
        (["none"], "there is no topic 'none'"),
        (["nets"], "labels-nets.sqlite"),
        (
            ["nets", "--algorithm", "knn"],
            "--algorithm 'knn' is none; choose one of nb, logistic, svm",
        ),
        (["nets", "--group", "4"], "--group '4' is none"),
        (["nets", "--recorded", "web.warc.gz"], "together with --truth"),
        (["nets", "--recorded", "web.warc.gz", "--truth", "truth.csv"], "truth.csv"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = scrapy(tmp_path, "train", *arguments, code=2)
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "models").exists()


def test_labels_of_one_kind_and_folders_that_cannot_be_written(tmp_path: Path) -> None:
    labels(tmp_path, both=False)
    done = scrapy(tmp_path, "train", "nets", code=2)
    assert done.stderr == (
        "error: there are no irrelevant links to learn from; add domains to the topic and label more\n"
    )
    other = tmp_path / "other"
    labels(other)
    (other / "file").write_text("")
    done = scrapy(other, "train", "nets", "--models", other / "file", code=2)
    assert "cannot write the model" in done.stderr


def test_a_damaged_model_ends_a_crawl_before_it_begins(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "nets"
    folder.mkdir(parents=True)
    (folder / "links.json").write_text('{"format": 7}')
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    done = scrapy(
        tmp_path, "crawl", "maize", "-a", "site=demo", "-s", "FOCUSCRAWL_LINK_TOPIC=nets", code=2
    )
    assert "has format 7, this focuscrawl reads 1" in done.stderr
    assert done.stderr.count("\n") == 1
