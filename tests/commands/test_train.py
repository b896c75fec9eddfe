"""``scrapy train`` as a user runs it, and what a crawl then makes of its models."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.evaluation.classification_metrics import Interval
from focuscrawl.evaluation.model_training import Figures, Trained
from focuscrawl.pages.link import LabelledLink, Link
from focuscrawl.prices.confidence.price_model import load_model
from focuscrawl.scoring.harvest_estimate import read_quality
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.model_files.scorer_loading import load_page_judge, load_scorer
from focuscrawl.topics import Topic, load_topic
from tests.evaluation.prices.invented_texts import write_texts
from tests.evaluation.small_web import html, labelled, small_web, store_labels
from tests.replay.warcs import halves, write_warc
from tests.servers import warm_scrapy

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
    done = warm_scrapy.run(arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    return done


def labels(folder: Path, relevant_hosts: int = 6) -> Path:
    """Write labelled links of six sites, without the texts of pages."""
    links = labelled(relevant_hosts=relevant_hosts)
    return store_labels(folder / "data" / "labels-nets.sqlite", "nets", links)


FILLERS = ["苹果", "香蕉", "汽车", "飞机", "音乐", "电影", "足球", "篮球", "天气", "旅游"]


def misleading_labels(folder: Path) -> Path:
    """Write labels that the lexicon ranks without a fault and that mislead whoever learns.

    The filler of the relevant links of a host is that of the irrelevant ones of the host before.
    """
    terms = ["神经网络", "梯度下降", "卷积", "词向量"]

    def link(host: int, number: int) -> LabelledLink:
        is_relevant = number % 3 == 0
        filler = FILLERS[(host if is_relevant else host + 1) % len(FILLERS)]
        anchor = f"{filler} {terms[host % 4]}" if is_relevant else filler
        address = f"http://h{host}.test/{number}"
        return LabelledLink(Link(address, anchor, filler), "http://seed.test/", is_relevant)

    links = [link(h, n) for h in range(10) for n in range(60)]
    return store_labels(folder / "data" / "labels-nets.sqlite", "nets", links)


def test_a_model_worse_than_the_lexicon_is_installed_on_demand_only(tmp_path: Path) -> None:
    misleading_labels(tmp_path)
    done = scrapy(tmp_path, "train", "nets", code=3)
    found = re.search(r"average precision (0\.\d+) \(lexicon (1\.000)\)", done.stdout)
    assert found, done.stdout
    assert float(found[1]) < 0.9
    assert done.stderr == (
        "not installed: the link model ranks worse than the lexicon; the lexicon stays in use;"
        " label pages of more hosts, or install it anyway with --install-worse\n"
    )
    assert not (tmp_path / "models").exists()
    done = scrapy(tmp_path, "train", "nets", "--install-worse")
    folder = tmp_path / "models" / "nets"
    assert "(lexicon 1.000)" in done.stdout
    assert done.stderr == ""
    card = (folder / "README.md").read_text("utf-8")
    assert "average precision of the lexicon: 1.000" in card
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert {*before} == {"links.json", "quality.json", "README.md"}
    done = scrapy(tmp_path, "train", "nets", code=3)
    assert f"the earlier model in {folder} stays in use" in done.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_model_that_cannot_be_measured_is_not_installed(tmp_path: Path) -> None:
    labels(tmp_path, relevant_hosts=4)
    folder = tmp_path / "models" / "nets"
    folder.mkdir(parents=True)
    (folder / "pages.json").write_text("of an earlier training")
    done = scrapy(tmp_path, "train", "nets", code=3)
    assert "nobody knows how it does on other hosts" in done.stdout
    assert "the link model cannot be measured: that takes relevant and irrelevant" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["pages.json"]
    scrapy(tmp_path, "train", "nets", "--install-worse")
    assert "what to expect: nobody knows" in (folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("values", "doubt"),
    [
        ({}, ""),
        ({"untrained": 0.95}, "ranks worse than the lexicon"),
        ({"trivial_f1": 0.8}, "has an F1 below that of calling everything relevant (0.800)"),
        ({"calibration_error": 0.2}, "has probabilities that are wrong by 0.20 on average"),
    ],
)
def test_what_makes_a_model_doubtful(values: dict[str, float], doubt: str) -> None:
    share = Interval(0.7, 0.6, 0.8)
    plain = Figures(Interval(0.9, 0.8, 1.0), share, share, share, 0.01, 0.8, 0.4)
    classifier = LinkClassifier(LinkFeatures({}))
    trained = Trained(classifier, 100, 30, 10, replace(plain, **values), [])
    assert trained.doubt("lexicon") == doubt
    assert trained.expectation.startswith("of 100 it calls relevant on a new host, some 70 are")


def test_a_page_model_worse_than_the_page_rule_is_not_installed(tmp_path: Path) -> None:
    """Links are learned well; the words of relevant pages are those of irrelevant ones elsewhere."""
    pages, truth = [], ["url,relevant,page_type"]
    for host, filler in enumerate(FILLERS):
        home, entries = f"http://blog{host}.test/", []
        for number in range(30):
            url, is_relevant = f"{home}{number}", number % 3 == 0
            entries.append((url, "神经网络 训练" if is_relevant else "红烧 排骨"))
            said = f"神经网络 {filler} " if is_relevant else FILLERS[(host + 1) % len(FILLERS)]
            pages.append(html(url, said, (home, "首页"), text=f"{said} " * 20))
            truth.append(f"{url},{int(is_relevant)},post")
        pages.append(html(home, f"博客 {host}", *entries))
        truth.append(f"{home},0,home")
    recording = write_warc(tmp_path / "web.warc.gz", pages)
    (tmp_path / "truth.csv").write_text("\n".join(truth), "utf-8")
    given = ("train", "nets", "--recorded", recording, "--truth", tmp_path / "truth.csv")
    done = scrapy(tmp_path, *given, code=3)
    assert "(page rule 1.000)" in done.stdout
    assert done.stderr == (
        "not installed: the page model ranks worse than the page rule; the page rule stays in use;"
        " label pages of more hosts, or install it anyway with --install-worse\n"
    )
    folder = tmp_path / "models" / "nets"
    assert {path.name for path in folder.iterdir()} == {"links.json", "quality.json", "README.md"}
    assert "pages.json" not in (folder / "README.md").read_text("utf-8")


def test_recordings_of_a_web_give_both_models_and_their_card(tmp_path: Path) -> None:
    recording, truth = small_web(tmp_path)
    both = ",".join(map(str, halves(recording)))
    done = scrapy(tmp_path, "train", "nets", "--recorded", both, "--truth", truth)
    folder = tmp_path / "models" / "nets"
    assert f"models and their card: {folder}" in done.stdout
    assert done.stdout.startswith("links: ")
    assert "pages: 310 examples" in done.stdout
    card = (folder / "README.md").read_text("utf-8")
    assert "Labels: web.warc.gz, web.warc.gz: 310 pages" in card
    assert "tokeniser: rjieba-" in card
    assert card.count("- average precision: ") == 2
    assert re.search(r"- rule: precision [.\d]+ \(\d+ of \d+\), recall .* specificity ", card)
    judges = read_quality(folder / "quality.json").judges
    assert {name: one.found + one.missed for name, one in judges.items()} == {
        "rule": 106,
        "model": 106,
    }
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
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    done = scrapy(tmp_path, "why", "http://h0.test/1", "--topic", "nets")
    assert "anchor:神经网络" in done.stdout


KILLED = """
import os, signal
left = int(os.environ["KILL_AT"])

def counted(change):
    def do(*arguments, **options):
        global left
        if any("models" in str(argument) for argument in arguments):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return change(*arguments, **options)
    return do

os.replace, os.unlink = counted(os.replace), counted(os.unlink)
"""


def test_a_training_that_is_killed_while_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before the list of files is there, before a file gets its name, and after the last."""
    recording, truth = small_web(tmp_path)
    labels(tmp_path)
    scrapy(tmp_path, "train", "nets")
    folder, topic = tmp_path / "models", load_topic("nets", tmp_path / "topics")
    assert models_in_use(topic, folder) == OF_LABELS
    shutil.copytree(folder, tmp_path / "earlier")
    again = ("train", "nets", "--recorded", recording, "--truth", truth)
    (tmp_path / "patched").mkdir()
    (tmp_path / "patched" / "sitecustomize.py").write_text(KILLED)
    # The first five remove what an earlier training may have left.
    for moment in (5, 6, 10):
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / "earlier", folder)
        with monkeypatch.context() as patched:
            patched.setenv("PYTHONPATH", str(tmp_path / "patched"), prepend=os.pathsep)
            patched.setenv("KILL_AT", str(moment))
            scrapy(tmp_path, *again, code=-signal.SIGKILL)
        assert models_in_use(topic, folder) == (OF_RECORDING if moment > 5 else OF_LABELS), moment
    scrapy(tmp_path, *again)
    assert models_in_use(topic, folder) == OF_RECORDING
    names = {path.name for path in (folder / "nets").iterdir()}
    assert names == {"links.json", "pages.json", "quality.json", "README.md"}


OF_LABELS = ("nets (nb, 180 links)", "nets (page rule)")
OF_RECORDING = ("nets (nb, 394 links)", "nets (nb, 310 pages)")


def models_in_use(topic: Topic, folder: Path) -> tuple[str, str]:
    return load_scorer(topic, folder).name, load_page_judge(topic, folder).name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one topic"),
        (["none"], "there is no topic 'none'"),
        (["nets"], "labels-nets.sqlite"),
        (
            ["nets", "--algorithm", "knn"],
            "argument --algorithm: invalid choice: 'knn' (choose from",
        ),
        (["nets", "--recorded", __file__], "together with --truth"),
        (["nets", "--recorded", __file__, "--truth", "truth.csv"], "truth.csv"),
        (["nets", "--recorded", f"{__file__},w"], "argument --recorded: there is no file w; give"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = scrapy(tmp_path, "train", *arguments, code=2)
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "models").exists()


def test_labels_of_one_kind_and_folders_that_cannot_be_written(tmp_path: Path) -> None:
    only = [link._replace(label=True) for link in labelled()]
    store_labels(tmp_path / "data" / "labels-nets.sqlite", "nets", only)
    done = scrapy(tmp_path, "train", "nets", code=2)
    assert done.stderr == (
        "error: no irrelevant links to train on; add domains to the topic and label more\n"
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
    assert "has format 7, but this focuscrawl reads 1" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_price_model_and_its_card(tmp_path: Path) -> None:
    files = write_texts(tmp_path)
    done = scrapy(tmp_path, "train", "prices", *files, "--models", tmp_path / "own")
    path = tmp_path / "own" / "prices" / "price_model.json"
    assert done.stdout.endswith(f"use it with -s FOCUSCRAWL_PRICE_MODEL={path}\n")
    card = (tmp_path / "own" / "prices" / "README.md").read_text("utf-8")
    assert "64 texts of 16 sites" in card
    assert load_model(str(path)).card["calibration_error"] < 0.2
