"""Postal addresses, Chinese and English, in running text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from focuscrawl.templates.names.name_words import HAN, Span, View, readable
from focuscrawl.text.places.locations import first_letters, is_certain_place, place_at

# Parts of Chinese addresses: places, towns, streets, numbers and buildings.

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


# Trimming of addresses: removal of labels, telephone numbers and map words around them.

_OF = (
    "公司|单位|企业|学校|医院|工厂|厂家|厂|总部|分部|总公司|分公司|联系|联络|通讯|通信|办公|详细|经营|注册|收货|邮寄|邮政|店铺|门店|校区|校|门市|展厅"
    "|现场|所在|生产|本公司|我司|我公司|工厂|仓库|实体店|会议|报名|举办|办事处|营销中心"
)
_LABEL = re.compile(
    rf"^[\s【\[（(<《•●◆■★☆→>》、，,.。:：;；|/*·~-]*"
    rf"(?:(?:{_OF}){{0,3}}\s*(?:地\s*址|[厂校店住会社院馆所]\s*址|位\s*置|地\s*点|住\s*所|所在地|位\s*于|坐\s*落\s*于|座\s*落\s*于)"
    r"|[\u4e00-\u9fff]{1,6}地\s*址(?=\s*[:：])"
    r"|(?:(?:company|office|factory|our|mailing|head\s*office|work|postal|contact|street)\s*)?(?:address|addr?s?|adress|location)(?![A-Za-z])\.?)"
    r"\s*(?:[一二三四五1-9](?=\s*[:：])|[及和]邮编)?\s*[】\])）>》]?\s*(?:[(（/／]?\s*(?:address|addr?|address)(?![A-Za-z])\.?\s*[)）]?)?\s*[:：﹕】\]>|=-]*\s*",
    re.I,
)
# Each run of signs is tried only from its first one: otherwise a long run takes quadratic time.
_BETWEEN = r"\s,，;；。.、|/(（\[【<《"
_FOREIGN = re.compile(
    rf"(?<![{_BETWEEN}])[{_BETWEEN}]*(?:"
    r"(?:联\s*系|咨\s*询|服\s*务|公\s*司|办\s*公|客\s*服|固\s*定|销\s*售|业\s*务|全\s*国|24小时|免\s*费|公司总机|订\s*购|订\s*货|报\s*名|招\s*商|加\s*盟|投\s*诉|监\s*督|值\s*班|技\s*术|在\s*线){0,8}"
    r"(?:电\s*话|手\s*机|热\s*线|座\s*机|传\s*真|電\s*話|傳\s*真|總機|总机|QQ)"
    r"|邮\s*编|邮\s*政\s*编\s*码|邮\s*码|邮\s*政\s*[:：]|郵\s*編|郵\s*政\s*編|邮\s*箱|邮\s*件|电子邮|電子郵|信\s*箱|网\s*址|网\s*站|網\s*[址站]|主\s*页|官\s*网"
    r"|联\s*系\s*人|联\s*系\s*方|联\s*系\s*我|聯\s*[絡繫系]|微\s*信|公众号|乘\s*车|交\s*通\s*[:：路指]|公\s*交|地\s*铁\s*[:：\d]|路\s*线\s*[:：]"
    r"|备\s*案|版\s*权|版\s*權|技\s*术\s*支\s*持|查\s*看|点\s*击|导\s*航|地\s*图|百\s*度|到\s*这|开\s*户|税\s*号|收\s*件\s*人"
    r"|(?:营\s*业|工\s*作|上\s*班|服\s*务|办公)\s*时\s*间|[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]ICP"
    r"|(?<![A-Za-z])(?:tel|fax|phone|mobile|mob|e-?\s?mail|mail|qq|zip|postcode|post\s?code|postal|p\.?c\.|web(?:site)?|https?|www|copyright|contact|wechat|whatsapp|skype|attn|icp)(?![A-Za-z])"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]+\.|(?<!\d)(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?!\d)"
    r"|(?<![\d-])(?:\+?86[- ]?)?[(（]?0\d{2,3}[)）]?[-—－ ]{0,2}[2-9]\d{6,7}(?!\d)|(?<!\d)[48]00[- ]?\d{3,4}[- ]?\d{3,4}(?!\d)|(?<=\s)[2-9]\d{6,7}$"
    r"|关于我们|加入我们|首\s*页|[\u4e00-\u9fff]{1,2}(?:先生|女士|小姐|经理|老师|主任)(?![\u4e00-\u9fff])"
    r"|(?:周[一二三四五六日]|工作日)?[^\s(（)）]{0,6}\d{1,2}:\d\d\s*[-–—~至]|[©®☎✆]|>>|»|…|\.{3})",
    re.I,
)
# The label of the next field: a few characters before a colon.
_NEXT_LABEL = re.compile(
    r"(?<![\s,，;；。、|/(（\[【])[\s,，;；。、|/(（\[【]+[^\s:：,，、。()（）]{1,8}[:：](?!\d)"
)
_SENTENCE = re.compile(r"[。！!？?；;|｜\n\r]|\s{4,}")
_POSTCODE = re.compile(
    r"(?<![\s,，、(（\[:：-])[\s,，、(（\[:：-]*(?<![\d-])\d{6}(?!\d)[\s)）\]]*$"
)
_MOST_LAYERS = 20  # labels before one another
_EDGES = " \t\u3000,，、。;；:：.|/*–—>·-=~"
_BRACKETS = (("（", "）"), ("(", ")"), ("[", "]"), ("【", "】"))


def trim_address(text: str) -> str:
    """Return the address in ``text`` without its label, postcode, telephone, map words and next label.

    >>> trim_address("地址：某市某区某路1号（某大厦）  邮编：100000")
    '某市某区某路1号（某大厦）'
    """
    text = readable(text)
    for _ in range(_MOST_LAYERS):
        if (trimmed := _trimmed_once(text)) == text:
            break
        text = trimmed
    return text


def _trimmed_once(text: str) -> str:
    text = _LABEL.sub("", text, count=1).strip()
    for pattern in (_SENTENCE, _FOREIGN, _NEXT_LABEL):
        if (match := pattern.search(text)) and (match.start() > 1 or match.end() == len(text)):
            text = text[: match.start()]
    return _balanced(_POSTCODE.sub("", text).strip(_EDGES))


def _balanced(text: str) -> str:
    """Return the text without an unbalanced bracket at its edge, or brackets around all of it."""
    for opening, closing in _BRACKETS:
        if text.count(opening) > text.count(closing):
            at = text.rfind(opening)
            text = text[:at] if len(text) - at < 3 else text
        if text.count(closing) > text.count(opening) and text.endswith(closing):
            text = text[:-1]
        if text.startswith(opening) and text.endswith(closing) and text.count(opening) == 1:
            text = text[1:-1]
    return text.strip(_EDGES)


__all__ = ["addresses", "looks_like_address", "trim_address"]

_ENOUGH = 0.7
_RUNS_ON = re.compile(rf"(?!邮|电|联|手|传|网|乘|备|版|技|地址|以|并|专)[{HAN}A-Za-z]")
_SOMETHING_ELSE = re.compile(r"ICP ?备|公网安备|备案|@|https?:|www\.|(?:有限公司|集团|学校|协会)$")
_STREETS = "road|rd|street|st|avenue|ave|lane|drive|dr|boulevard|blvd|highway|hwy|way|court|crescent|terrace|parkway|pkwy|square"
_AREAS = (
    "district|dist|county|town|township|village|city|province|prov|state|zone|park|industrial|china|p\\.?r\\.?c|hong kong|kowloon|taiwan|macau"
    "|usa|u\\.s\\.a|united states|canada|ontario|uk|united kingdom|england|australia|singapore|malaysia|japan|korea|germany|france|beijing|shanghai|tianjin|chongqing|guangdong|zhejiang|jiangsu|shandong|sichuan|fujian|hebei|henan|hubei|hunan|anhui|liaoning|shaanxi|guangzhou|shenzhen|italy|india|vietnam|thailand"
)
_HOUSES = "no|room|rm|floor|flr|f|building|bldg|block|plaza|tower|unit|suite|center|centre|mansion|house|flat|apartment|apt|base|workshop|factory"
_LATIN_WORDS = re.compile(rf"(?<![A-Za-z])(?:{_STREETS}|{_AREAS}|{_HOUSES})(?![A-Za-z])", re.I)
_LATIN_PLACES = re.compile(rf"(?<![A-Za-z])(?:{_STREETS}|{_AREAS}|base)(?![A-Za-z])", re.I)
_NUMBERED_STREET = re.compile(
    rf"(?<![\w-])\d{{1,5}}[A-Za-z]?,? (?:[A-Za-z'’.]+ ){{1,4}}(?:{_STREETS})(?![A-Za-z])", re.I
)
_LATIN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:No|NO|Room|ROOM|Rm|RM|Unit|UNIT|Suite|Flat|Floor|Building|Block)\b\.? ?|#? ?\d{1,5}[-–\dA-Za-z]{0,6}(?:/F|F)?,? )"
    r"[A-Za-z0-9#'’&(). /-]{1,50}(?:, ?[A-Za-z0-9#'’&(). /-]{1,50}){1,9}"
)


def addresses(text: str) -> list[Span]:
    """Return the addresses in ``text`` in order: a place, then a street, village or building."""
    view = View(text)
    found = [view.span(*where) for where in _chinese(view.text)]
    return sorted(found + [view.span(*where) for where in _latin(view.text)])


def looks_like_address(text: str) -> float:
    """Return a score from 0 to 1 for ``text`` as a whole being an address.

    An address without its city (street and number) reaches 0.6, a place alone 0.25.
    """
    level = View(readable(text)).text
    if not 4 <= len(level) <= 160 or _SOMETHING_ELSE.search(level):
        return 0.0
    return address_score(level) if re.search(rf"[{HAN}]", level) else _latin_score(level)


def _chinese(text: str) -> Iterator[tuple[int, int, float]]:
    at = 0
    while (at := next_beginning(text, at)) >= 0:
        length = start_of_place(text, at)
        end = end_of_address(text, at, at + length) if length else at
        if end > at + length:
            start = start_with_country(text, at)
            score = address_score(text[start:end]) - 0.3 * bool(_RUNS_ON.match(text, end))
            if score >= _ENOUGH:
                yield start, end, score
        # A match that begins later within it has even fewer parts.
        at = max(end, at + 1)


def _latin(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _LATIN_ADDRESS.finditer(text):
        address = trim_address(match[0])
        score = _latin_score(address)
        if score >= _ENOUGH and (at := text.find(address, match.start(), match.end())) >= 0:
            yield at, at + len(address), score


def _latin_score(text: str) -> float:
    """Return a score from 0 to 1 for a Latin text being an address, from words, commas and numbers."""
    words = len({word.lower() for word in _LATIN_WORDS.findall(text)})
    score = 0.2 * words + 0.08 * min(text.count(","), 4)
    score += 0.3 if _NUMBERED_STREET.search(text) else 0.0
    return max(0.0, min(1.0, score - (0.0 if _LATIN_PLACES.search(text) else 0.3)))
