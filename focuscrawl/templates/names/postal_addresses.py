"""Postal addresses, Chinese and English, in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from focuscrawl.templates.names.address_parts import (
    address_score,
    end_of_address,
    next_beginning,
    start_of_place,
    start_with_country,
)
from focuscrawl.templates.names.text_spans import HAN, Span, View, readable

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
