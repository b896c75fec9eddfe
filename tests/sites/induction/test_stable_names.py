"""Classes that programs made up are told from those that people wrote."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.stable_names import is_generated, stable_part, without_hashes


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("kXyZab", ""),
        ("bdVaJa", ""),
        ("x1n2onr6", ""),
        ("sc-1a2b3c", ""),
        ("css-1q2w3e", ""),
        ("jss123", ""),
        ("item-20240301", ""),
        ("Post_title__3xYz9", "Post_title__"),
        ("title___2Xz3k", "title___"),
        ("_title_1q2w3_5", "_title_"),
        ("index-module__title__aB3dE", "index-module__title__"),
        ("Post__Title-sc-1a2b3c-0", "Post__Title-sc-"),
    ],
)
def test_made_up_names(name: str, part: str) -> None:
    assert is_generated(name)
    assert stable_part(name) == part


@pytest.mark.parametrize(
    "name",
    ["newsList", "listItem", "artTit", "news_list", "post-title", "post__title", "card__title--big", "col-md-8", "h1", "bt", "listTxt", "NewsTitle"],
)  # fmt: skip
def test_names_that_people_write(name: str) -> None:
    assert not is_generated(name)
    assert stable_part(name) == ""


def test_the_hash_behind_the_class_of_a_component_is_left_out() -> None:
    assert without_hashes(["sc-1a2b3c", "hidden", "list"]) == ["sc-1a2b3c", "list"]
    assert without_hashes(["list", "kXyZab"]) == ["list"]
