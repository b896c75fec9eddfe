"""``scrapy evaluate`` as a user runs it."""

from __future__ import annotations

import csv
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.labelling.label_store import LabelStore
from tests.evaluation.prices.invented_texts import write_texts
from tests.evaluation.small_web import labelled, small_web, store_labels
from tests.replay.warcs import halves
from tests.servers import warm_scrapy

ROOT = Path(__file__).resolve().parents[2]
TABLES = {"data", "table1", "table2", "comparison", "calibration", "entropy", "speed"}
PICTURES = {"comparison", "precision-recall", "reliability", "entropy"}


def evaluate(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = warm_scrapy.run(["evaluate", *arguments])
    assert done.returncode == code, done.stderr
    return done


def test_recordings_of_a_web(tmp_path: Path) -> None:
    recording, truth = small_web(tmp_path)
    both = ", ".join(map(str, halves(recording)))
    out = tmp_path / "figures" / "ml"
    done = evaluate(
        "machine-learning", "--recorded", both, "--truth", truth,
        "--folds", "2", "--algorithms", "nb", "--out", out,
    )  # fmt: skip
    assert done.stdout.startswith("web.warc.gz, web.warc.gz: 310 pages")
    for title in (
        "Table 1",
        "Table 2",
        "Relative entropy",
        "Calibration",
        "Links judged per second",
    ):
        assert title in done.stdout
    assert f"{len(TABLES) + len(PICTURES)} files in {out}" in done.stdout
    assert {path.stem for path in out.glob("*.csv")} == TABLES
    assert {path.stem for path in out.glob("*.png")} == PICTURES
    rows = {
        row["classifier"]: row
        for row in csv.DictReader((out / "comparison.csv").open(encoding="utf-8-sig"))
    }
    # Words of its titles are all that parts the subjects of this web.
    assert float(rows["nb"]["average precision"]) > 0.8
    assert float(rows["nb"]["average precision low"]) <= float(rows["nb"]["average precision"])
    assert done.stderr == ""


def test_labelled_links(tmp_path: Path) -> None:
    path = store_labels(tmp_path / "labels.sqlite", "machine-learning", labelled())
    done = evaluate(
        "machine-learning", "--labels", path, "--folds", "3", "--split", "link",
        "--algorithms", "svm,nb",
    )  # fmt: skip
    assert done.stdout.startswith("labels.sqlite (labels=domains)")
    assert "3 folds by link" in done.stdout
    assert "gain of svm over it" in done.stdout
    # The texts of pages were not kept, so there is none to train on or to compare with.
    assert "Table 2" not in done.stdout
    assert "Relative entropy" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "error: name one topic"),
        (["nonsense"], "error: there is no topic 'nonsense'"),
        (["security", "--truth", "x.csv"], "--recorded WARC together with --truth CSV"),
        (["security", "--recorded", __file__], "--recorded WARC together with --truth CSV"),
        (["security", "--recorded", ","], "argument --recorded: no recording is named; give WARC"),
        (["security", "--folds", "1"], "argument --folds: '1' is not a whole number from 2 to 20"),
        (
            ["security", "--algorithms", "nb,tree"],
            "'tree' is not allowed; choose from nb,logistic,svm",
        ),
        (["security", "--labels", "none.sqlite"], "none.sqlite"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], message: str) -> None:
    done = evaluate(*arguments, code=2)
    assert message in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_files_that_cannot_be_used_are_one_sentence(tmp_path: Path) -> None:
    recording, truth = small_web(tmp_path, hosts=1, posts=3)
    done = evaluate("security", "--recorded", truth, "--truth", truth, code=2)
    assert "is not a WARC file, or is damaged" in done.stderr
    done = evaluate("security", "--recorded", recording, "--truth", recording, code=2)
    assert "not a CSV file in UTF-8" in done.stderr
    done = evaluate("security", "--recorded", recording, "--truth", truth, code=2)
    assert "need relevant links to 5 hosts" in done.stderr
    done = evaluate("security", "--recorded", recording, "--truth", truth, "--out", truth, code=2)
    assert "cannot create the folder" in done.stderr


def test_labels_of_another_topic(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    with closing(LabelStore(path, "finance")):
        pass
    done = evaluate("security", "--labels", path, code=2)
    assert "has labels of topic 'finance', not of 'security'" in done.stderr
    done = evaluate("finance", "--labels", path, code=2)
    assert "no link is labelled" in done.stderr


def test_the_price_reader(tmp_path: Path) -> None:
    texts, labels = write_texts(tmp_path)
    out = tmp_path / "tables"
    done = evaluate("prices", texts, labels, "--folds", "4", "--out", out)
    assert "Readers on sites that the model has not seen" in done.stdout
    assert "Expected calibration error: 0." in done.stdout
    rows = list(csv.DictReader((out / "prices-readers.csv").open(encoding="utf-8-sig")))
    whole = {row["reader"]: row for row in rows if row["style"] == "all"}
    assert (whole["rules"]["quotes"], whole["rules"]["missed"]) == ("64", "0")
    assert float(whole["rules and model"]["F1"]) > float(whole["rules"]["F1"])
    assert {path.stem for path in out.glob("*.csv")} == {
        f"prices-{name}"
        for name in ("readers", "files", "styles", "commodities", "fields", "confidence")
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("prices",), "give pairs of files: scrapy evaluate prices TEXTS.jsonl LABELS.csv"),
        (("prices", "texts.jsonl"), "give pairs of files"),
        (("prices", "none.jsonl", "none.csv"), "Cannot read none.jsonl"),
    ],
)
def test_files_of_prices_that_are_missing(arguments: tuple[str, ...], complaint: str) -> None:
    said = evaluate(*arguments, code=2).stderr
    assert complaint in said
    assert said.count("\n") == 1


def test_too_few_sites_of_prices(tmp_path: Path) -> None:
    files = write_texts(tmp_path, count=2)
    assert "5 folds need texts of 5 sites" in evaluate("prices", *files, code=2).stderr
