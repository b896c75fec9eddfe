"""Stop words: words without a topic. The list is short, since classifiers weigh the others."""

from __future__ import annotations

# 不, 没, 无 and question words are not listed: 如何, 什么 begin the titles of manuals.
_CHINESE = """
的 地 得 了 着 过 是 在 和 与 及 或 并 而 且 但 也 都 就 又 还 很 再 只 才 被 把 将 让 给 从 对 向 到 由
于 以 为 因 所 之 其 此 该 这 那 我 你 您 他 她 它 们 吗 呢 吧 啊 呀 哦 嘛 个 们 上 下 里 中 有
我们 你们 他们 它们 自己 这个 那个 一个 这些 那些 这里 因为 所以 但是 如果 以及 并且 或者 而且 然后
"""
_ENGLISH = """
a an the of to in on at by for from with and or as is are was were be been it its this that these those
we you they he she our your their my me us them not
"""

STOP_WORDS = frozenset(_CHINESE.split()) | frozenset(_ENGLISH.split())
