"""Samples of pages, what people said of them, and the files in which they say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.items import PageVerdict
from focuscrawl.labelling.judged_sample import draw_sample, judged_sample, sample_lines
from focuscrawl.labelling.verdict_file import read_verdicts
from tests.stores.record_examples import page_verdict

KEYS = [f"{number:032x}" for number in range(1000)]
URLS = [f"http://blog.example/{number}.htm" for number in range(5)]


def verdicts(judge: str, said: str, own: str) -> list[PageVerdict]:
    """Return verdicts by their marks, and what the crawl's own judge said; a blank is none."""
    names = {"1": "relevant", "0": "irrelevant", "?": "unsure"}
    return [
        page_verdict(n, judge=judge, verdict=names[mark], is_relevant=own[n] == "1")
        for n, mark in enumerate(said)
        if mark != " "
    ]


def test_a_sample_is_reproducible_and_grows_by_its_share() -> None:
    drawn = draw_sample(KEYS, 0.05)
    assert len(drawn) == 50
    assert drawn == draw_sample(reversed(KEYS), 0.05)
    assert draw_sample(KEYS, 0.2)[:50] == drawn
    assert draw_sample(KEYS, 0.05, seed=1) != drawn
    assert [len(draw_sample(KEYS[:7], share)) for share in (0.001, 1.0)] == [1, 7]
    assert draw_sample([], 0.05) == []
    # Not the first ones of any order: each tenth of the keys has its share, but for chance.
    assert {int(key, 16) // 100 for key in draw_sample(KEYS, 0.1)} == set(range(10))


def test_figures_of_three_judges() -> None:
    own = "111110000"
    said = [("王", "111100010"), ("李", "111000011"), ("张", "11110001?")]
    sample = judged_sample(one for name, marks in said for one in verdicts(name, marks, own))
    assert [(one.judge, one.pages, one.unsure) for one in sample.judges] == [
        ("张", 9, 1), ("李", 9, 0), ("王", 9, 0)
    ]  # fmt: skip
    mean = (1 + 1 + 1 + 2 / 3 + 0 + 0 + 0 + 1 + 1 / 2) / 9
    assert sample.harvest
    assert sample.harvest.rate == pytest.approx(mean)
    assert sample.precision
    assert sample.precision.rate == pytest.approx((3 + 2 / 3) / 5)
    assert sample.recall
    assert sample.recall.rate == pytest.approx((3 + 2 / 3) / (9 * mean))
    # By hand (Krippendorff 2011, nominal data): 26 values, 15 of 1 and 11 of 0, 2 coincidences of both.
    assert sample.agreement == pytest.approx(1 - 25 * 2 / (15 * 11))


def test_what_verdicts_cannot_tell_is_said() -> None:
    alone = judged_sample(verdicts("王", "11", "10"))
    assert alone.agreement is None
    alike = judged_sample([*verdicts("王", "11", "10"), *verdicts("李", "11", "10")])
    assert "agreement: not defined" in "\n".join(sample_lines(alike))
    kept = judged_sample(verdicts("王", "110", "111"))
    assert kept.recall is None
    assert "harvest: unknown" in "\n".join(sample_lines(kept))
    unsure = judged_sample(verdicts("王", "??", "10"))
    assert unsure.harvest is None
    assert "王: 2 pages, no verdict, unsure of 2" in sample_lines(unsure)


def write(folder: Path, text: str, encoding: str = "utf-8-sig") -> Path:
    path = folder / "sample.csv"
    path.write_text(text, encoding)
    return path


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
def test_a_half_filled_file_is_read(tmp_path: Path, encoding: str) -> None:
    rows = f"url,title,王,judge 2\r\n{URLS[0]},玉米,1,\r\n{URLS[1]},,０,？\r\n{URLS[2]},,,\r\n"
    found = read_verdicts(write(tmp_path, rows, encoding), URLS, "tunnel-money")
    assert found.by_judge == {
        "王": {URLS[0]: "relevant", URLS[1]: "irrelevant"},
        "judge 2": {URLS[1]: "unsure"},
    }
    assert found.empty == 3


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("", "the columns \\(none\\)"),
        ("address,王\nx,1", "the columns address, 王; it needs url"),
        (f"url,title,text\n{URLS[0]},,", "one column a judge"),
        (f"url,王,王\n{URLS[0]},1,0", "name each column once"),
        (f"url,王\n{URLS[0]},1\nhttp://other.example/,1", "line 3: 'http://other.example/' is no stored"),
        (f"url,王\n{URLS[0]},yes", "line 2: 王 has 'yes'; write 1, 0 or \\?"),
        (f"url,王\n{URLS[0]},1\n{URLS[0]},0", "line 3: 王 says 0 of .*, and relevant further above"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_judges_is_refused(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        read_verdicts(write(tmp_path, rows), URLS, "tunnel-money")
