"""Reads from several stores at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.archive.store_archive import Archive
from tests.stores.archive.conftest import OpenMaker
from tests.stores.fake_store import FakeStore, away
from tests.stores.record_examples import SITE, article, gone, incomplete, page_verdict


async def test_who_alone_knows_the_last_windows_has_to_be_there(opened_archive: OpenMaker) -> None:
    archive = await opened_archive(away(FakeStore()))
    for question in (archive.template_records, archive.seeds, archive.numbers):
        with pytest.raises(
            StoreUnavailableError, match="fake://one does not answer, and only it knows"
        ):
            await question("a crawl")


async def test_known_is_what_all_stores_hold_alike(opened_archive: OpenMaker) -> None:
    one, two = FakeStore("fake://one"), FakeStore("fake://two")
    both, missing, differs, part, stamp = (article(n) for n in range(5))
    await one.write([both, missing, differs, part, stamp])
    await two.write([both, article(2, text="x"), incomplete(3), article(4, stamp="old")])
    archive = await opened_archive(one, two)
    known = await archive.known([a.url_md5 for a in (both, missing, differs, part, stamp)])
    assert set(known) == {both.url_md5, part.url_md5, stamp.url_md5}
    assert known[both.url_md5].is_complete
    assert not known[part.url_md5].is_complete
    assert known[stamp.url_md5].stamp == ""
    assert {entry.url for entry in await archive.unfinished(SITE)} == {part.url}
    assert len(await archive.listed_since(SITE, None)) == 5
    two.is_away = True
    assert len(await archive.known([missing.url_md5])) == 1


async def test_held_is_what_any_store_holds(opened_archive: OpenMaker) -> None:
    one, two = FakeStore("fake://one"), FakeStore("fake://two")
    await one.write([article(1), article(2), gone(2)])
    await two.write([article(3), article(1, text="x")])
    archive = await opened_archive(one, two)
    requested = [article(n).url_md5 for n in range(1, 5)]
    assert await archive.held(requested) == dict.fromkeys(requested[:3], True)
    await archive.write(gone(3))
    assert set(one.rows) == set(requested[:2])
    assert (await two.known(requested))[requested[2]].is_gone
    two.is_away = True
    assert await archive.held(requested) == dict.fromkeys(requested[:2], True)


async def test_a_state_counts_only_if_all_stores_agree(opened_archive: OpenMaker) -> None:
    one, two = FakeStore("fake://one"), FakeStore("fake://two")
    archive = await opened_archive(one, two)
    assert await archive.get_state("k") is None
    await archive.set_state("k", {"n": 1})
    assert await archive.get_state("k") == {"n": 1}
    two.is_away = True
    await archive.set_state("k", {"n": 2})
    assert await archive.get_state("k") is None
    two.is_away = False
    assert await archive.get_state("k") is None
    await archive.set_state("k", {"n": 3})
    assert await archive.get_state("k") == {"n": 3}


async def test_verdicts_of_people_are_those_of_the_stores_that_answer(
    opened_archive: OpenMaker,
) -> None:
    """A crawl without pipelines opens no store; it has no verdicts, and goes on."""
    assert await Archive([FakeStore()], Path("spill")).page_verdicts("money") == []
    archive = await opened_archive(FakeStore("fake://one"), away(FakeStore("fake://two")))
    await archive.write(page_verdict())
    assert await archive.page_verdicts("money") == [page_verdict()]
