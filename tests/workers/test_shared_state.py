"""The log of what workers learn, on real servers and in memory."""

from __future__ import annotations

import random

import pytest
from redis import Redis

from focuscrawl.errors import FrontierError
from focuscrawl.policy.learning_log import LearningLog
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.shared_state import RedisLearningLog
from tests.policy.shared_workers import MemoryLearningLog, Worker, alone, crawl, known, some_pages

KEYS = CrawlKeys("tunnel-nets")


def on_server(url: str) -> RedisLearningLog:
    return RedisLearningLog(connect(url), KEYS)


@pytest.fixture(params=["memory", "valkey_url", "redis7_url", "cluster_url"])
def log(request: pytest.FixtureRequest) -> LearningLog:
    if request.param == "memory":
        return MemoryLearningLog()
    return on_server(request.getfixturevalue(request.param))


def texts(log: LearningLog, after: str = "", most: int = 1000) -> list[str]:
    return [text for _, text in log.read(after, most)]


def test_texts_are_read_in_order_after_an_id(log: LearningLog) -> None:
    assert texts(log) == []
    ids = [log.append(f"学习 {number}") for number in range(5)]
    assert [id for id, _ in log.read("", 10)] == ids
    assert texts(log) == [f"学习 {number}" for number in range(5)]
    assert texts(log, ids[2]) == ["学习 3", "学习 4"]
    assert texts(log, ids[0], 2) == ["学习 1", "学习 2"]
    assert texts(log, ids[4]) == []


def test_texts_up_to_an_id_are_deleted(log: LearningLog) -> None:
    ids = [log.append(str(number)) for number in range(300)]
    log.trim(ids[-3])
    assert texts(log) == ["298", "299"]
    assert texts(log, ids[7]) == ["298", "299"]
    log.trim(ids[5])
    assert texts(log) == ["298", "299"]


def test_odd_and_large_texts_are_kept(log: LearningLog) -> None:
    given = ["", "\udc80\x00\n", "字" * 1_000_000]
    for text in given:
        log.append(text)
    assert texts(log) == given


def test_a_damaged_stream_is_named(valkey_url: str) -> None:
    log = on_server(valkey_url)
    with Redis.from_url(valkey_url) as client:
        client.xadd(KEYS.of_all("learned"), {"text": b"no compressed text"})
        with pytest.raises(FrontierError, match=r"learned on redis://127.* is damaged; delete it"):
            log.read("", 10)
        client.delete(KEYS.of_all("learned"))
        client.set(KEYS.of_all("learned"), "no stream")
    with pytest.raises(FrontierError, match="WRONGTYPE"):
        log.append("text")


def test_workers_and_a_second_start_know_what_one_worker_would_know(redis_url: str) -> None:
    chance, pages = random.Random(1), some_pages(300)
    workers = [Worker(f"w{number}", on_server(redis_url), 3_000) for number in range(3)]
    crawl(pages, workers, chance)
    for worker in [*workers, *workers]:
        worker.share()
    late = Worker("late", on_server(redis_url), 3_000)
    late.share()
    log = on_server(redis_url)
    assert 1 < len(log.read("", 1000)) < 30
    expected = known(alone(pages))
    assert [known(worker) == expected for worker in (*workers, late)] == [True] * 4
