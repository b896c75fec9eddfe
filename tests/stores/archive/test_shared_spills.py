"""Workers of a crawl that share a data folder, and so the file of the records that wait for a database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from focuscrawl.stores.archive import spill_file
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.store_protocol import Written
from tests.stores.archive.conftest import Maker, OpenMaker
from tests.stores.fake_store import FakeStore
from tests.stores.record_examples import article


@pytest.fixture(autouse=True)
def _quick_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill_file, "_LOCK_SECONDS", 0.5)


async def test_a_worker_loads_what_all_have_spilled_while_others_spill_on(
    archive_of: Maker, tmp_path: Path
) -> None:
    one, two = FakeStore(), FakeStore()
    first, second = archive_of(one), archive_of(two)
    await first.open()
    await second.open()
    one.is_away = two.is_away = True
    assert await first.write(article(1)) == Written()
    assert await second.write(article(2)) == Written()
    one.is_away, one.gate = False, asyncio.Event()
    loading = asyncio.create_task(first.write(article(3)))
    await asyncio.sleep(1)
    assert not loading.done()
    # For the second worker the database is still away.
    assert await second.write(article(4)) == Written()
    # It has come back, but what was spilled has to go first, and that is being loaded.
    two.is_away = False
    assert await second.write(article(5)) == Written()
    one.gate.set()
    assert await loading == Written(new=1)
    assert one.log == [
        [article(1).url, article(2).url],
        [article(4).url, article(5).url],
        [article(3).url],
    ]
    assert not list((tmp_path / "spill").glob("*.jsonl"))
    assert await second.write(article(6)) == Written(new=1)
    await first.close()
    await second.close()
    assert first.spilled == second.spilled == {}


async def test_a_worker_that_ends_loads_what_a_killed_one_has_left(
    opened_archive: OpenMaker, tmp_path: Path
) -> None:
    store = FakeStore()
    worker = await opened_archive(store)
    Spill(tmp_path / "spill", store.label).append([article(1), article(2)])
    assert await worker.write(article(3)) == Written(new=1)
    await worker.close()
    assert worker.spilled == {}
    assert store.texts.keys() == {article(n).url for n in (1, 2, 3)}


def test_what_was_appended_meanwhile_is_not_cleared(tmp_path: Path) -> None:
    spill, other = Spill(tmp_path, "a store"), Spill(tmp_path, "a store")
    spill.append([article(1)])
    assert list(spill.load()) == [article(1)]
    other.append([article(2)])
    assert not spill.clear()
    assert list(spill.load_more()) == [article(2)]
    # A torn line is that of a killed program, and was never acknowledged.
    with spill.path.open("ab") as file:
        file.write(b'{"kind"')
    assert spill.clear()
    assert not spill.path.exists()
