"""The words that the readers look for, and texts that repeat them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import chain

import yaml

from focuscrawl.prices import load_aliases
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.templates.extraction import label_words as labels
from focuscrawl.templates.extraction.label_words import ICON_KEYWORDS
from focuscrawl.templates.names.name_words import word_lists
from focuscrawl.templates.template_model import load_template, template_names
from focuscrawl.text.places.gazetteer import gazetteer
from focuscrawl.text.tokeniser import STOP_WORDS

SEPARATORS = list("、，。：；/|~-—()（）【】[]<>《》\"'=→↑↓≤+*·• \u3000\n\t")
NUMBERS = (
    "1, 1. 1- 1 1/ 1: 0.8- 1,111 12345678 1234567 13812345678 1381234567 0571- 0571-88001234 400-"
    " 15% 15水 0.85 2400 2400-2450 C2405 一 二千 一块两毛 8毛5 ¥1 $1 +1 -1 ↑1 (1)"
).split()
UNITS = (
    "元/吨 元/斤 元/公斤 元/千克 元/50公斤 元 块 毛 厘 分 美元/吨 yuan/ton 元/头 个百分点 点 吨 % 每吨"
).split()
PRICES = (
    "10元/吨 0.85元/斤 2400元/吨 2400-2450元/吨 一块两毛五 1元 5厘 10美元/吨 玉米0.85元/斤".split()
)
DATES = "2017年1月11日 2017-01-11 2017- 2017年 1月 1月11日 11日 1月- 1月1日- 今天 昨日 12:30 2017.1.".split()
ADDRESSES = (
    "文三路100号 杭州市 西湖区 浙江省杭州市西湖区文三路100号 100号 1号楼 路 号 室 村 Road, 100 Wensan"
    " 100 Wensan Road, No.1 Room 1, Hangzhou, 工业园区 甲乙丙 中国 有限公司 杭州文三机械有限公司 机械 的"
    " Co., Ltd. ACME Glass 310012 先生 关于我们"
).split(" ")
ELECTRONIC = "@ . www. http:// a@ a. a@b. a@b.com (at) [dot] #at# www.a.com a-b. .com .cn a% / a/ ://".split()
URL_PARTS = (
    "/ /a /. /.. /../ ? & = a=1& ?a= # % %2F %zz %E4 ; ;jsessionid= /2017/01/ : @ // + http:// 中 - . ["
    " /calendar/ &amp; /1 /(s(a)) \\"
).split()
# Blocks are closed: while they nest, the time of the parser grows with the square of their depth, up to
# half a second; then pages are cut (text/page_depth.py).
TAGS = (
    "<td> <tr> <th> <br> <li> <span> <p> <div></div> <b> <a> <table></table> <ul></ul> <dl></dl> <dt> <dd> <h1> <img> <i> <pre></pre> <code> <td>1</td>"
    " <tr><td>1 <tr><td>地址</td><td>1</td></tr> <br>1 <li>1 <li>电话： <a>1</a> <b>1</b> <span>1</span> <p>地址：</p> <li>1</li>"
    " <meta> <meta charset= <!-- < > </ & &lt; &#1 <script> <style> <title> <frame> <a_href=1>1</a> <a_href='/1'>"
    " <a_onclick=go('/1')>1</a> <a_href=javascript:go('/1')>1</a> <img_alt=电话> <i_class=icon-phone></i> <h2>1</h2>"
    " <div_class=footer>1</div> <form> <input> <select> <option> class= ' \" location= go( href=' <script>location='/1'</script>"
    " <th>1</th><td>2</td> <pre><span>1</span></pre> <span_class=gutter> <td_class=gutter> <td_class=gutter>1</td>"
).split()
ODD_CHARACTERS = ["\ufeff", "\u200b", "乾", "䶮", "é", "e\u0301", "\u0301", "½", "ﷺ", "㎏", "\x01", "A", "a", "a1", "a-", "c++", ".net", "\ue901"]  # fmt: skip
ENGLISH = "maize price at yuan/ton, Shandong rose Jan. Jan 1, Jan 2017 contract".split(" ")


@lru_cache(maxsize=1)
def lists() -> dict[str, list[str]]:
    """Return every word list of the readers by its name; none is empty."""
    prices = yaml.safe_load((files("focuscrawl.prices") / "lists/words.yaml").read_text("utf-8"))
    found = {f"prices/{name}": str(words).split() for name, words in prices.items()}
    found |= {f"names/{name}": words for name, words in word_lists().items()}
    templates = [load_template(name) for name in template_names()]
    keywords = (f.keywords for template in templates for f in template.fields.values())
    return found | {
        "commodities": list(commodities()),
        "firms": sorted(load_aliases().names),
        "places": list(gazetteer()),
        "labels/fields": list(dict.fromkeys(chain.from_iterable(keywords))),
        "labels/icons": list(dict.fromkeys(chain.from_iterable(ICON_KEYWORDS.values()))),
        "labels/other": [*labels._NO_FIELD, *labels._MAKERS, *labels._MAKER_LATIN, *labels._OF_NONE],
        "table heads": "企业 地区 价格 报价 涨跌 昨日 水分 单位 品种 等级 日期 电话 联系人 地址 传真".split(),
        "stop words": sorted(STOP_WORDS),
        "separators": SEPARATORS,
        "numbers": NUMBERS,
        "units": UNITS,
        "prices": PRICES,
        "dates": DATES,
        "addresses": ADDRESSES,
        "electronic": ELECTRONIC,
        "odd characters": ODD_CHARACTERS,
        "english": ENGLISH,
    }  # fmt: skip


def samples_of(words: Sequence[str], most: int) -> list[str]:
    """Return ``most`` of the words, spread over the list, the shortest and the longest among them."""
    if len(words) <= most:
        return list(words)
    ordered = sorted(set(words), key=len)
    return [ordered[at * (len(ordered) - 1) // max(most - 1, 1)] for at in range(most)]


def pairs(word: str) -> list[str]:
    """Return a word with what may stand beside it: a number, a price, a sign."""
    return [
        f"{word}{behind}"
        for behind in ("：", "，", "1", "、", " ", "(", "10元/吨", "0.85元/斤，", "：1", "。", "公司", "市")
    ]  # fmt: skip


def pieces(most: int, *, with_pairs: bool) -> Iterator[tuple[str, str]]:
    """Yield list and piece: each list as a whole, and ``most`` of its words alone and in pairs."""
    for name, words in lists().items():
        yield name, "".join(words) if name in _JOINED else " ".join(words)
        for word in samples_of(words, most):
            yield name, word
            if with_pairs:
                yield from ((name, pair) for pair in pairs(word))


_JOINED = frozenset({"separators", "numbers", "units", "prices", "dates"})


def tag_pieces() -> list[str]:
    """Return pieces of HTML."""
    return [tag.replace("_", " ") for tag in TAGS]


def url_pieces() -> list[str]:
    """Return parts of URLs and pairs of them."""
    return [*URL_PARTS, *(a + b for a in URL_PARTS[:12] for b in URL_PARTS[:12])]


def repeated(piece: str) -> Callable[[int], str]:
    """Return the text of at least so many characters that repeats ``piece`` on one line."""
    return lambda size: piece * -(-size // len(piece))
