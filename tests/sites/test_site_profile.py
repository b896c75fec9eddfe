from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from focuscrawl.errors import ProfileError
from focuscrawl.sites.site_profile import load_profile, profile_names

GOOD = {
    "name": "mine",
    "start_urls": ["http://host/"],
    "list": {"entry": "//li", "link": "./a/@href", "title": "./a"},
    "article": {"body": {"css": "div.body"}},
}


def write(folder: Path, **changes: object) -> str:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(GOOD | changes), encoding="utf-8")
    return str(path)


def test_all_shipped_profiles_load() -> None:
    names = profile_names()
    assert {"yz88", "feedtrade", "demo"} <= set(names)
    for name in names:
        assert load_profile(name).name == name


def test_a_profile_is_read_from_a_path(tmp_path: Path) -> None:
    assert load_profile(write(tmp_path)).name == "mine"


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"list": GOOD["list"] | {"entry": "//li["}}, ["list.entry", "is not an XPath"]),
        ({"list": GOOD["list"] | {"entry": {"css": "li["}}}, ["list.entry", "is not a CSS selector"]),
        ({"list": GOOD["list"] | {"title": {"xpath": "./a", "re": "("}}}, ["list.title", "is not a regular"]),
        ({"list": GOOD["list"] | {"title": {}}}, ["either xpath or css"]),
        ({"wait_for": {"css": "li"}}, ["wait_for needs render: list, article or both"]),
        ({"render": "article", "click": {"css": "b"}}, ["click needs render: list or both"]),
        ({"render": "both", "click": {"css": "b", "re": "x"}}, ["wait_for and click are selectors without re"]),
        ({"render": "list", "list": {"json": {"entries": "a", "link": "b", "title": "c"}}}, ["a list of JSON is not drawn"]),
        ({"render": "both", "list": "feed"}, ["a feed is not drawn"]),
        ({"list": GOOD["list"] | {"title": {"xpath": "./a", "css": "a"}}}, ["either xpath or css"]),
        ({"list": {"entry": "//li"}}, ["list.link", "required"]),
        ({"lists": {}}, ["lists", "not permitted"]),
        ({"start_urls": []}, ["start_urls"]),
        ({"start_urls": ["http://[::1"]}, ["start_urls"]),
        ({"start_urls": ["file:///etc/passwd"]}, ["start_urls"]),
    ],
)  # fmt: skip
def test_a_broken_profile_gets_one_sentence(
    tmp_path: Path, changes: dict[str, object], parts: list[str]
) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profile(write(tmp_path, **changes))
    assert "\n" not in str(caught.value)
    for part in [*parts, "mine.yaml"]:
        assert part in str(caught.value)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ProfileError, match=r"known: .*yz88"):
        load_profile("yz89")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((content, r"broken\.yaml") for content in (b"a: [", b"", b"- 1", b"\tx")),
        (b"\xff\xfe\x00", "UTF-8"),
        (None, "cannot read"),
    ],
)
def test_what_is_no_mapping_gets_a_sentence(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "broken.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProfileError, match=said):
        load_profile(str(path))
