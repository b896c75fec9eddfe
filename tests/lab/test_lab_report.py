"""The lab's figures, by hand; its tables, pictures and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.result_tables import ResultTable
from focuscrawl.lab.crawl_conditions import Condition, all_conditions
from focuscrawl.lab.crawl_outcomes import CrawlOutcome, outcome_of, read_outcomes, write_outcomes
from focuscrawl.lab.crawl_policies import KNOWN, length_of, parse_policies, with_lengths
from focuscrawl.lab.lab_report import lengths_table, series_of, write_report
from focuscrawl.lab.policy_comparison import (
    budgets_up_to,
    compare,
    mean_band,
    median_pages,
    ratio_band,
    tables_of,
)
from focuscrawl.lab.seed_sets import read_seed_sets

TRUTH = {f"http://a.test/{number}": number in (2, 3, 6, 9) for number in range(10)}


def crawled(
    policy: str, numbers: Iterable[int], seeds: str = "x", topic: str = "t"
) -> CrawlOutcome:
    urls = (f"http://a.test/{number}" for number in numbers)
    return outcome_of(topic, seeds, policy, urls, TRUTH)


def test_what_a_crawl_came_to() -> None:
    found = crawled("nb", [0, 2, 2, 1, 3, 77])
    assert found == CrawlOutcome("t", "x", "nb", targets=4, pages=5, hits=(2, 4))
    assert [found.harvest(pages) for pages in (1, 2, 4, 5, 10)] == [0, 0.5, 0.5, 0.4, 0.2]
    assert [found.recall(pages) for pages in (1, 2, 100)] == [0, 0.25, 0.5]
    assert [found.pages_for(share) for share in (0.1, 0.25, 0.3, 0.5, 0.6)] == [2, 2, 4, 4, None]
    urls = ["HTTP://A.test:80/2#top", "http://a.test/%33"]
    assert outcome_of("t", "x", "nb", urls, TRUTH).hits == (1, 2)
    ten = found._replace(targets=10, pages=10, hits=tuple(range(1, 11)))
    assert [ten.pages_for(tenth / 10) for tenth in range(1, 11)] == list(range(1, 11))
    assert budgets_up_to(2000) == [200, 500, 1000, 2000]
    assert budgets_up_to(700) == [200, 500, 700]


def test_conditions_are_all_combinations() -> None:
    found = all_conditions((1, 16), (0, 0.15), (0.5,))
    assert [str(each) for each in found] == [
        "0.5 s delay", "0.15 s latency, 0.5 s delay", "16 at once, 0.5 s delay",
        "16 at once, 0.15 s latency, 0.5 s delay",
    ]  # fmt: skip
    assert found[3].settings == {
        "CONCURRENT_REQUESTS": "16", "FOCUSCRAWL_REPLAY_LATENCY": "0.15", "DOWNLOAD_DELAY": "0.5",
    }  # fmt: skip
    eager, greedy = all_conditions((16,), (0,), (0,), (0.5, 1.0))
    assert str(eager) == "16 at once, eagerness 0.5"
    assert greedy.settings["FOCUSCRAWL_EAGERNESS"] == "1.0"


def test_the_same_policy_under_two_conditions_is_compared(tmp_path: Path) -> None:
    quick = crawled("nb", range(5))._replace(condition=Condition(16, eagerness=0.5), seconds=0.5)
    slow = crawled("nb", [2, 3, 0, 1, 4])._replace(seconds=5.0)
    write_outcomes([slow, quick], tmp_path)
    assert read_outcomes([tmp_path]) == [slow, quick]
    table = tables_of(compare([slow, quick]), [5])[-1]
    assert table.rows == [["nb", 1, 0.0, 0.0, "", 1.0, ".400"], ["nb", 16, 0.0, 0.0, 0.5, 10.0, ".400"]]  # fmt: skip
    _, paths = write_report([slow, quick], 5, tmp_path)
    assert (tmp_path / "speed.png") in paths
    # As earlier versions wrote it.
    text = "topic,seeds,policy,targets,pages,relevant,hits\nt,x,nb,4,5,2,2 4\n"
    (tmp_path / "runs.csv").write_text(text, "utf-8-sig")
    assert read_outcomes([tmp_path]) == [CrawlOutcome("t", "x", "nb", 4, 5, (2, 4))]


def test_bands_are_of_the_mean_over_sets() -> None:
    values = np.array([[0.1, 0.5], [0.3, 0.5], [0.5, 0.5]])
    band = mean_band(values)
    assert band.mean == pytest.approx([0.3, 0.5])
    assert 0.1 <= band.low[0] < 0.2 < 0.4 < band.high[0] <= 0.5
    assert band.low[1] == band.high[1] == pytest.approx(0.5)
    twice = ratio_band(values * 2, values)
    assert twice.intervals() == [pytest.approx((2, 2, 2))] * 2
    assert all(map(math.isnan, ratio_band(values, values * 0).intervals()[0]))
    # One set has no interval.
    one = np.array([[0.867, 0.5]])
    for band in (mean_band(one), ratio_band(one, one)):
        assert "[" not in ResultTable("x", "x", ["a", "b"], [[*band.intervals()]], "").as_text()


def test_tables_hold_what_was_found() -> None:
    outcomes = [
        crawled("breadth", range(10), "x"),
        crawled("oracle", [2, 3, 6, 9, 0], "x"),
        crawled("breadth", [0, 1, 4, 5], "y"),
        crawled("oracle", [2, 3, 0, 1], "y"),
    ]
    tables = {table.name: table for table in tables_of(compare(outcomes), [2, 4])}
    harvest = {row[0]: row[1:] for row in tables["harvest"].rows}
    assert [cell.estimate for cell in harvest["breadth"][:2]] == [0, 0.25]
    assert [cell.estimate for cell in harvest["oracle"][:2]] == [1, 0.75]
    assert harvest["breadth"][2] == 7
    assert tables["harvest-by-seeds"].rows == [
        ["breadth", ".000 .500", ".000 .000"],
        ["oracle", "1.000 1.000", "1.000 .500"],
    ]
    (share,) = tables["share-of-oracle"].rows
    assert (share[0], share[2].estimate) == ("breadth", pytest.approx(1 / 3))
    assert ["oracle", "- 3.00", "1.00 1.00"] in tables["times"].rows
    tenths = tables["tenths"].rows[1]
    assert tenths[0] == "oracle"
    assert tenths[1:6] == [1, 1, 2, 2, 2]
    assert math.isnan(tenths[10])
    assert median_pages(outcomes[::2], 0.25) != median_pages(outcomes[:1], 0.25) == 3


def test_windows_and_the_own_judge_of_a_long_crawl(tmp_path: Path) -> None:
    # Relevant are 9 of 10 pages, and from page 40,000 on 1 of 10; the judge believes in all. The
    # last window is half fetched.
    truth = {f"http://a.test/{n}": (n % 10 > 0) == (n < 40_000) for n in range(50_000)}
    verdicts = dict.fromkeys([f"http://a.test/{n}" for n in range(47_500)], True)
    outcome = outcome_of("t", "x", "nb", verdicts, truth)
    write_outcomes([outcome], tmp_path)
    assert read_outcomes([tmp_path]) == [outcome]
    silent = outcome._replace(policy="random", pages=9_000, judged=None)
    tables = {each.name: each for each in tables_of(compare([outcome, silent]), [200, 50_000])}
    assert tables["windows"].columns[:3] == ["policy", "by", "to 5,000"]
    by_truth, by_judge, of_silent, unknown = tables["windows"].rows
    assert by_truth == ["nb", "truth", *[0.9] * 8, 0.1, 0.1]
    assert by_judge == ["nb", "own judge", *[1.0] * 10]
    assert of_silent[:2] == ["random", "truth"]
    assert math.isnan(of_silent[4])
    assert all(map(math.isnan, unknown[2:]))
    own, nothing = (row[2].estimate for row in tables["own-harvest"].rows)
    assert own == 0.95
    assert math.isnan(nothing)


def test_a_missing_crawl_is_named() -> None:
    with pytest.raises(ArgumentError, match="no crawl with nb from y of t"):
        compare([crawled("nb", [1]), crawled("breadth", [1]), crawled("breadth", [1], "y")])


def test_reports_are_written_and_joined(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "both")]
    for folder in folders:
        folder.mkdir()
    first = [crawled("nb", range(9)), crawled("tunnel", [2, 3])]
    second = [each._replace(topic="u", seeds="y") for each in first]
    write_report(first, 9, folders[0])
    write_outcomes(second, folders[1])
    joined = read_outcomes(folders[:2])
    assert joined == first + second
    tables, paths = write_report(joined, None, folders[2])
    assert {path.name for path in paths} == {
        *("runs.csv", "table.md", "harvest.png", "recall.png", "tenths.png")
    }
    assert all(path.stat().st_size for path in paths)
    assert tables[1].columns == ["policy", "t x", "u y"]
    text = (folders[2] / "table.md").read_text("utf-8")
    assert "| policy | 9 | fetched |" in text
    assert text.count("\n## ") == len(tables) - 1


def test_lengths_are_a_series_of_their_own(tmp_path: Path) -> None:
    outcomes = [
        crawled(f"{policy}:length={length}", range(0, 10, step))
        for length in (1, 5)
        for policy, step in (("tunnel", 1), ("sparse-tunnel", 3))
    ]
    series = series_of(outcomes)
    assert series
    table = lengths_table(series)
    assert table.columns[-2:] == ["sparse/plain relevant", "sparse/plain pages"]
    assert table.rows == [[length, 4, 10, 3, 4, 0.75, 0.4] for length in (1, 5)]
    tables, paths = write_report([*outcomes, crawled("nb", range(4))], None, tmp_path)
    assert [path.name for path in paths][:2] == ["runs.csv", "tunnel-length.png"]
    assert [row[0] for row in tables[1].rows] == ["nb"]
    assert series_of(outcomes[:2]) is None


def test_policies_are_names_for_arguments() -> None:
    (sparse, nb) = parse_policies("sparse-tunnel:length=5:learn=false, nb")
    assert sparse.arguments == {"mode": "sparse-tunnel", "length": "5", "learn": "false"}
    assert nb == ("nb", {"mode": "best-first", "learn": "false"})
    assert [name for name in KNOWN if parse_policies(name)[0].needs_truth] == ["parent", "oracle"]
    longer = with_lengths([sparse], [7])[0]
    assert longer.name == "sparse-tunnel:learn=false:length=7"
    assert longer.arguments["length"] == "7"
    assert length_of("tunnel:learn=false:length=5") == ("tunnel:learn=false", 5)
    assert length_of("tunnel") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("best", "unknown policy 'best'; choose from breadth, "),
        ("nb,nb", "'nb' is named twice"),
        (" , ", "no policy is named"),
        ("nb:learn", "write nb:argument=value"),
        ("nb:max_pages=3", "remove max_pages, which the lab sets itself"),
    ],
)
def test_wrong_policies_get_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        parse_policies(text)


def test_seeds_come_in_three_shapes(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text('{"a": ["http://a.test/"]}')
    (tmp_path / "two.json").write_text('{"t": {"b": ["http://b.test/"]}, "u": {}}')
    (tmp_path / "c.txt").write_text("# ours\nhttp://c.test/\n\nhttps://d.test/\n")
    files = [tmp_path / name for name in ("one.json", "two.json", "c.txt")]
    assert read_seed_sets(files, "t") == {
        "a": ["http://a.test/"],
        "b": ["http://b.test/"],
        "c": ["http://c.test/", "https://d.test/"],
    }


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "{", "is not JSON"),
        ("a.json", "{}", "does not contain sets of seeds"),
        ("a.json", '{"a": [3]}', "does not contain sets of seeds"),
        ("a.json", '{"u": {"a": ["http://a.test/"]}}', "no seeds of 't', only of u"),
        ("a.json", '{"../a": ["http://a.test/"]}', "name the set '../a' in letters"),
        ("a.txt", "# nothing\n", "has no URL"),
        ("a.txt", "a.test\n", "'a.test' is not a URL"),
    ],
)
def test_wrong_seeds_get_a_sentence(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ArgumentError, match=said):
        read_seed_sets([tmp_path / name], "t")


def test_files_of_others_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"cannot read .*runs.csv"):
        read_outcomes([tmp_path])
    (tmp_path / "runs.csv").write_text("url,relevant\nhttp://a.test/,1\n")
    with pytest.raises(ArgumentError, match="was not written by scrapy lab"):
        read_outcomes([tmp_path])
    with pytest.raises(ArgumentError, match="cannot write"):
        write_outcomes([], tmp_path / "none")
