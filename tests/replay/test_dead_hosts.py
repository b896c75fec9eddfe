"""The choice of the hosts that a replay imitates as dead."""

from __future__ import annotations

from collections import Counter

from focuscrawl.replay.dead_hosts import Death, dead_hosts

HOSTS = [f"host{number}.test" for number in range(3000)]


def test_a_share_of_the_hosts_that_were_not_recorded_is_dead_of_all_kinds() -> None:
    recorded = {*HOSTS[:1000]}
    death_of = dead_hosts(0.3, recorded)
    deaths = [death_of(host) for host in HOSTS]
    assert deaths[:1000] == [None] * 1000
    counts = Counter(deaths[1000:])
    assert 0.65 < counts.pop(None) / 2000 < 0.75
    assert counts.keys() == {*Death}
    assert all(150 < count < 250 for count in counts.values())
    # A larger share kills those hosts, too.
    more = dead_hosts(0.6, recorded)
    assert all(more(host) for host, death in zip(HOSTS, deaths, strict=True) if death)
    assert not any(map(dead_hosts(0.0, recorded), HOSTS))
    assert all(map(dead_hosts(1.0, ()), HOSTS))
