"""``scrapy lab`` as a user runs it, over a recorded web of four small sites."""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from focuscrawl.commands import lab
from focuscrawl.errors import ArgumentError
from tests.evaluation.small_web import html
from tests.replay.warcs import halves, write_warc
from tests.servers import warm_scrapy

SITES = "abcd"
ANCHORS = ("神经网络 训练", "红烧 排骨", "梯度下降 收敛", "周末 爬山")
TOPIC = """
name: nets
lexicon: {神经网络: 3, 梯度下降: 3}
seeds: [http://a.test/]
positive_domains: [nets.test]
negative_domains: [food.test]
"""


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Four sites in a circle, of two recordings; every other article is relevant."""
    pages, truth = [], ["url,relevant"]
    for site, following in zip(SITES, SITES[1:] + SITES[0], strict=True):
        home = f"http://{site}.test/"
        posts = [(f"{home}{number}", f"{anchor} {site}") for number, anchor in enumerate(ANCHORS)]
        pages.append(html(home, f"博客 {site}", *posts, (f"http://{following}.test/", "友情链接")))
        truth.append(f"{home},0")
        for number, (url, anchor) in enumerate(posts):
            pages.append(html(url, anchor, (home, "首页"), text=f"{anchor} " * 9))
            truth.append(f"{url},{1 - number % 2}")
    halves(write_warc(tmp_path / "web.warc.gz", pages))
    (tmp_path / "truth.csv").write_text("\n".join(truth), "utf-8")
    (tmp_path / "start.txt").write_text("http://a.test/\n")
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "nets.yaml").write_text(TOPIC, "utf-8")
    return tmp_path


def run_lab(
    folder: Path, policies: str, code: int = 0, *more: str
) -> subprocess.CompletedProcess[str]:
    options = ["--replay", "first/web.warc.gz,second/web.warc.gz"]
    options += ["--truth", "truth.csv", "--seeds", "start.txt"]
    options += ["--budget", "7", "--folds", "2", "--out", "out", "--policies", policies, *more]
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    done = warm_scrapy.run(["lab", "nets", *options], cwd=folder, env=environment)
    assert done.returncode == code, done.stderr
    return done


def test_policies_are_compared_by_real_crawls(web: Path) -> None:
    done = run_lab(web, "breadth,oracle")
    out = web / "out"
    with (out / "runs.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["policy"]: row for row in csv.DictReader(file)}
    assert (rows["breadth"]["targets"], rows["breadth"]["pages"]) == ("8", "7")
    # Home, its four articles and the next home; that of the oracle, which sees one step: two
    # articles of each site, and the way there.
    assert rows["breadth"]["hits"] == "2 4 7"
    assert rows["oracle"]["hits"].startswith("2 3")
    assert "oracle" in done.stdout
    assert {path.name for path in out.iterdir()} >= {"table.md", "harvest.png", "models"}
    trained = (out / "models" / "nets" / "folds.json").stat().st_mtime_ns

    both = run_lab(web, "keyword-front", 0, "--concurrency", "1,4", "--latency", "0.01")
    with (out / "runs.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["requests"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"1", "4"}
    assert all(float(row["seconds"]) >= 0.01 for row in rows.values())
    assert "keyword-front (4 at once, 0.01 s latency)" in both.stdout
    assert "pages/s" in both.stdout

    failed = run_lab(web, "nb:lenght=5", code=2)
    assert "error: nb:lenght=5 from start failed: " in failed.stderr
    assert "lenght" in failed.stderr.partition("failed: ")[2]
    assert "Traceback" not in failed.stderr
    assert (out / "models" / "nets" / "folds.json").stat().st_mtime_ns == trained


GIVEN: dict[str, Any] = {
    **dict.fromkeys(("replay", "truth", "seeds", "join", "preset", "policies", "budget")),
    "out": Path("out"),
    "lengths": lab.tunnel_lengths("1-30"),
}


@pytest.mark.parametrize(
    ("args", "changes", "said"),
    [
        (["nets"], {"out": None}, "--out FOLDER"),
        ([], {}, "name one topic"),
        (["nets"], {}, "a lab needs --truth"),
        (["nets"], {"truth": Path("t.csv")}, "a lab needs --seeds"),
        (["nets"], {"truth": Path("t"), "seeds": [Path("s")]}, "sends no requests to the internet"),
        (["nets"], {"join": [Path("a")]}, "remove the other arguments"),
    ],
)
def test_missing_options_get_a_sentence(
    args: list[str], changes: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ArgumentError, match=said):
        lab._check(args, argparse.Namespace(**GIVEN | changes))


def test_a_comma_in_the_folder_of_a_lab_would_cut_its_recordings(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"lab,1 has a comma, .*; give another folder: --out"):
        lab._indexed([], tmp_path / "lab,1")


def test_a_web_on_this_machine_may_be_crawled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:8899")
    given = GIVEN | {"truth": Path("t.csv"), "seeds": [Path("s.txt")]}
    lab._check(["nets"], argparse.Namespace(**given))


def test_presets_are_policies_and_budgets() -> None:
    policies, budget = lab._plan(argparse.Namespace(**GIVEN | {"preset": "harvest"}))
    assert ([policy.name for policy in policies], budget) == (["nb", "breadth"], 50_000)
    given = GIVEN | {"preset": "tunnel-length", "lengths": [1, 2, 3, 10]}
    given["policies"] = lab.policies("tunnel")
    policies, budget = lab._plan(argparse.Namespace(**given))
    assert [policy.arguments["length"] for policy in policies] == ["1", "2", "3", "10"]
    assert budget is None
    assert len(lab._plan(argparse.Namespace(**GIVEN))[0]) == 11


def test_options_have_defaults_and_lengths_are_numbers_and_ranges() -> None:
    opts = options([])
    assert (opts.concurrency, opts.latency, opts.delay, opts.eagerness) == ((1,), (0,), (0,), ())
    assert options(["--lengths", "1-3, 10,2"]).lengths == [1, 2, 3, 10]


def options(given: list[str]) -> argparse.Namespace:
    command = lab.Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    return parser.parse_args(given)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--preset", "length", "invalid choice: 'length' (choose from"),
        ("--replay", "w", "there is no file w; give WARC files, comma-separated"),
        ("--lengths", "5-1", "'1' is not a whole number from 5 to 30"),
        ("--lengths", "一", "'一' is not a whole number from 1 to 30"),
        ("--concurrency", "1,0", "'0' is not a whole number from 1 to 1000"),
        ("--latency", "-1", "'-1' is not a comma-separated list of numbers from 0 to 3600"),
        ("--eagerness", "1.5", "'1.5' is not a comma-separated list of numbers from 0 to 1"),
        ("--policies", "best", "unknown policy 'best'; choose from breadth, "),
        ("--policies", "", "no policy is named; choose from breadth, "),
    ],
)
def test_a_wrong_option_is_refused_by_name(option: str, value: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(f"argument {option}: {said}")):
        options([option, value])


@pytest.mark.parametrize("option", ["--latency", "--dead", "--off-topic"])
def test_what_a_replay_imitates_needs_a_replay(option: str, web: Path) -> None:
    settings = {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    settings |= dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    options = ["--truth", "truth.csv", "--seeds", "start.txt", "--out", "out", option, "1"]
    done = warm_scrapy.run(["lab", "nets", *options], cwd=web, env=os.environ | settings)
    assert done.returncode == 2
    assert f"{option} needs a replay; give --replay WARC" in done.stderr
