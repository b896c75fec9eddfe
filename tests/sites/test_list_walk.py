from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta

import pytest

from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.list_walk import ListWalk, next_counted
from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.spider_arguments import TitleFilter
from focuscrawl.stored_records import KnownArticle
from tests.sites.stored import stored

DAY = date(2017, 2, 22)
URL = "http://host/list?page="


def entry(number: int, stamp: str = "a", title: str = "山东玉米") -> ListEntry:
    return ListEntry(f"http://host/{number}", title, DAY - timedelta(days=100 - number), stamp)


def held(*numbers: int, **changes: object) -> dict[str, KnownArticle]:
    return {one.url_md5: stored(one, **changes) for one in map(entry, numbers)}


def walk(**arguments: object) -> ListWalk:
    return ListWalk(TitleFilter(""), **arguments)  # type: ignore[arg-type]


Pages = dict[str, list[int] | str]
"""The entries of a list page, or why there are none; a page leads on if there is one behind it."""


def listed(pages: Pages, url: str) -> ListPage | str:
    numbers = pages.get(url, "missing")
    following = f"{URL}{int(url.removeprefix(URL)) + 1}"
    if isinstance(numbers, str):
        return numbers
    return ListPage([entry(number) for number in numbers], following if following in pages else "")


def read(
    one: ListWalk,
    pages: Pages,
    known: Mapping[str, KnownArticle] | None = None,
    *,
    first: str = f"{URL}1",
    leads_on: bool = False,
    answer: Callable[[Pages, str], ListPage | str] = listed,
) -> tuple[list[str], list[str]]:
    """Walk through pages; return the steps, and the last characters of what is to be requested.

    Pages without entries may lead on to the next one. ``answer`` may be another than that of ``pages``.
    """
    step, steps, fetched = one.start(first), [], []
    while step:
        steps.append(f"{step.kind} {step.url.removeprefix(URL)}")
        page = answer(pages, step.url)
        if isinstance(page, str):
            following = f"{URL}{int(step.url.removeprefix(URL)) + 1}" if leads_on else ""
            following = following if page == "no entries" else ""
            step = one.fail(page, step.url, page, following)  # type: ignore[arg-type]
        else:
            choice = one.read(page, step.url, known or {})
            fetched += [item.url.removeprefix("http://host/") for item in choice.fetch]
            step = choice.next
    return steps, fetched


ALL: Pages = {f"{URL}1": [30, 29, 28, 27, 26, 25], f"{URL}2": [24, 23, 22, 21, 20, 19]}


def covered(pages: Pages = ALL) -> Coverage:
    one = walk()
    read(one, pages)
    found = Coverage.from_json(one.state(DAY))
    assert found
    return found


KNOWN = held(*range(19, 31))


def test_a_first_run_reads_all_and_makes_sure_of_the_end() -> None:
    first = walk()
    steps, fetched = read(first, ALL)
    assert steps == ["page 1", "page 2", "probe 3", "check 2", "check 1"]
    assert fetched == [str(number) for number in range(30, 18, -1)]
    assert first.state(DAY) is not None
    assert covered().end == f"{URL}2"
    assert covered().end_is_sure


def test_a_quiet_morning_costs_the_first_page_and_a_look() -> None:
    again = walk(coverage=covered())
    assert read(again, ALL, KNOWN) == (["page 1", "look 2"], [])
    assert Coverage.from_json(again.state(DAY)) == covered()


def test_what_is_new_is_read_down_to_what_is_known() -> None:
    pages = {f"{URL}1": [36, 35, 34, 33, 32, 31], f"{URL}2": ALL[f"{URL}1"]}
    pages[f"{URL}3"] = ALL[f"{URL}2"]
    steps, fetched = read(walk(coverage=covered()), pages, KNOWN)
    # The second page begins with what is known: it may be the one of yesterday from a cache.
    assert steps[:4] == ["page 1", "page 2", "again 2", "check 2"]
    assert fetched == ["36", "35", "34", "33", "32", "31"]


def test_entries_of_an_interrupted_run_are_no_reason_to_stop() -> None:
    pages = {f"{URL}1": [36, 35, 34, 33, 32, 31], f"{URL}2": [30, 29, 28, 27, 26, 25]}
    steps, _ = read(walk(coverage=covered()), pages, KNOWN | held(*range(31, 37)))
    assert "page 2" in steps


@pytest.mark.parametrize(
    ("first", "second", "new"),
    [
        ([30, 29, 28, 27, 36, 35], [34, 33, 26, 25, 24, 23], ["36", "35", "34", "33"]),
        ([24, 23, 22, 21, 20, 19], [33, 32, 31, 30, 29, 28], ["33", "32", "31"]),
    ],
    ids=["pinned", "old ones moved up"],
)
def test_known_entries_on_top_do_not_end_the_walk(
    first: list[int], second: list[int], new: list[str]
) -> None:
    steps, fetched = read(walk(coverage=covered()), {f"{URL}1": first, f"{URL}2": second}, KNOWN)
    assert steps[:2] == ["page 1", "page 2"]
    assert fetched == new


def test_an_entry_that_slips_to_the_page_before_is_found() -> None:
    def slipped(pages: Pages, url: str) -> ListPage | str:
        page = listed(pages, url)
        pages[f"{URL}1"] = [30, 29, 28, 27, 26, 24]
        return page

    one = walk()
    steps, fetched = read(one, ALL | {f"{URL}2": [23, 22, 21, 20, 19]}, answer=slipped)
    assert steps[:2] == ["page 1", "page 2"]
    assert "24" in fetched
    assert one.doubts == []


def test_a_hole_is_told_every_time() -> None:
    for trouble in ("no entries", "foreign", "missing"):
        pages: Pages = ALL | {f"{URL}3": trouble, f"{URL}4": [18, 17]}
        believed: frozenset[str] = frozenset()
        for _ in range(2):
            one = walk(believed=believed)
            steps, fetched = read(one, pages)
            assert "again 3" in steps
            assert fetched[-2:] == ["18", "17"]
            assert len(one.doubts) == 1
            state = one.state(DAY)
            assert state
            assert Coverage.from_json(state) is None
            believed = frozenset(state["doubts"])


def test_a_foreign_page_is_no_end_and_one_without_entries_is_when_it_comes_again() -> None:
    foreign = walk()
    read(foreign, ALL | {f"{URL}3": "foreign"})
    assert "not known" in foreign.trouble
    assert foreign.state(DAY) is None
    pages: Pages = ALL | {f"{URL}3": "no entries"}
    first = walk()
    read(first, pages)
    assert len(first.doubts) == 1
    state = first.state(DAY)
    assert state
    second = walk(believed=frozenset(state["doubts"]))
    read(second, pages)
    assert (second.doubts, len(second.believed_doubts)) == ([], 1)
    assert Coverage.from_json(second.state(DAY))


def test_a_pager_that_repeats_its_last_page_ends_the_list() -> None:
    pages = ALL | {f"{URL}{number}": ALL[f"{URL}2"] for number in range(3, 99)}
    one = walk()
    steps, _ = read(one, pages)
    assert steps == ["page 1", "page 2", "page 3", "again 3", "probe 4", "check 2", "check 1"]
    assert (one.trouble, one.doubts) == ("", [])


@pytest.mark.parametrize("repeated", [0, -1])
@pytest.mark.parametrize("length", [2, 130])
def test_the_morning_after_a_pager_that_leads_on_is_quiet(length: int, repeated: int) -> None:
    """What a page behind the end repeats, the last one or the first, is no reason to read the whole list."""
    top = 6 * length + 100
    real = [list(range(top - 6 * n, top - 6 * n - 6, -1)) for n in range(length)]
    beyond = {f"{URL}{length + n}": real[repeated] for n in range(1, 5)}
    pages: Pages = {f"{URL}{n + 1}": numbers for n, numbers in enumerate(real)} | beyond
    known = held(*range(real[-1][-1], top + 1))
    coverage = covered(pages)
    assert coverage.end == f"{URL}{length + 1}"
    for _ in range(2):
        morning = walk(coverage=coverage, pick=lambda urls: urls[0])
        steps, fetched = read(morning, pages, known)
        assert (fetched, morning.trouble, morning.doubts) == ([], "", [])
        assert len(steps) <= 3
        coverage = Coverage.from_json(morning.state(DAY)) or coverage
    assert len(steps) == 2
    grown = pages | {f"{URL}{length + 1}": [real[-1][-1] - n for n in range(1, 7)]}
    assert len(read(walk(coverage=covered(pages)), grown, known)[1]) == 6


def test_a_list_whose_second_page_is_the_first_is_told() -> None:
    one = walk()
    read(one, {f"{URL}{number}": ALL[f"{URL}1"] for number in range(1, 99)})
    assert "the second page of the list is the first again" in one.trouble


def test_a_page_without_its_pager_is_no_end() -> None:
    def bare(pages: Pages, url: str) -> ListPage | str:
        page = listed(pages, url)
        return replace(page, next_url="") if url == f"{URL}2" else page  # type: ignore[type-var]

    # The page behind it is there, although the second one does not link to it.
    pages: Pages = {f"{URL}1": [30, 29], f"{URL}2": [28, 27], f"{URL}3": [26, 25]}
    assert "25" in read(walk(), pages, answer=bare)[1]


def test_what_a_look_finds_makes_the_walk_go_to_the_end() -> None:
    pages = ALL | {f"{URL}3": [18, 17, 16]}
    coverage = covered(pages)
    known = held(*range(19, 31), 18, 16)
    one = walk(coverage=coverage, pick=lambda urls: urls[-1])
    steps, fetched = read(one, pages, known)
    assert steps[:3] == ["page 1", "look 3", "again 1"]
    assert fetched == ["17"]
    assert one.late == 1
    # Articles that cannot be stored are not late again.
    state = one.state(DAY)
    quiet = walk(coverage=Coverage.from_json(state), pick=lambda urls: urls[-1], is_whole_due=True)
    assert read(quiet, pages, known)[1] == ["17"]
    assert quiet.late == 0


def test_coverage_of_earlier_versions_makes_one_whole_walk() -> None:
    old = {
        "until": "2017-02-20T00:00:00+00:00",
        "since": None,
        "newest": "2017-02-22",
        "entries": 6,
    }
    coverage = Coverage.from_json(old)
    assert coverage == Coverage(date(2017, 2, 20), None, 6)
    one = walk(coverage=coverage)
    known = held(*range(22, 31))
    steps, fetched = read(one, ALL, known)
    assert "page 2" in steps
    assert fetched == ["21", "20", "19"]
    assert one.late == 3


def test_changed_incomplete_and_returned_articles_are_requested() -> None:
    listed_page = ListPage([entry(9, stamp="b"), entry(8), entry(7), entry(6)], "")
    known = held(9, 6) | held(8, is_complete=False) | held(7, is_gone=True)
    one = walk()
    choice = one.read(listed_page, one.start(f"{URL}1").url, known)
    assert [item.url[-1] for item in choice.fetch] == ["9", "8", "7"]
    assert choice.unchanged == 1


def test_an_article_without_prices_is_requested_again_for_them_only() -> None:
    known = held(9, 8, has_prices_read=False)
    for reads_prices, count in ((True, 2), (False, 0)):
        one = walk(reads_prices=reads_prices)
        choice = one.read(ListPage([entry(9), entry(8)], ""), one.start(f"{URL}1").url, known)
        assert len(choice.fetch) == count


def test_since_ends_the_walk_below_more_old_entries_than_may_stand_above_new_ones() -> None:
    one = walk(since=entry(28).published)
    pages: Pages = {f"{URL}1": list(range(-59, -39)), f"{URL}2": [30, 19]}
    pages |= {f"{URL}3": [*range(27, 12, -1)], f"{URL}4": [*range(12, -4, -1)], f"{URL}5": [-9]}
    steps, fetched = read(one, pages)
    assert steps[:5] == ["page 1", "page 2", "page 3", "page 4", "check 4"]
    assert fetched == ["30"]
    coverage = Coverage.from_json(one.state(DAY))
    assert coverage
    assert coverage.since == entry(28).published
    # It does not stop a walk that goes further down, where entries are new that are old.
    further = walk(coverage=coverage)
    assert "page 5" in read(further, pages, held(30))[0]
    assert not further.oldest_first


def test_as_many_pinned_entries_as_stand_on_a_page_do_not_hide_new_ones() -> None:
    pages: Pages = {f"{URL}1": list(range(-19, 1)), f"{URL}2": list(range(90, 50, -1))}
    coverage, known = covered(pages), held(*range(-19, 1), *range(51, 91))
    pages[f"{URL}2"] = list(range(93, 50, -1))
    assert read(walk(coverage=coverage), pages, known)[1] == ["93", "92", "91"]


def looping(pages: Pages, back: dict[str, str]) -> ListWalk:
    """Walk through pages whose links lead ``back``; their URLs have no numbers."""

    def answer(pages: Pages, url: str) -> ListPage:
        return ListPage([entry(number) for number in pages[url]], back[url])  # type: ignore[arg-type]

    one = walk()
    read(one, pages, first=f"{URL}a", answer=answer)
    return one


@pytest.mark.parametrize("behind", ["a", "b", "c", "d"])
def test_links_that_lead_back_prove_an_end_below_a_short_page_only(behind: str) -> None:
    urls = {name: f"{URL}{name}" for name in "abcd"}
    pages: Pages = {
        urls["a"]: list(range(50, 45, -1)),
        urls["b"]: list(range(45, 40, -1)),
        urls["c"]: list(range(40, 35, -1)),
    }
    # A session without cookies gives the second page under each URL.
    pages[urls["d"]] = pages[urls["b"]]
    back = dict(zip(urls.values(), [urls["b"], urls["c"], urls[behind], urls["a"]], strict=True))
    doubtful = looping(pages, back)
    assert "leads back on" in doubtful.doubts[0]
    assert doubtful.state(DAY, ())
    assert Coverage.from_json(doubtful.state(DAY)) is None
    # However often it is met.
    again = replace(doubtful, believed=frozenset(doubtful.state(DAY)["doubts"]))  # type: ignore[index]
    assert again.doubts == doubtful.doubts
    pages[urls["c"]] = [40, 39, 38, 37]
    assert looping(pages, back).doubts == []


def test_counting_goes_on_where_links_lead_back() -> None:
    def answer(pages: Pages, url: str) -> ListPage | str:
        numbers = pages.get(url, "missing")
        return numbers if isinstance(numbers, str) else ListPage([*map(entry, numbers)], f"{URL}2")

    pages: Pages = {"http://host/l": [30, 29], f"{URL}2": [28, 27], f"{URL}3": [26, 25]}
    one = walk()
    assert read(one, pages, first="http://host/l", answer=answer)[1] == [
        str(n) for n in range(30, 24, -1)
    ]
    assert one.doubts == []


def test_an_empty_page_that_leads_on_is_walked_past_and_believed_when_met_again() -> None:
    pages = ALL | {f"{URL}3": "no entries", f"{URL}4": "no entries", f"{URL}5": [18, 17]}
    first = walk()
    assert read(first, pages, leads_on=True)[1][-2:] == ["18", "17"]
    assert len(first.doubts) == 2
    second = walk(believed=frozenset(first.state(DAY)["doubts"]))  # type: ignore[index]
    assert read(second, pages, leads_on=True)[1][-2:] == ["18", "17"]
    assert (second.doubts, len(second.believed_doubts)) == ([], 2)
    # The newest day may be empty, too.
    third = walk(coverage=Coverage.from_json(second.state(DAY)))
    later: Pages = {f"{URL}{n}": pages.get(f"{URL}{n - 1}", "no entries") for n in range(1, 7)}
    assert read(third, later, KNOWN, leads_on=True)[0][:2] == ["page 1", "probe 2"]
    assert third.trouble == ""


def test_a_list_with_empty_pages_only_is_no_list() -> None:
    one = walk()
    steps, _ = read(one, {f"{URL}{number}": "no entries" for number in range(1, 99)}, leads_on=True)
    assert one.trouble == "no entries"
    assert len(steps) < 15
    assert Coverage.from_json(one.state(DAY)) is None


def test_a_list_without_an_entry_of_the_last_run_has_a_gap() -> None:
    pages: Pages = {f"{URL}1": [60, 59, 58, 57, 56, 55]}
    gone = walk(coverage=covered(), has_next=False)
    read(gone, pages, KNOWN)
    assert "no entry of the last run is left on" in gone.doubts[0]
    state = gone.state(DAY)
    assert state
    assert Coverage.from_json(state) == covered()
    believed = frozenset(state["doubts"])
    # What the run before has read is still there.
    second = walk(coverage=covered(), has_next=False, believed=believed)
    read(second, {f"{URL}1": [61, 60, 59, 58, 57, 56]}, KNOWN)
    assert second.doubts == []
    assert Coverage.from_json(second.state(DAY)) != covered()
    # Another gap.
    third = walk(coverage=covered(), has_next=False, believed=believed)
    read(third, {f"{URL}1": [80, 79, 78, 77, 76, 75]}, KNOWN)
    assert third.doubts


def test_pages_that_are_walked_as_lists_have_no_gap_where_one_has_what_another_lost() -> None:
    tops: dict[str, Pages] = {
        "1": {f"{URL}1": [30, 29, 28, 27, 26]},
        "2": {f"{URL}1": [25, 24, 23, 22, 21]},
    }
    later: dict[str, Pages] = {"1": {f"{URL}1": [35, 34, 33, 32, 31]}, "2": tops["1"]}
    walks: dict[str, ListWalk] = {}
    for name, pages in tops.items():
        walks[name] = walk(coverage=covered(pages), has_next=False, siblings=walks)
    for name, pages in later.items():
        read(walks[name], pages)
    assert walks["1"].doubts + walks["2"].doubts == []
    del walks["2"]
    assert walks["1"].doubts


def test_a_walk_cut_short_covers_nothing() -> None:
    cut = walk(max_pages=1)
    assert read(cut, ALL)[0] == ["page 1"]
    assert cut.state(DAY) is None
    bounded = walk(until=entry(29).published)
    read(bounded, ALL)
    assert bounded.state(DAY) is None


def test_a_link_to_the_page_itself_or_home_is_that_of_the_last_page() -> None:
    for following in (f"{URL}2", "http://host/"):
        one = walk()
        first = one.read(ListPage([entry(9)], f"{URL}2"), one.start(f"{URL}1").url, {})
        assert first.next
        last = one.read(ListPage([entry(8)], following), f"{URL}2", {})
        assert last.next == (f"{URL}3", "probe")
        assert one.leads_nowhere
    looping = walk()
    looping.read(ListPage([entry(9)], f"{URL}1"), looping.start(f"{URL}1").url, {})
    assert looping.loops


def test_a_list_with_the_oldest_entry_first_is_told_and_read_to_its_end() -> None:
    pages: Pages = {f"{URL}1": list(range(10, 20)), f"{URL}2": list(range(20, 28))}
    first = walk()
    read(first, pages)
    assert first.oldest_first
    coverage = Coverage.from_json(first.state(DAY))
    pages[f"{URL}2"] = list(range(20, 30))
    second = walk(coverage=coverage)
    assert read(second, pages, held(*range(10, 28)))[1] == ["28", "29"]


def test_titles_that_are_not_wanted_are_counted() -> None:
    picky = ListWalk(TitleFilter("河南"), max_pages=1)
    choice = picky.read(ListPage([entry(9), entry(8)], f"{URL}2"), picky.start(f"{URL}1").url, {})
    assert (choice.fetch, choice.dropped, picky.wanted) == ([], {"title": 2}, 0)


def test_coverage_survives_json_and_bad_json_is_no_coverage() -> None:
    for coverage in (covered(), Coverage(DAY, entry(9).published)):
        assert Coverage.from_json(coverage.to_json()) == coverage
    for bad in (None, {}, {"until": "x", "since": None}, {"until": None, "since": None}, {"since": None}):  # fmt: skip
        assert Coverage.from_json(bad) is None


def test_a_known_article_that_the_list_has_dropped_is_missed() -> None:
    pages: Pages = {f"{URL}1": [9, 7, 6]}
    looking = walk()
    read(looking, pages)
    known = held(*range(1, 12))
    missed = [one.url for one in known.values() if looking.misses(one)]
    assert missed == ["http://host/8"]
    for limits in ({"since": entry(9).published}, {"until": entry(7).published}):
        bounded = walk(**limits)
        read(bounded, pages)
        assert not any(bounded.misses(one) for one in known.values())
    other = ListWalk(TitleFilter("河南"))
    read(other, pages)
    assert not any(other.misses(one) for one in known.values())
    # A pinned entry is old without telling of others.
    pinned = walk()
    read(pinned, {f"{URL}1": [1, 9, 7]})
    assert [one.url for one in known.values() if pinned.misses(one)] == missed


def test_urls_are_counted_on() -> None:
    assert next_counted(f"{URL}1", f"{URL}2") == f"{URL}3"
    assert next_counted("http://a/l_09.html", "http://a/l_10.html") == "http://a/l_11.html"
    assert next_counted("http://a/l_2.html", "http://a/l_1.html") == "http://a/l_0.html"
    assert next_counted("http://a/l_1.html", "http://a/l_0.html") == ""
    assert next_counted("http://a/?o=0", "http://a/?o=20") == "http://a/?o=40"
    assert next_counted("http://a/l5/", "http://a/l5/?p=2") == "http://a/l5/?p=3"
    assert next_counted("http://a/l5/", "http://a/l5/index_1.html") == "http://a/l5/index_2.html"
    # The number of a channel may be 2.
    for second in ("http://a/2/?p=2", "http://a/l/?p=2&c=1", "http://a/l/?p=3"):
        assert next_counted("http://a/l/", second) == ""
    for others in (("http://a/x", "http://a/y"), ("http://a/1/1", "http://a/2/2"), (URL, URL)):
        assert next_counted(*others) == ""
