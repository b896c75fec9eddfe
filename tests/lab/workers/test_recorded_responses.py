from __future__ import annotations

from pathlib import Path

from focuscrawl.lab.workers.recorded_responses import RecordedResponse, read_responses
from focuscrawl.replay.recorded_pages import Recorded
from focuscrawl.scoring.model_files.scorer_loading import PageRuleJudge
from tests.evaluation.small_web import html, moved, write_warc
from tests.lab.workers.small_crawls import TOPIC


def test_pages_are_judged_and_redirects_lead_on(tmp_path: Path) -> None:
    recorded = [
        html("http://a.test/", "博客", ("/1", "神经网络"), text="周末 爬山"),
        html("http://a.test/1", "神经网络 训练", text="神经网络 梯度下降 " * 20),
        moved("http://a.test/old", "/1"),
        Recorded("http://a.test/missing", 404, "text/html", "", b"none"),
        Recorded("http://a.test/picture", 200, "image/png", "", b"none"),
    ]
    found = read_responses(write_warc(tmp_path / "web.warc.gz", recorded), PageRuleJudge(TOPIC))
    assert list(found) == ["http://a.test/", "http://a.test/1", "http://a.test/old"]
    assert [response.is_relevant for response in found.values()] == [False, True, False]
    assert [(link.url, link.anchor) for link in found["http://a.test/"].links] == [
        ("http://a.test/1", "神经网络")
    ]
    assert found["http://a.test/old"] == RecordedResponse([], location="http://a.test/1")
