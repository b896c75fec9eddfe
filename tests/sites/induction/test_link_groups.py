"""Links at the same place of a template are one group, with one entry a URL."""

from __future__ import annotations

from focuscrawl.sites.induction.link_groups import link_groups, page_links, remove_unseen, text_of
from tests.sites.induction.pages import LIST_URL, tree


def test_classes_of_single_entries_do_not_split_a_group() -> None:
    entries = "".join(
        f'<li class="item {extra}"><a href="{n}.html">标题</a></li>'
        for n, extra in enumerate(["first", "", "photo", "item-3", "last"])
    )
    (group,) = link_groups(tree(f"<ul>{entries}</ul>"), LIST_URL)
    assert len(group.urls) == 5


def test_the_only_entry_of_a_block_is_no_larger_than_those_of_others() -> None:
    blocks = "".join(
        "<div class='block'><ul>"
        + "".join(f'<li><a href="{name}{n}.html">标题</a></li>' for n in range(count))
        + "</ul></div>"
        for name, count in (("a", 3), ("b", 1), ("c", 2))
    )
    (group,) = link_groups(tree(f"<div>{blocks}</div>"), LIST_URL)
    assert [entry.tag for entry in group.entries] == ["li"] * 6


def test_only_links_to_other_pages_count() -> None:
    hrefs = ["#top", "", "javascript:void(0)", "mailto:a@b.example", LIST_URL, "http://[", "x.html"]
    page = tree("".join(f'<a href="{href}">x</a>' for href in hrefs))
    assert [link.url for link in page_links(page, LIST_URL)] == [f"{LIST_URL}x.html"]


def test_scripts_and_comments_are_removed_and_the_text_behind_them_is_kept() -> None:
    page = tree("<p>甲<script>var x</script>乙<!-- 丙 -->丁<style>p{}</style></p>")
    remove_unseen(page)
    assert text_of(page) == "甲乙丁"


def test_a_page_of_any_depth_is_read() -> None:
    deep = "<div>" * 200 + "<a href='1.html'>一</a><a href='2.html'>二</a>"
    (group,) = link_groups(tree(deep), LIST_URL)
    assert len(group.urls) == 2


def test_months_of_one_entry_each_are_no_entries() -> None:
    months = "".join(
        f"<div class='month'><h3>{month}</h3>"
        + "".join(f'<p class="one"><a href="{month}{n}.html">标题</a></p>' for n in range(count))
        + "</div>"
        for month, count in enumerate([1, 1, 1, 3, 1, 1, 1, 1])
    )
    (group,) = link_groups(tree(f"<div>{months}</div>"), LIST_URL)
    assert [entry.get("class") for entry in group.entries] == ["one"] * 10
