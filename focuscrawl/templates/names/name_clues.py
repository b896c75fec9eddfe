"""Clues to the name of a site's owner, each with a strength."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from focuscrawl.templates.names.name_finder import organisations
from focuscrawl.templates.names.name_words import (
    HAN,
    Span,
    View,
    any_of,
    folded,
    readable,
    word_lists,
)
from focuscrawl.templates.names.postal_addresses import looks_like_address
from focuscrawl.text.places.locations import is_certain_place, place_at

# Names of a site in the titles of its pages.

_SEPARATOR = re.compile(
    r"\s*[|｜丨_»>＞<《》【】\[\]\n，。;；:：!！]+\s*|\s*,\s*(?!(?:Ltd|Inc|LLC|Limited|Co)(?![a-z]))"
    rf"|\s+[-–—－·]+\s*|[-–—－]+\s+|(?<=[{HAN}])[-–—－·]+|[–—－]+|-+(?=[{HAN}])|--+|\s{{2,}}"
)
_HEAD = re.compile(
    r"^(?:热烈)?欢迎(?:您|大家|各位)?(?:来到|光临|访问|进入|莅临|浏览|关注)?|^(?:welcome to|about|contact)[ -]+",
    re.I,
)
_TAIL = re.compile(
    r"(?:[-_ ]*(?:官方网站|官方首页|官方主页|门户网站|官网|网站首页|首页|欢迎您|网站|主页)"
    r"|[-_ ]+(?:home(?: ?page)?|official (?:web)?site))+$",
    re.I,
)
_LONGEST, _MOST_HAN = 40, 18
_EDGES = " -–—.·、/\\\"'“”*~"
_WHOLE_BRACKET = re.compile(r"[(（]([^()（）]*)[)）]")


def title_names(title: str) -> list[str]:
    """Return the parts of a title that may be the site's name, without navigation words.

    >>> title_names("首页-链实训网"), title_names("Acme Glass | Contact Us")
    (['链实训网'], ['Acme Glass'])
    """
    parts = (_trimmed(part) for part in _SEPARATOR.split(readable(title)))
    return [part for part in parts if _fits(part)]


def _fits(part: str) -> bool:
    han = len(re.findall(f"[{HAN}]", part))
    return 2 <= len(part) <= _LONGEST and han <= _MOST_HAN and bool(re.search(r"[^\W\d_]", part))


def is_navigation(text: str) -> bool:
    """Return whether the text is a word of menus and forms, not a name."""
    return bool(_navigation().fullmatch(View(text.strip(" :：*")).text))


def _trimmed(part: str) -> str:
    part = part.strip(_EDGES)
    part = whole[1] if (whole := _WHOLE_BRACKET.fullmatch(part)) else part
    level = View(part).text
    if len(level) == len(part) and (head := _HEAD.match(level)):
        part, level = part[head.end() :].strip(), level[head.end() :].strip()
    if is_navigation(part):
        return ""
    if len(level) == len(part) and (tail := _TAIL.search(level)):
        part = part[: tail.start()].strip(_EDGES + "的")
    return "" if is_navigation(part) else part


@lru_cache(maxsize=1)
def _navigation() -> re.Pattern[str]:
    lists = word_lists()
    english = [word.strip() for word in " ".join(lists["menu_english"]).split("|")]
    # Many words match in two ways: without an atomic group each of them would double the time.
    word = (
        f"(?>(?:{any_of(lists['menu'] + english)}|{any_of(lists['menu_heads'])}[{HAN}]{{2}}"
        rf"|{any_of(lists['programs'])}.*|[{HAN}]?ICP备.*|new page(?: \d+)?|[{HAN}]{{0,6}}(?:电话|方式|地址|网点|分布|路线|须知))(?=[ /&·|-]|$))"
    )
    return re.compile(rf"{word}(?:[ /&·|-]++{word})*+", re.I)


Source = Literal[
    "label",
    "jsonld",
    "title",
    "copyright",
    "icp",
    "block",
    "contact",
    "heading",
    "logo",
    "meta",
    "text",
]
Role = Source | Literal["owner", "itself", "line", "other"]
# Evidence that a name is the owner's, by the role of a mention: its source, or the words around it.
WEIGHT: dict[Role, float] = {
    "label": 4.0,
    "owner": 3.5,
    "jsonld": 3.0,
    "title": 3.0,
    "copyright": 3.0,
    "icp": 3.0,
    "block": 2.5,
    "contact": 2.5,
    "heading": 2.0,
    "logo": 2.0,
    "itself": 2.0,
    "line": 1.25,
    "meta": 1.0,
    "text": 0.5,
    "other": -1.0,
}
# Confidence in the form of a name without an ending of an organisation.
BRAND = 0.55
_LINE = 60
_SHORT = 30
_MAKERS = "技术支持|网站建设|网站维护|网站优化|网站推广|网络推广|网站制作|网页设计|网站设计|网页制作|设计制作|制作单位|制作维护|建站|品牌策划|策划设计|设计单位|托管"
_SHOWN = (
    "友情链接|合作伙伴|合作客户|合作单位|合作企业|成功案例|开发商|供应商(?:名称)?|采购人|采购单位|中标单位|成交单位|客户名称|会员单位"
    "|理事单位|代理品牌|建设单位|施工单位|用户单位|服务客户|承办单位|协办单位|支持单位|指导单位"
)
# Makers of the site, or firms shown on it: the name behind such words is not the owner's.
_OTHERS = re.compile(
    rf"(?:(?:{_MAKERS}|技術支持|{_SHOWN}|友情連接)\s*[:：]|(?<![{HAN}])(?:技[术術]支持|(?:{_MAKERS})(?=\s)))\s*[^\s|｜，,;；。<>]*"
    r"|(?:Powered|Designed|Design|Supported|Hosted)\s*by\s*[:：]?[^|｜。©\n]*",
    re.I,
)
_ABOUT_ITSELF = re.compile(
    r"\s*(?:是一[家个所]|是[^，。]{0,12}(?:公司|企业|厂家)|成立于|创建于|创立于|始建于|创办于|建于|位于|坐落|座落|地处"
    r"|旗下[^，。]{0,8}品牌|欢迎[您你])"
)
_FOUNDED = re.compile(r"注册成立了?\s*$")
_SHORTENED = re.compile(r"\s*[（(]\s*(?:以下)?(?:统称|简称)")
# Roles of other organisations: a parent, a customer, who certifies, insures, or draws the map.
_OTHER_BEHIND = re.compile(
    r"(?:\s*[（(][^（）()]{0,40}[）)])?(?:旗下(?!拥?有|[^，。]{0,8}品牌)|子公司|成员(?:企业|单位)|控股|的?(?:(?:总|特约|指定|一级|授权)(?:代理|经销))|认证|检[测验]"
    r"|出具|监制|提供(?=支持|技术|支付|地图|担保|模板|保险|[。，,;；\s]|$)|会员(?:单位|企业|\s|$)|(?:副?会长|理事)(?:单位|\s|$)|合作(?:医院|单位|院校|基地)|来访|来我|莅临"
    r"|曾是|批准|主管|监管|对此|支行|分行|承建|设计制作|制作维护|建设维护|开发维护)"
    r"|[\s-]*(?:GS ?[（(]|审图|甲测|地图|质量管理|[颁核签]发|授权|承保|战略合作|(?:[^\s，。]{0,6})证书)"
)
_OTHER_BEFORE = re.compile(
    r"(?:开户银?行|银行|认证机构|检测机构|发证(?:机关|机构|单位)|主管(?:部门|单位)|登记机关|法律顾问|保荐机构|审计机构|承保|承运|厂家|供应商|前身[为是]|原名|曾用名|[（(]原|隶属于?|代理|授权|地图(?:数据)?|与|获得?|经|被)\s*[:：©]?\s*(?:\d{4})?\s*$"
)
_OWNER = re.compile(
    r"(?:主办单位|主办方|主办(?=\s*[:：])|运营(?:单位|机构|公司|方|主体)|(?:单位|公司|企业|机构|学校|商户|店铺|执照|工商|注册|登记)(?:名称?|全称)|[店厂校院社馆]名|主体(?:名称)?|开发者|所属公司|持有者|执照|版权(?:所有|归|属于?)|开?户名|账户(?:名称?)?"
    r"|收款(?:单位|人)|欢迎(?:来到|光临|访问)|(?:^|\s)(?:公\s*司|名\s*称))\s*[:：]?\s*$"
)
_OPERATES = re.compile(
    r"\s*(?:[（(][^（）()]{0,40}[）)])?\s*(?:负责)?(?:运营|所有|主办|开发并运营|的?(?:注册商标|自[有主创]品牌))"
)
_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
_TITLES = "联系人|收件人|负责人|经理|先生|女士|小姐|主任|老师|厂长|总"
_PERSON = re.compile(
    rf"(?:[{HAN}]{{0,4}}(?:{_TITLES}))?[{_SURNAMES}][{HAN}]{{2}}|[{HAN}]{{0,4}}(?:{_TITLES})[{_SURNAMES}][{HAN}]|[{_SURNAMES}][{HAN}]?(?:{_TITLES})"
)
_LONGEST_PERSON = 11
_BOILERPLATE = re.compile(
    r"copy\s*right|copy\s*©|all\s*rights?\s*re\w*|rights?\s*reserved|版权所有权?[:：\s]*归?|版权所|版权归?|所有|未经\w*|不得转载|[©®™@]|\(c\)"
    r"|(?:19|20)\d\d\s*[-–—~至]?\s*(?:(?:19|20)\d\d)?年?"
    rf"|[{HAN}]?\s*ICP\s*[备证][^|]*|[{HAN}]公网安备[^|]*|(?:https?://)?(?:[\w-]+\.)+[a-z]{{2,6}}\b\S*|DEDECMS|wordpress",
    re.I,
)
# Sentences, and phrases for search engines: 某地装修公司, 某某厂家哪家好.
_SLOGAN = re.compile(
    r"[的让您你我们为把最更从]|(?<!有限)公司$|厂家|哪家|价格|批发|专家|领导|品牌|定制$"
)
_OF_CONTACT = ("contact", "block")
_LABEL = re.compile(r"^[^:：]{0,8}[:：]\s*")


class Mention(NamedTuple):
    """A name, the confidence in its form, its role, and a factor of the weight of the role."""

    name: str
    sureness: float
    role: Role
    factor: float = 1.0


def names_owner(label: str) -> bool:
    """Return whether a label announces the owner: 备案主体, 户名."""
    return bool(_OWNER.search(label))


def mentions(text: str, source: Source) -> Iterator[Mention]:
    """Yield the mentions of organisations, or of a brand, in a piece of evidence."""
    own = text if source == "label" else _OTHERS.sub(" | ", text)
    spans = organisations(own)
    for span in spans:
        yield Mention(_behind_person(span.text), span.confidence, _role(own, span, source))
    if all(span.confidence <= BRAND for span in spans):
        for name in _brands(own, source):
            factor = 0.4 if source == "heading" else 0.8
            yield Mention(name, BRAND, source, factor * (0.4 if _SLOGAN.search(name) else 1.0))


def _role(text: str, span: Span, source: Source) -> Role:
    """Return the role of a name by the words around it, or else by its source."""
    before = (text, max(0, span.start - 12), span.start)
    behind = text[span.end : span.end + 60]
    if source in ("label", "jsonld"):
        return source
    if _OWNER.search(*before) or _OPERATES.match(behind):
        return "owner"
    if _SHORTENED.match(behind) or _FOUNDED.search(*before):
        return "itself"
    if _OTHER_BEFORE.search(*before) or _OTHER_BEHIND.match(behind):
        return "other"
    if source in ("title", "heading", "logo"):
        return source if _fills_its_part(text, span) else "text"
    if source in _OF_CONTACT and len(text) <= _LINE and _fills_its_part(text, span):
        return source
    if source in ("copyright", "icp", "meta"):
        return source
    if _ABOUT_ITSELF.match(behind):
        return "itself"
    return "line" if len(text.strip()) <= span.end - span.start + 2 else "text"


def _behind_person(name: str) -> str:
    """Return the name of a firm without that of a person before it: 李某某潍坊甲乙有限公司."""
    if place_at(name, 0):
        return name
    for at in range(2, min(_LONGEST_PERSON, len(name) - 4)):
        length = place_at(name, at)
        if length and is_certain_place(name[at : at + length]) and _PERSON.fullmatch(name, 0, at):
            return name[at:]
    return name


def _fills_its_part(text: str, span: Span) -> bool:
    """Return whether the name is most of the text between two separators, not a mention in a headline."""
    parts = r"[|｜_>:：,，]" if span.text.isascii() else r"[|｜_\-–—\s>:：,，]"
    before = re.split(parts, text[: span.start])[-1]
    behind = re.split(parts, text[span.end :])[0]
    return len(before) + len(behind) <= 0.5 * (span.end - span.start) + 2


def _brands(text: str, source: Source) -> list[str]:
    """Return candidate names without the ending of an organisation."""
    if source == "title" or (source in ("logo", "heading", "meta") and len(text) <= _SHORT):
        return title_names(text)
    if source == "copyright":
        parts = [part for part in _BOILERPLATE.sub("|", text).split("|") if folded(part)]
        return [name for name in title_names("|".join(parts[:1])) if not _is_address(name)]
    if source in ("label", "jsonld"):
        value = readable(_LABEL.sub("", text))
        fits = 2 <= len(value) <= _SHORT and not is_navigation(value)
        return [value] if fits and not _is_address(value) else []
    return []


def _is_address(text: str) -> bool:
    return looks_like_address(text) >= 0.6
