"""Parts of Chinese addresses: places, towns, streets, numbers and buildings."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from focuscrawl.templates.names.text_spans import HAN
from focuscrawl.text.places.place_names import first_letters, is_certain_place, place_at

# Units of each class, with lookaheads for longer words that begin with one (市 in 市场 is no city).
_CLASSES = {
    "area": (
        "自治区|特别行政区|自治州|自治县|地区|省(?!级|政|委|长|人民|道)|市(?!场|民|委|长|政|级|教|人民|局|区[^A-Z0-9])"
        "|区(?!域|长|委|别|政|间)|县(?!长|委|级|政|教|人民|局|域|城)|旗(?!下|舰|袍)|盟|州(?!际)"
    ),
    "town": (
        "自由贸易试验区|自贸区|经济技术开发区|开发区|高新区|高新技术产业区|保税区|示范区|新区|园区|工业区|工业集中区|工业园|产业园|产业基地|科技园"
        "|创业园|创意园|软件园|物流园|产业城|科技城|汽车城|商贸城|经济区|社区|街道办事处|街道|居委会|镇(?!长|党|政)|乡(?!镇|村振|愁)|屯|村委会|村(?!民|委|村通)|嘎查|苏木|庄(?!园|严)|寨|林场|农场|牧场"
    ),
    "street": (
        "大道|大街|胡同|国道|省道|县道|高速公路|公路|环路|路(?!灯|线|由|过|桥|透|演)|街(?!道|舞|景|坊)|巷|弄(?!堂)|里弄|道(?!路|德|理|具|闸|教)|[东西南北]里(?=[0-9甲乙])|一环|二环|三环|四环|五环|环线"
    ),
    "number": (
        r"[0-9一二三四五六七八九十百甲乙附A-Z][0-9A-Za-z#、,/-]{0,12} ?"
        r"(?:号院|号楼|号(?:门(?![市诊店户])|商铺|店铺|门面|铺面|铺|摊位|厂房|仓库|库|馆)|号地[下铺]|号[A-Z](?![A-Za-z0-9幢座栋区楼])|号[甲乙丙丁](?![一-龥])|号(?!召|码|线|文)|栋|幢|座(?!谈|落|机)|楼(?!盘|市)|层(?!次|面|级)|室(?!内|外)|单元|组(?!织|成|长)|房|铺|档|门|期|区|#)"
    ),
    "building": (
        "大厦|大楼|街坊|写字楼|商务楼|办公楼|综合楼|教学楼|实验楼|广场|花园|花苑|家园|小区|公寓|公馆|公园|小镇|国际城|新城|商城|[装具材金品电器鞋]城|市场(?!部|营)|商场|酒店|宾馆|饭店"
        "|中心(?!城)|基地|仓库|厂房|厂区|校区|大院|别墅|山庄|会馆|庭院|嘉园|雅苑|名苑|苑|府邸|公社|大学城|码头|机场|火车站|汽车站|客运站|铁路口"
    ),
    "near": (
        r"交叉口|交汇处|交界处|十字路口|路口|路段|公里处|\d+ ?(?:公里|米)处?|对面|旁边|附近|隔壁|路[东西南北](?:侧|段)?|[东西南北]侧|[东西南北]段|[东西南北]头|[东西南北]门(?![一-龥])|(?<=[村镇路街])[东南西北](?![一-龥])|旁|内(?!部|外|容)|口(?!腔|碑|可|有)"
    ),
}
_COMPONENT = re.compile("|".join(f"(?P<{kind}>{units})" for kind, units in _CLASSES.items()))
# The longest first: 路东 must not match as 路.
_ANY_UNIT = "|".join(f"(?:{_CLASSES[kind]})" for kind in ("near", *_CLASSES))
_WORTH = {"area": 0.15, "town": 0.2, "street": 0.3, "number": 0.3, "building": 0.2, "near": 0.1}
_MOST_OF_A_KIND = {"area": 2, "town": 2, "street": 1, "number": 1, "building": 1, "near": 1}
# Words of sentences and of names: an address ends before them.
_STOP_WORDS = (
    "电话|手机|传真|邮编|邮政编|邮箱|邮件|信箱|电邮|网址|网站|主页|官网|联系|咨询|热线|客服|微信|乘车|公交|路线|备案|版权|技术支持|地址|收件"
    "|主要|生产|成立|拥有|注册|公司|是一|从事|经营|占地|交通便|毗邻|紧邻|专业|致力|我们|欢迎|创建|创办|建于|现有|举行|举办|召开|的|了|为|是|有限"
    "|集团|政府|委员会|协会|总会|商会|主席|书记|会议|座谈|运动会|项目|支行|分行|服务(?!业|区|大厦)|管理|关于|印发|有关|学生|志愿|推进|走进|走入|全县|全市"
    "|融媒体|办公室|人民|职工|在|将|被|由|及|等|我|您|年|首|最|今日|近日|同志|图书|大学生|研发|油改|教育|学校|中学|小学|幼儿|步行|打车|开车|驾车|自驾|下车|距"
)
# But 人民路, 青年路 and 将军大道 are streets.
_STREET_SOON = rf"[{HAN}]{{0,2}}?(?:大道|大街|路(?!灯|线|由|过|桥|透|演)|街(?!道|舞|景)|巷)"
_STOP = rf"(?:(?:{_STOP_WORDS})(?!{_STREET_SOON})|[坐乘][0-9])"
_STEP = re.compile(
    rf"[ ,，]{{0,3}}(?:(?!{_STOP})[{HAN}A-Za-z0-9#－—–~·./\\&-]| (?=[A-Z0-9])|、(?=[0-9A-Z]|[{HAN}]{{1,6}}[路街道])){{0,12}}?(?:{_ANY_UNIT})"
    rf"|[ ]?[（(](?!{_STOP}|\d{{6}}[)）])[^（）()\n]{{2,24}}[）)]"
)
_AT_END = r"(?=$|[\s,，。;；(（])"
# A building without a class before its number, or a number alone: 某某新天地1506L, D2-9.
_TAIL = re.compile(
    rf"[ ]?(?:(?!{_STOP})[{HAN}]){{0,8}}[ ]?(?![48]00-|0\d{{2,3}}-)(?:[A-Z]{{1,2}}[-－]?\d{{1,5}}(?:[-－]\d{{1,5}})*[A-Z]?|\d{{1,5}}(?:[-－]\d{{1,5}})*(?:[A-Z]|[-－]\d{{1,5}}))(?:室|号|房)?(?![\d:：A-Za-z-])"
    r"|(?<=[座栋幢楼厦心场城园元])[ ]?\d{3,5}(?![\d:：-])"
    r"|之[0-9一二三四五六七八九十]{1,2}(?!\d)"
    r"|、\d{1,5}(?:-\d{1,5})?(?!\d)"
    # At the end, a building and its room, or a part of a village: 兴正元1907, 某某村杨家片.
    rf"|(?:(?!{_STOP})[{HAN}]){{2,6}}\d{{3,4}}{_AT_END}|(?<=村)(?:(?!{_STOP})[{HAN}]){{2,4}}{_AT_END}"
)
_MOST_TAILS = 3
_PLACE_GAP = re.compile(r"[ ·.,，]{0,2}")
_GAP = re.compile(r"[ ,，]{1,3}(?:[2-9](?![0-9]))?")
_TRADE_ZONE = re.compile(
    rf"(?:(?:中华人民共和国|中国)[ ·.,，、]{{0,2}}(?:[（(][{HAN}]{{2,4}}[）)]自由贸易试验区)?[ ·.,，、]{{0,2}})$"
)
_COUNTRY = re.compile(r"^(?:中华人民共和国|中国)?[ ·.,，、-]*")
# Hong Kong beyond its island, whose addresses rarely name the city.
_HONG_KONG = ("九龙", "新界")
_STRUCTURAL = re.compile(
    rf"(?:(?<=[于在址至往到位])|(?<![{HAN}]))(?![于在址至往到位])[{HAN}]{{2,3}}[市县旗区](?=[{HAN}]{{1,8}}?(?:镇|乡|街道|路|大道|街|村|工业|开发区|高新区|园区|区))"
    rf"|(?<![{HAN}])(?:{'|'.join(_HONG_KONG)})(?=[{HAN}])"
)
_SENTENCE_WORDS = re.compile(r"公司|电话|我们|[。！？!?]|欢迎|生产|销售|的|成立")


def start_of_place(text: str, at: int) -> int:
    """Return the length of a place name at ``at``: a known one, or one in the form of a county name."""
    if length := place_at(text, at):
        return length
    match = _STRUCTURAL.match(text, at)
    return len(match[0]) if match else 0


def next_beginning(text: str, at: int) -> int:
    """Return the offset from ``at`` on where the next place may begin; -1 if there is none."""
    match = _beginning().search(text, at)
    return match.start() if match else -1


@lru_cache(maxsize=1)
def _beginning() -> re.Pattern[str]:
    return re.compile(f"[{first_letters()}]|{_STRUCTURAL.pattern}")


def start_with_country(text: str, at: int) -> int:
    """Return the start of the address whose first place is at ``at``: with its country, if named."""
    before = text[max(0, at - 24) : at]
    match = _TRADE_ZONE.search(before)
    return at - len(match[0]) if match else at


def end_of_address(text: str, start: int, end: int) -> int:
    """Return the end of the address that begins at ``start``: part by part, each ending with a unit."""
    first = end = _behind_places(text, start, end)[0]
    while end - start < 120 and (step := _STEP.match(text, end)):
        if end > first and _begins_another(text, end):
            return end
        end = step.end()
    for _ in range(_MOST_TAILS):
        end = tail.end() if (tail := _TAIL.match(text, end)) else end
    return end


def _behind_places(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the end of the sequence of place names that continues at ``end``, and their number."""
    count = 0
    while end - start < 30 and (gap := _PLACE_GAP.match(text, end)):
        if not (length := place_at(text, gap.end())):
            break
        end, count = gap.end() + length, count + 1
    return end, count


def _begins_another(text: str, end: int) -> bool:
    """Return whether a comma or space at ``end`` is followed by a province or city: the next address."""
    gap = _GAP.match(text, end)
    length = place_at(text, gap.end()) if gap else 0
    return bool(gap and length and is_certain_place(text[gap.end() : gap.end() + length]))


def address_score(text: str) -> float:
    """Return a score from 0 to 1 for a text being an address, from its places, streets and numbers."""
    body = text[len(match[0]) :] if (match := _COUNTRY.match(text)) else text
    length = start_of_place(body, 0)
    is_certain = body.startswith(_HONG_KONG) or is_certain_place(body[:length])
    score = 0.3 if length and is_certain else 0.2 if length else 0.0
    end, areas = _behind_places(body, 0, length) if length else (0, 0)
    counts = Counter({"area": areas})
    counts.update(str(component.lastgroup) for component in _COMPONENT.finditer(body, end))
    for kind, count in counts.items():
        score += _WORTH[kind] * min(count, _MOST_OF_A_KIND[kind])
    if _SENTENCE_WORDS.search(body):
        score -= 0.25
    return max(0.0, min(1.0, score))
