"""A crawl of honest sites with a sample of the hostile web beside them; ``benchmarks/hostile.py`` has all."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.cases import CASES, chosen
from tests.hostile.crawls import SPIDERS, run
from tests.hostile.honest import DESK, Honest
from tests.hostile.processes import Bounds

EVERY = 9
WORST = (
    "bomb-font-75k,bomb-attributes-40k,bomb-gzip-bomb,bomb-address-36k,bomb-price-moves,bomb-base-broken,"
    "robots-delay-1e9,robots-500,address-to-loopback,address-to-loopback-decimal,address-to-localhost,"
    "redirect-to-file,redirect-chain-endless,trap-calendar"
)
FOR_LISTS = (
    "bomb-font-75k,bomb-bodies-nested,bomb-page-60m,robots-delay-1e9,address-to-link-local,body-endless,"
    "list-titles,list-dates,list-next-forward,list-article-304,header-encoding-wrong,redirect-to-file"
)
# Several times what a run takes: on a busy machine it takes longer.
BOUNDS = Bounds(seconds=180)
# One site asks for the longest delay that is obeyed, a minute unless set.
SETTINGS = {"FOCUSCRAWL_CRAWL_DELAY_MAX": "4"}


def test_a_tunnel_run_finds_all_honest_pages_among_hostile_ones(tmp_path: Path) -> None:
    honest = Honest(posts=8)
    sample = [*list(CASES.values())[::EVERY], *chosen(WORST)]
    cases = list({case.name: case for case in sample}.values())
    result = run(SPIDERS["tunnel"], cases, honest, tmp_path / "crawl", BOUNDS, settings=SETTINGS)
    assert not result.faults(result.rows), result.ended.out + result.ended.err
    assert {str(row[0]) for row in result.rows} == honest.pages()


def test_a_maize_run_keeps_the_articles_of_the_honest_list(tmp_path: Path) -> None:
    honest = Honest()
    result = run(
        SPIDERS["maize"], chosen(FOR_LISTS), honest, tmp_path / "crawl", BOUNDS, settings=SETTINGS
    )
    assert not result.faults(result.rows), result.ended.out + result.ended.err
    kept = {str(url) for url, _, _, is_complete in result.rows if is_complete}
    assert kept == {url for desk in honest.desks for url in desk.urls() if desk.host == DESK}
