from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from focuscrawl.sites.list_walk import Coverage, ListWalk
from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.spider_arguments import TitleFilter
from focuscrawl.stored_records import KnownArticle

FIRST_RUN = datetime(2017, 2, 20, tzinfo=UTC)
DAY = date(2017, 2, 22)


def entry(number: int, stamp: str = "a", title: str = "山东玉米") -> ListEntry:
    return ListEntry(f"http://host/{number}", title, DAY - timedelta(days=100 - number), stamp)


def held(
    *entries: ListEntry, seen: datetime = FIRST_RUN, complete: bool = True, gone: bool = False
) -> dict[str, KnownArticle]:
    return {
        one.url_md5: KnownArticle(
            url=one.url, url_md5=one.url_md5, title=one.title, content_md5="", published=one.published,
            stamp="a", is_complete=complete, is_gone=gone, page_urls=[one.url], validators={}, first_seen=seen,
        )
        for one in entries
    }  # fmt: skip


def page(*numbers: int, next_url: str = "http://host/list2") -> ListPage:
    return ListPage([entry(number) for number in numbers], next_url)


def walk(coverage: Coverage | None = None, **limits: object) -> ListWalk:
    return ListWalk(TitleFilter(""), coverage=coverage, **limits)  # type: ignore[arg-type]


ALL = Coverage(FIRST_RUN, None, entry(9).published, 2)


def test_a_first_run_asks_for_everything_and_is_whole_at_the_end_of_the_list() -> None:
    first = walk()
    choice = first.choose(page(9, 8), "http://host/list1", {})
    assert [one.url for one in choice.fetch] == ["http://host/9", "http://host/8"]
    assert choice.go_on
    assert first.new_coverage(FIRST_RUN) is None
    last = first.choose(page(7, next_url=""), "http://host/list2", {})
    assert not last.go_on
    assert first.new_coverage(FIRST_RUN) == ALL


def test_nothing_new_on_a_covered_page_ends_the_walk() -> None:
    again = walk(ALL)
    choice = again.choose(page(9, 8), "http://host/list1", held(entry(9), entry(8)))
    assert (choice.fetch, choice.unchanged, choice.go_on) == ([], 2, False)
    later = FIRST_RUN + timedelta(days=1)
    assert again.new_coverage(later) == Coverage(later, None, entry(9).published, 2)


def test_nothing_new_is_no_reason_to_stop_where_an_earlier_run_was_interrupted() -> None:
    known = held(entry(9), entry(8), seen=FIRST_RUN + timedelta(days=1))
    assert walk(ALL).choose(page(9, 8), "http://host/list1", known).go_on
    assert walk(None).choose(page(9, 8), "http://host/list1", held(entry(9), entry(8))).go_on


def test_an_old_entry_pinned_to_the_top_does_not_end_the_walk() -> None:
    known = held(entry(1)) | held(entry(9), entry(8), seen=FIRST_RUN + timedelta(days=1))
    assert walk(ALL).choose(page(1, 9, 8), "http://host/list1", known).go_on
    known = held(entry(1))
    choice = walk(ALL).choose(page(1, 9), "http://host/list1", known)
    assert [one.url for one in choice.fetch] == ["http://host/9"]
    assert choice.go_on


def test_new_and_changed_entries_above_a_covered_one_cost_no_second_page() -> None:
    listed = ListPage([entry(9), entry(8, stamp="b"), entry(7)], "http://host/list2")
    coverage = replace(ALL, newest=entry(8).published)
    choice = walk(coverage).choose(listed, "http://host/list1", held(entry(8), entry(7)))
    assert [one.url[-1] for one in choice.fetch] == ["9", "8"]
    assert not choice.go_on


def test_an_old_covered_entry_at_the_foot_of_a_page_does_not_end_the_walk() -> None:
    known = held(entry(3), entry(9))
    lifted = walk(ALL).choose(page(15, 14, 13, 3), "http://host/list1", known)
    assert lifted.go_on


def test_undated_entries_end_the_walk_only_when_all_are_settled() -> None:
    undated = [replace(entry(number), published=None) for number in (9, 8)]
    listed = ListPage(undated, "http://host/list2")
    assert walk(ALL).choose(listed, "http://host/list1", held(undated[1])).go_on
    assert not walk(ALL).choose(listed, "http://host/list1", held(*undated)).go_on


def test_changed_incomplete_and_returned_articles_are_requested() -> None:
    listed = ListPage([entry(9, stamp="b"), entry(8), entry(7), entry(6)], "")
    known = held(entry(9), entry(6)) | held(entry(8), complete=False) | held(entry(7), gone=True)
    choice = walk(ALL).choose(listed, "http://host/list1", known)
    assert [one.url[-1] for one in choice.fetch] == ["9", "8", "7"]
    assert choice.unchanged == 1


def test_since_ends_the_walk_only_when_a_whole_page_is_older() -> None:
    since = entry(50).published
    limited = walk(since=since)
    assert limited.choose(page(60, 40), "http://host/list1", {}).go_on
    choice = limited.choose(page(41, 40, next_url="http://host/list3"), "http://host/list2", {})
    assert not choice.go_on
    assert choice.dropped == {"before since": 2}
    assert limited.new_coverage(FIRST_RUN) == Coverage(FIRST_RUN, since, entry(60).published, 2)


def test_coverage_of_a_shorter_stretch_does_not_stop_a_longer_walk() -> None:
    short = Coverage(FIRST_RUN, entry(50).published, entry(60).published)
    known = held(entry(60))
    assert walk(short).choose(page(60), "http://host/list1", known).go_on
    assert walk(short, since=entry(40).published).choose(page(60), "http://host/list1", known).go_on
    assert (
        not walk(short, since=entry(55).published)
        .choose(page(60), "http://host/list1", known)
        .go_on
    )


def test_an_article_without_prices_is_requested_again_for_them_only() -> None:
    known = {
        md5: replace(one, has_prices_read=False) for md5, one in held(entry(9), entry(8)).items()
    }
    for reads_prices, fetched in ((True, 2), (False, 0)):
        pricing = walk(ALL, reads_prices=reads_prices)
        assert len(pricing.choose(page(9, 8), "http://host/list1", known).fetch) == fetched


def test_a_walk_cut_short_covers_nothing() -> None:
    cut = walk(max_pages=1)
    assert not cut.choose(page(9), "http://host/list1", {}).go_on
    assert cut.new_coverage(FIRST_RUN) is None
    bounded = walk(until=entry(8).published)
    choice = bounded.choose(page(9, 8, next_url=""), "http://host/list1", {})
    assert choice.dropped == {"after until": 1}
    assert bounded.new_coverage(FIRST_RUN) is None


def test_a_list_page_that_links_to_itself_ends_the_walk() -> None:
    looping = walk()
    assert not looping.choose(page(9, next_url="http://host/list1"), "http://host/list1", {}).go_on
    assert looping.loops
    # The last page of some sites links to itself.
    two = walk()
    assert two.choose(page(9, next_url="http://host/list2"), "http://host/list1", {}).go_on
    assert not two.choose(page(8, next_url="http://host/list2"), "http://host/list2", {}).go_on
    assert not two.loops
    assert two.leads_nowhere
    assert two.is_whole


def test_a_last_page_that_links_to_the_home_page_ends_the_walk() -> None:
    two = walk()
    assert two.choose(page(9), "http://host/list1", {}).go_on
    assert not two.choose(page(8, next_url="http://host/"), "http://host/list2", {}).go_on
    assert two.leads_nowhere
    assert two.is_whole
    paged = walk()
    assert paged.choose(page(9, next_url="http://host/?page=2"), "http://host/", {}).go_on
    assert paged.choose(page(8, next_url="http://host/?page=3"), "http://host/?page=2", {}).go_on


def test_counted_pages_end_where_nothing_is_new() -> None:
    counting = walk()
    first = ListPage([entry(9), entry(8)], "http://host/list?page=2", is_counted=True)
    last = ListPage([entry(9), entry(8)], "http://host/list?page=3", is_counted=True)
    assert counting.choose(first, "http://host/list?page=1", {}).go_on
    assert not counting.choose(last, "http://host/list?page=2", {}).go_on
    assert counting.new_coverage(FIRST_RUN) == ALL


def test_the_most_entries_of_a_first_page_are_kept() -> None:
    short = walk(ALL)
    short.choose(page(9), "http://host/list1", held(entry(9)))
    coverage = short.new_coverage(FIRST_RUN)
    assert coverage is not None
    assert coverage.entries == 2


def test_titles_that_are_not_wanted_are_counted() -> None:
    picky = ListWalk(TitleFilter("河南"))
    choice = picky.choose(page(9, 8), "http://host/list1", {})
    assert (choice.fetch, choice.dropped, picky.wanted) == ([], {"title": 2}, 0)
    assert choice.go_on


def test_coverage_survives_json_and_bad_json_is_no_coverage() -> None:
    for coverage in (ALL, Coverage(FIRST_RUN, DAY, None)):
        assert Coverage.from_json(coverage.to_json()) == coverage
    older = {name: value for name, value in ALL.to_json().items() if name != "entries"}
    assert Coverage.from_json(older) == Coverage(FIRST_RUN, None, entry(9).published)
    for bad in (None, {}, {"until": "x", "since": None}, {"until": None, "since": None}):
        assert Coverage.from_json(bad) is None


def test_a_known_article_that_the_list_has_dropped_is_missed() -> None:
    looking = walk()
    looking.choose(page(9, 7, 6), "http://host/list1", {})
    known = held(*(entry(number) for number in range(1, 12)))
    missed = [one.url for one in known.values() if looking.misses(one)]
    assert missed == ["http://host/8"]
    for limits in ({"since": entry(9).published}, {"until": entry(7).published}):
        bounded = walk(**limits)
        bounded.choose(page(9, 7, 6), "http://host/list1", {})
        assert not any(bounded.misses(one) for one in known.values())
    other = ListWalk(TitleFilter("河南"))
    other.choose(page(9, 7, 6), "http://host/list1", {})
    assert not any(other.misses(one) for one in known.values())


def test_a_pinned_entry_does_not_widen_what_may_be_missed() -> None:
    looking = walk()
    looking.choose(page(1, 9, 7), "http://host/list1", {})
    known = held(*(entry(number) for number in range(1, 12)))
    assert [one.url for one in known.values() if looking.misses(one)] == ["http://host/8"]


def test_a_list_page_that_is_another_one_is_no_end() -> None:
    one = walk()
    assert one.choose(page(9, 8), "http://host/list1", {}).go_on
    assert not one.choose(page(9, 8), "http://host/list1", {}).go_on
    assert "leads back" in one.trouble
    assert one.new_coverage(FIRST_RUN) is None


def test_pages_that_repeat_entries_end_a_walk_without_coverage() -> None:
    one = walk()
    numbers = iter(range(1000))
    while one.choose(page(9, 8, next_url=f"http://host/{next(numbers)}n"), f"http://host/{next(numbers)}", {}).go_on:  # fmt: skip
        assert one.pages < 20
    assert one.pages == 11
    assert one.new_coverage(FIRST_RUN) is None
