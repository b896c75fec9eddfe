"""Postal addresses in running text, and where an address ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .place_names import is_certain_place, place_at
from .spans import HAN, Span, View, readable

# Where an address goes on: a name and the class of the place, in the order of Chinese addresses.
_UNIT = (
    r"自治区|自治州|特别行政区|开发区|高新区|保税区|自由贸易试验区|自贸区|示范区|新区|园区|工业区|工业园|产业园|产业基地|科技园|创业园|创意园|软件园|物流园|"
    r"经济区|景区|小区|社区|校区|街区|厂区|库区|片区|地区|街道|大道|大街|胡同|路口|交叉口|交汇处|十字路口|路段|"
    r"省|市|区|县|旗|盟|州|镇|乡|屯|村|庄|组|队|屯|寨|湾|岛|桥|"
    r"路|街|道|巷|弄|里|段|线|国道|省道|高速|环|"
    r"号楼|号院|号|栋|幢|座|楼|层|室|单元|房|铺|门面|档口|商铺|档|厅|馆|站|口|门|"
    r"大厦|大楼|写字楼|商务楼|办公楼|广场|中心|商城|城|花园|家园|公寓|公馆|公园|花苑|苑|府|庭|坊|市场|商场|酒店|宾馆|饭店|医院|学校|大学|学院|中学|小学|"
    r"小镇|基地|仓库|农场|林场|厂|园|院|大院|场|港|码头|机场|岗|坡|坝|沟|河|山|甲|乙|期|公里处|公里|米处|米|排|侧|侧面|对面|旁边|旁|附近|隔壁|内|路东|路西|路南|路北"
)
_STREET = re.compile(
    r"[路街道巷弄村镇乡屯号栋幢座楼层室]|大厦|广场|园区|工业区|产业园|工业园|科技园|开发区|高新区|胡同|公馆|花园|小区|大道|家园|中心|基地|市场|商城|国际城|小镇|米"
)
_STOP = (
    r"电话|手机|传真|邮编|邮政|邮箱|邮件|信箱|电邮|网址|网站|主页|官网|联系|咨询|热线|客服|微信|乘车|公交|地铁|路线|备案|版权|技术|地址|收件|"
    r"主要|生产|成立|拥有|注册|公司|是一|从事|经营|占地|交通|交界|毗邻|紧邻|专业|致力|我们|欢迎|创建|创办|建于|现有|举行|举办|召开|的|了|为|是|有限|集团"
)
_STEP = re.compile(
    rf"[ ,，]{{0,3}}(?:(?!{_STOP})[{HAN}A-Za-z0-9#＃\-－—–~·.、/\\&]){{1,14}}?(?:{_UNIT})(?:[{HAN}]{{0,0}})"
    rf"|[ ]?[（(](?!{_STOP})[^（）()\n]{{2,24}}[）)]"
)
_LAST = re.compile(
    r"[ ]?(?:[A-Z]?\d{0,4}[-－—–]?[A-Za-z]?\d{1,5}[A-Za-z]?(?:[-－—–/、]\d{1,5})*#?(?![\d:：])|[A-Z]\d?(?![A-Za-z]))(?:室|号|房)?"
)
_AHEAD = re.compile(r"(?:中国|中國|中华人民共和国)?[ ·.,，、]{0,2}$")
_LABELS = (
    r"(?:(?:公司|单位|单位|企业|学校|医院|工厂|厂|总部|分部|总公司|分公司|联系|联络|通讯|通信|办公|详细|经营|注册|收货|邮寄|邮政|店铺|门店|校区|校|门市|展厅|现场|所在)?\s*(?:地\s*址|位\s*置|地\s*点|住\s*所|所在地)"
    r"|(?:company\s*|office\s*|factory\s*|our\s*|mailing\s*)?(?:address|addr?s?)\b\.?|地\s*址\s*(?:address|add)\b\.?)"
)
_HEAD = re.compile(
    rf"^[\s【\[（(•●◆■★☆→>》、，,.。:：;；|/*·-]*{_LABELS}\s*[】\])）]?\s*(?:[/／]?\s*(?:address|addr?)\b\.?)?\s*[:：﹕】\]>|-]*\s*",
    re.I,
)
_FOREIGN = re.compile(
    r"[\s,，;；。.、|/(（\[【]*(?:"
    r"(?:联系|咨询|服务|公司|办公|客服|固定|销售|业务|全国|24小时|免费)?(?:电\s*话|手\s*机|热\s*线|座\s*机|传\s*真|電\s*話|傳\s*真)"
    r"|邮\s*编|邮\s*政\s*编\s*码|邮\s*码|郵\s*編|邮\s*箱|邮\s*件|电子邮|信\s*箱|网\s*址|网\s*站|主\s*页|官\s*网|联\s*系\s*人|联\s*系\s*方|联\s*系\s*我|联\s*系\s*电"
    r"|微\s*信|乘\s*车|公\s*交|地\s*铁\s*[:：线]|路\s*线\s*[:：]|备\s*案|版\s*权|技\s*术\s*支\s*持|查\s*看|点\s*击|导\s*航|地\s*图|到\s*这|开\s*户|税\s*号"
    r"|营业时间|工作时间|上班时间|服务时间|(?<![A-Za-z])(?:tel|fax|phone|mobile|mob|e-?\s?mail|mail|qq|zip|postcode|post\s?code|postal|p\.?c|web(?:site)?|http|https|www|copyright|contact|wechat|whatsapp|skype|attn)\b"
    r"|[^\s:：]{0,12}[:：](?!\d)|[\w.+-]+@[\w-]+\.|(?:\+?86[- ]?)?1[3-9]\d{9}(?!\d)|(?<![\d-])(?:\+?86[- ]?)?0\d{2,3}[-—－ )）]\s?\d{7,8}|(?<!\d)[48]00[- ]?\d{3,4}[- ]?\d{3,4}(?!\d)|[©®]|>>|…)",
    re.I,
)
_SENTENCE = re.compile(r"[。！!？?；;|｜\n]|\s{4,}")
_POSTCODE = re.compile(r"[\s,，、(（\[:：-]*(?<!\d)\d{6}(?!\d)[\s)）\]]*$")
_EDGES = " \t\u3000,，、。;；:：.|/*-–—>·"
_COUNTRY = re.compile(r"^(?:P\.?\s?R\.?\s?)?China$", re.I)
_LATIN_WORDS = re.compile(
    r"(?<![A-Za-z])(?:no|room|rm|floor|f|building|bldg|block|road|rd|street|st|avenue|ave|lane|district|dist|county|town|village|city|province|zone|park|plaza|tower|highway|china|unit|suite)(?![A-Za-z])",
    re.I,
)
_LATIN_ADDRESS = re.compile(
    r"(?:(?:No|NO|Room|ROOM|Rm|RM|Unit|Suite|Floor|Building|Block|Add)\b\.? ?|#? ?\d{1,5}[-–\dA-Za-z]{0,6}(?:/F|F)?,? )"
    r"[A-Za-z0-9#'’&(). /-]{1,50}(?:, ?[A-Za-z0-9#'’&(). /-]{1,50}){1,9}"
)
_LATIN_STREET = re.compile(
    r"\b(?:road|rd|street|st|avenue|ave|lane|district|zone|park|town|village|industrial|highway|boulevard|blvd)\b",
    re.I,
)


def addresses(text: str) -> list[Span]:
    """Return the addresses in ``text`` in their order: a place, then street, village or building."""
    view = View(text)
    found = [view.span(start, end, sure) for start, end, sure in _chinese(view.text)]
    found += [view.span(start, end, sure) for start, end, sure in _latin(view.text)]
    return sorted(found)


def trim_address(text: str) -> str:
    """Return the address in what stands behind a label: without label, postcode, telephone, map words.

    >>> trim_address("地址：某市某区某路1号（某大厦）  邮编：100000")
    '某市某区某路1号（某大厦）'
    """
    text = readable(text)
    while (trimmed := _trimmed_once(text)) != text:
        text = trimmed
    return text


def looks_like_address(text: str) -> float:
    """Return how much ``text`` as a whole looks like an address, from 0 to 1."""
    level = View(readable(text)).text
    if not 4 <= len(level) <= 160 or not re.search(rf"[{HAN}A-Za-z]", level):
        return 0.0
    if not re.search(rf"[{HAN}]", level):
        return _latin_score(level)
    return _chinese_score(level)


def _trimmed_once(text: str) -> str:
    text = _HEAD.sub("", text, count=1).strip()
    for pattern in (_SENTENCE, _FOREIGN):
        if (match := pattern.search(text)) and match.start() > 1:
            text = text[: match.start()]
    text = _POSTCODE.sub("", text).strip(_EDGES)
    return _balanced(text)


def _balanced(text: str) -> str:
    """Return the text without a bracket that is not closed, or not opened."""
    for opening, closing in (("（", "）"), ("(", ")"), ("[", "]"), ("【", "】")):
        if text.count(opening) > text.count(closing) and text.endswith(opening):
            text = text[:-1]
        if text.count(closing) > text.count(opening) and text.endswith(closing):
            text = text[:-1]
    return text.strip(_EDGES)


def _chinese(text: str) -> Iterator[tuple[int, int, float]]:
    at = 0
    while at < len(text):
        if not (length := place_at(text, at)):
            at += 1
            continue
        end = _end_of_address(text, at, at + length)
        start = (
            at - len(match[0].lstrip(" ·.,，、"))
            if (match := _AHEAD.search(text[max(0, at - 10) : at]))
            else at
        )
        score = _chinese_score(text[start:end])
        if score >= 0.6:
            yield start, end, score
            at = end
        else:
            at += length


def _end_of_address(text: str, start: int, end: int) -> int:
    """Return where the address that begins at ``start`` ends: step by step, each ending on a unit."""
    while end - start < 120:
        step = _STEP.match(text, end)
        if not step:
            break
        end = step.end()
    last = _LAST.match(text, end)
    return last.end() if last and last.end() > last.start() else end


def _chinese_score(text: str) -> float:
    """Return a score of places, of classes of streets and of numbers in the text."""
    place = place_at(text.removeprefix("中国").lstrip(" .·,，"), 0)
    certain = place and is_certain_place(text.removeprefix("中国").lstrip(" .·,，")[:place])
    streets = len(_STREET.findall(text))
    area = len(re.findall(r"[省市区县州旗]", text))
    numbered = bool(re.search(r"\d+ ?(?:号|#|弄|栋|幢|楼|层|室|米|座|组)", text))
    score = (
        0.3 * bool(certain)
        + 0.1 * bool(place)
        + 0.12 * min(area, 3)
        + 0.15 * min(streets, 3)
        + 0.25 * numbered
    )
    if re.search(r"公司|电话|我们|[。！？]|欢迎|生产|销售", text):
        score -= 0.3
    return max(0.0, min(1.0, score))


def _latin(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _LATIN_ADDRESS.finditer(text):
        address = trim_address(match[0])
        score = _latin_score(address)
        if score >= 0.6 and (at := text.find(address, match.start(), match.end())) >= 0:
            yield at, at + len(address), score


def _latin_score(text: str) -> float:
    words = len({word.lower() for word in _LATIN_WORDS.findall(text)})
    commas = min(text.count(","), 4)
    return max(
        0.0, min(1.0, 0.2 * words + 0.08 * commas - (0.0 if _LATIN_STREET.search(text) else 0.3))
    )
