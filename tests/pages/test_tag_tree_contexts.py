"""Tag tree contexts: the text of the nearest ancestor of a link that is long enough."""

from __future__ import annotations

from focuscrawl.pages.link import Link
from focuscrawl.pages.link_contexts import Contexts, parse_page
from focuscrawl.pages.tag_tree_contexts import LONGEST_SIDE


def in_tree(html: str, least: int) -> Link:
    """Return the link to /it; its aggregation node has at least ``least`` characters of text."""
    page = parse_page(html, "http://a.test/", contexts=Contexts.TAG_TREE, window=least // 2)
    [found] = [link for link in page.links if link.url == "http://a.test/it"]
    return found


LIST = (
    "<div>标题<ul><li>甲乙<a href=/it>丙丁</a>戊己</li><li>庚辛<a href=/2>壬癸</a></li></ul></div>"
)


def test_a_node_that_is_long_enough_is_the_aggregation_node() -> None:
    found = in_tree(LIST, 6)
    assert (found.before, found.after) == ("甲乙", "戊己")


def test_a_node_that_is_too_short_is_skipped() -> None:
    found = in_tree(LIST, 12)
    assert (found.before, found.after) == ("甲乙", "戊己 庚辛 壬癸")
    found = in_tree(LIST, 20)
    assert (found.before, found.after) == ("标题 甲乙", "戊己 庚辛 壬癸")


def test_the_body_is_the_last_node() -> None:
    found = in_tree(f"{LIST}尾", 1000)
    assert (found.before, found.after) == ("标题 甲乙", "戊己 庚辛 壬癸 尾")


def test_a_long_link_is_its_own_node() -> None:
    found = in_tree(LIST, 2)
    assert (found.anchor, found.before, found.after) == ("丙丁", "", "")


def test_a_long_node_is_cut_on_each_side() -> None:
    found = in_tree(f"<p>{'前' * 500}<a href=/it>丙丁</a>{'后' * 500}</p>", 100)
    assert LONGEST_SIDE - 1 <= len(found.before) <= LONGEST_SIDE
    assert found.after == "后" * LONGEST_SIDE


def test_only_the_contexts_differ_from_those_of_the_window() -> None:
    page = f"<title>题</title><h2>机<b>器</b></h2>{LIST}<nav><a href=/n>航</a></nav>"
    tree = parse_page(page, "http://a.test/", contexts=Contexts.TAG_TREE)
    window = parse_page(page, "http://a.test/")
    assert tree[:2] == window[:2]
    without = [link._replace(before="", after="") for link in tree.links]
    assert without == [link._replace(before="", after="") for link in window.links]
