"""Whether the choice of the main list depends on hosts that its weights were set on.

    python benchmarks/list_weights.py

The weights of ``focuscrawl.sites.induction.main_list`` were set by hand on the 28 hosts of
``shared/lists``, so that their own result is no forecast. Here the same features get weights fitted by
pairwise logistic regression (the right group against each other group of its page) on some of the hosts,
and choose the list of the others: once for each host left out, and in five folds by host. The right group
is the one with the most entries of the truth in common (F1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from lists import SHARED, TODAY, key_of, rows, trees
from sklearn.linear_model import LogisticRegression

from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.sites.induction.link_groups import link_groups, remove_unseen
from focuscrawl.sites.induction.main_list import Evidence, ranked_groups

LISTS = SHARED / "lists"


class Host(NamedTuple):
    """The features of each group of a page, the F1 of each, and the rank of the hand-set weights."""

    name: str
    features: np.ndarray
    f1: np.ndarray


def hosts() -> list[Host]:
    truth: dict[str, set[str]] = defaultdict(set)
    for row in rows(LISTS / "entries.csv"):
        truth[row["list_url"]].add(canonical_url(row["url"]).rstrip("/"))
    pages = trees(truth)
    found = []
    for url, wanted in truth.items():
        page = pages[key_of(url)]
        remove_unseen(page)
        ranked = ranked_groups(link_groups(page, url), page, url, TODAY)
        f1 = []
        for one in ranked:
            urls = {canonical_url(each).rstrip("/") for each in one.group.urls}
            f1.append(2 * len(urls & wanted) / (len(urls) + len(wanted)))
        features = np.array([one.evidence for one in ranked], dtype=float)
        found.append(Host(url.split("/")[2], features, np.array(f1)))
    return found


def fitted(some: Sequence[Host]) -> np.ndarray:
    differences = []
    for host in some:
        right = int(host.f1.argmax())
        others = host.f1 < host.f1[right]
        differences.append(host.features[right] - host.features[others])
    rows = np.concatenate(differences)
    model = LogisticRegression(fit_intercept=False, C=1.0, max_iter=10_000)
    model.fit(np.concatenate([rows, -rows]), np.repeat([1, 0], len(rows)))
    return np.asarray(model.coef_[0])


def check(name: str, hosts: Sequence[Host], folds: Sequence[Sequence[int]]) -> None:
    right, chosen = [], []
    for fold in folds:
        weights = fitted([host for at, host in enumerate(hosts) if at not in fold])
        for at in fold:
            host = hosts[at]
            best = int((host.features @ weights).argmax())
            chosen.append(host.f1[best])
            right.append(host.f1[best] == host.f1.max())
            if not right[-1]:
                print(
                    f"  {name}: {host.name} chosen F1 {host.f1[best]:.2f}, best {host.f1.max():.2f}"
                )
    print(f"{name}: right group on {sum(right)} of {len(right)} hosts, mean F1 of its links {np.mean(chosen):.3f}")  # fmt: skip


def main() -> None:
    found = hosts()
    weights = np.array(Evidence())
    by_hand = [int((host.features @ weights).argmax()) for host in found]
    right = sum(h.f1[at] == h.f1.max() for h, at in zip(found, by_hand, strict=True))
    print(f"weights set by hand, no fold: right group on {right} of {len(found)} hosts")
    count = len(found)
    check("one host left out", found, [[at] for at in range(count)])
    order = np.random.default_rng(7).permutation(count)
    check("five folds", found, [list(map(int, order[at::5])) for at in range(5)])
    all_weights = fitted(found)
    for name, hand, fit in zip(Evidence._fields, weights, all_weights, strict=True):
        print(f"  {name:10} by hand {hand:5.1f}  fitted on all {fit:5.1f}")


if __name__ == "__main__":
    main()
