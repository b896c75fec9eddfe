"""The choice of what a replay imitates in place of the hosts that were not recorded."""

from __future__ import annotations

from collections import Counter

from focuscrawl.replay.unrecorded_hosts import DEAD, Fate, fates

HOSTS = [f"host{number}.test" for number in range(3000)]


def test_a_share_of_the_hosts_that_were_not_recorded_is_dead_of_all_kinds() -> None:
    recorded = {*HOSTS[:1000]}
    fate_of = fates(0.3, 0, recorded)
    found = [fate_of(host) for host in HOSTS]
    assert found[:1000] == [None] * 1000
    counts = Counter(found[1000:])
    assert 0.65 < counts.pop(None) / 2000 < 0.75
    assert counts.keys() == {*DEAD}
    assert all(150 < count < 250 for count in counts.values())
    # A larger share kills those hosts, too.
    more = fates(0.6, 0, recorded)
    assert all(more(host) for host, fate in zip(HOSTS, found, strict=True) if fate)
    assert not any(map(fates(0.0, 0, recorded), HOSTS))
    assert all(map(fates(1.0, 0, ()), HOSTS))


def test_other_hosts_have_pages_off_the_topic() -> None:
    recorded = {*HOSTS[:1000]}
    counts = Counter(map(fates(0.3, 0.5, recorded), HOSTS))
    assert 900 < counts[Fate.OFF_TOPIC] < 1100
    assert 550 < sum(counts[fate] for fate in DEAD) < 650
    assert Counter(map(fates(0, 1, recorded), HOSTS)) == {None: 1000, Fate.OFF_TOPIC: 2000}
    # Dead hosts are the same with and without.
    alone, both = fates(0.3, 0, recorded), fates(0.3, 0.7, recorded)
    assert all(both(host) == (alone(host) or Fate.OFF_TOPIC) for host in HOSTS[1000:])
