"""Label words of a line, and the fields that they label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from focuscrawl.templates.keywords import fold, keyword_pattern
from focuscrawl.templates.template_model import ExtractionField, FieldType

# Icons in place of labels, such as a telephone before a number.


class Icon(StrEnum):
    """Meaning of an icon; each value is a private-use character as its mark in texts."""

    PHONE = "\ue901"
    EMAIL = "\ue902"
    ADDRESS = "\ue903"
    FAX = "\ue904"
    QQ = "\ue905"
    WEBSITE = "\ue906"
    OTHER = "\ue907"


INPUT = "\ue900"
"""Mark of an input field in a line."""
MARKS = re.compile("[\ue900-\ue907]")

ICON_KEYWORDS: dict[Icon, tuple[str, ...]] = {
    Icon.PHONE: ("电话", "手机", "热线", "Tel", "Telephone", "Phone", "Mobile"),
    Icon.EMAIL: ("邮箱", "邮件", "电子邮箱", "Email", "E-mail", "Mail"),
    Icon.ADDRESS: ("地址", "Address", "Add"),
    Icon.FAX: ("传真", "Fax"),
    Icon.QQ: ("QQ",),
    Icon.WEBSITE: ("网址", "网站", "Website", "Web"),
}
"""Keywords of each icon: it labels the fields that have one of them among their keywords."""

_EMOJI = {
    **dict.fromkeys("☎☏✆📞📱📲🤙🕿🕾", Icon.PHONE),
    **dict.fromkeys("✉🖂📧📨📩📬📮📪📫🖃🖄", Icon.EMAIL),
    **dict.fromkeys("📍🏢🏠🏭📌🗺🧭", Icon.ADDRESS),
    **dict.fromkeys("📠🖷🖨", Icon.FAX),
    **dict.fromkeys("🌐🌍🌎🌏", Icon.WEBSITE),
    **dict.fromkeys("🕐🕒🕘⏰🕑", Icon.OTHER),
}
_PRESENTATION = "\ufe0f"  # selects the coloured form of an emoji
_TO_ICON = str.maketrans(
    {emoji: icon.value for emoji, icon in _EMOJI.items()} | {_PRESENTATION: ""}
)
# Words in class names and image file names, including pinyin and its initials.
_WORDS: dict[str, Icon] = {
    **dict.fromkeys(
        "phone phones tel telephone mobile cellphone earphone call dianhua dh shouji sj hotline"
        " rexian smartphone".split(),
        Icon.PHONE,
    ),
    **dict.fromkeys("email mail envelope e-mail youxiang yx youjian message".split(), Icon.EMAIL),
    **dict.fromkeys(
        "address addr add loc location position marker dizhi dz dw weizhi map pin place".split(),
        Icon.ADDRESS,
    ),
    **dict.fromkeys("fax chuanzhen cz print printer".split(), Icon.FAX),
    **dict.fromkeys(["qq"], Icon.QQ),
    **dict.fromkeys("globe website web wangzhi wz url earth".split(), Icon.WEBSITE),
    **dict.fromkeys("wechat weixin wx time clock".split(), Icon.OTHER),
}
_CLASSES = {
    **dict.fromkeys("tel phone telephone mobile dianhua".split(), Icon.PHONE),
    **dict.fromkeys("email mail e-mail youxiang".split(), Icon.EMAIL),
    **dict.fromkeys(["fax", "chuanzhen"], Icon.FAX),
    **dict.fromkeys(["qq"], Icon.QQ),
    **dict.fromkeys(["weixin", "wechat", "wx"], Icon.OTHER),
}
_WORD = re.compile(r"[a-z]+")
_ICON_CLASS = re.compile(
    r"\b(?:fa|fas|far|fab|bi|glyphicon|iconfont|mdi|layui-icon|el-icon|ico|ion|icon\w*|\w*icon)\b|icon|\bfa-|\bbi-"
)
_LONGEST_NAME = 40


def icons_of_emoji(text: str) -> str:
    """Return ``text`` with emoji that serve as labels replaced by the marks of :class:`Icon`."""
    return text if text.isascii() else text.translate(_TO_ICON)


def icon_of(node: LexborNode, tag: str) -> str:
    """Return the mark of an icon, ``""`` for other elements.

    Icons are recognised by words in the file name of an image, or in the class of an empty element
    of an icon font (``<i class="fa fa-phone">``).
    """
    own = node.attributes
    if tag == "img":
        path = (own.get("src") or "").partition("?")[0].replace("\\", "/")
        return _icon_in(path.rpartition("/")[2].partition(".")[0].lower())
    classes = (own.get("class") or "").lower()
    return _icon_in(classes) if _ICON_CLASS.search(classes) else ""


def icon_of_class(node: LexborNode) -> str:
    """Return the mark of the icon that a style sheet adds before a text: ``<li class="fax">``."""
    child = node.child
    if child is None or not child.is_text_node or not (child.text_content or "").strip():
        return ""
    classes = (node.attributes.get("class") or "").lower().split()
    found = [icon for name in classes if (icon := _CLASSES.get(name))]
    return found[0].value if found else ""


def _icon_in(name: str) -> str:
    if len(name) > _LONGEST_NAME * 2:
        return ""
    found = [icon for word in _WORD.findall(name) if (icon := _WORDS.get(word))]
    return found[0].value if found else ""


# Other labels of contact pages: a number behind one is not a telephone number.
_NO_FIELD = (
    "备案 备案号 ICP ICP备案 公安备案 许可证 许可证号 经营许可证 执照 营业执照 注册号 信用代码 社会信用代码"
    " 组织机构代码 统一编号 统编 税号 纳税人识别号 账号 帐号 账户 帐户 银行账号 开户行 开户银行 微信 微信号 公众号 微信公众号"
    " 邮编 邮政编码 传真 QQ 旺旺 MSN Skype 价格 金额 注册资本 注册资金"
    " 股票代码 股票 证券代码 版本 浏览 浏览次数 点击 点击数 访问量 访问 阅读 面积 验证码 人数 员工人数 编号 产品编号 型号"
    " 订单号 身份证 传真号码 Fax Postcode Zip WeChat 抖音 快手 快手号 抖音号 违法和不良信息举报电话 反诈专线 反诈热线 反诈电话"
    " 主管单位 主管部门 登记机关 监管部门 原址 旧址 原地址 旧网址 原网址 当前位置 您的位置 你的位置 所在位置 现在位置 当前所在位置 不良信息举报电话 快递 乘车 乘车路线 公交路线 行车路线 自驾路线 工号 证书编号 招标编号 项目编号"
).split()
_MAKERS = (
    "技术支持 网站建设 网站制作 网页制作 网页设计 网站设计 设计制作 制作维护 技术维护 品牌策划 建站 制作"
    " 设计 友情链接 友情连接 合作伙伴 策划设计 网站开发 技术开发商 页面设计 网站维护 网站优化 网站推广 网络推广"
    " 网站策划 建站支持 网络公司 法律顾问"
).split()
_MAKER_LATIN = ("Powered by", "Designed by", "Design by", "Supported by", "Technical Support")

_BOUNDARY = r"[\s,.:;。!?|/、<>()\[\]【】《》\-_*•·●◆■★☆→+=\"'\d\ue900-\ue907]"
_UNIT = r"[号室楼层栋座幢铺]"  # a label may follow the end of an address: 8号电话 0571-88001234
_COLON = re.compile(r"[:\ue901-\ue907](?!//)|】")
_CLOCK_AFTER = re.compile(r":\s?[0-5]\d(?!\d)")
_CLOCK_BEFORE = re.compile(r"(?<!\d)[0-2]?\d\s?$")
# Suffixes of the word within a label: 电话号码, 电话1, 地址(总部), TEL NO.
_SUFFIX = r"\s*(?:号码|号|專線|专线|热线|咨询|一|二|三|四|[1-9](?!\d)|no\.?|number|#)?\s*[.。*]*\s*"
_BRACKETS = re.compile(r"\s*\(([^()]{0,16})\)\s*$")
_JOINT = re.compile(r"\s*(?:[/、&,|+()]|和|及|与|或|暨|兼|and|or|\s)*\s*", re.IGNORECASE)
_EXPLICIT_JOINT = re.compile(r"[/、&|+]|和|及|与|或|暨|兼|and", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s,;。!?|<>()\[\]【】《》\ue900-\ue907]{1,16}$")
_BEHIND = re.compile(r"\s?\(([^()]{1,10})\)")
_TRAILING = " \t-→=|/>~."
_ADDS = re.compile(r"[兼同及含]")
_TO = re.compile(r"\s*[至到是为:]*\s*$")
_DOMAIN = re.compile(r"[\w-]*\.(?:com|cn|net|org)\b", re.ASCII | re.IGNORECASE)
_LICENCE = re.compile(r"ICP|备案|版权|©", re.IGNORECASE)
_FIRM_WITH_NUMBER = re.compile(r"\s[^\s\d:|]{2,20}\s?(?:0\d{2,3}-?\d{7,8}|1[3-9]\d{9})(?!\d)")
_LONGEST = 30
_SHORTEST_VALUE = 4
_KIND = (
    "(?:办公|销售|服务|客服|业务|招商|值班|售后|技术|投诉|订购|报名|预约|招生|图文|固定|企业|单位)?"
)
_OF_NONE = (
    "联系人 联络人 负责人 法人 法人代表 总经理 经理 厂长 经办人 工作时间 营业时间 服务时间 办公时间 上班时间 开放时间"
).split()
# A number, e-mail or web address directly followed by a label, without a space.
_VALUE_BEFORE = re.compile(r"[!-~]*(?:\d{4}|[@.])[!-~]*(?=[\u4e00-\u9fff])")
_LONGEST_LINE = 14
_NAMED = frozenset({FieldType.ORGANISATION, FieldType.ADDRESS})
_OF_OTHERS = re.compile(
    r"供应商|采购|中标|成交|投标|开标|项目|工程|施工|客户|用户|原告|被告|工作|上班|交货|发货|产品|商品|楼盘|房源|发布|来源"
)
_WHOLE_NAME = 4
_NUMBERS = frozenset({FieldType.PHONE, FieldType.QQ, FieldType.EMAIL, FieldType.POSTCODE})
_ELECTRONIC = frozenset({FieldType.EMAIL, FieldType.URL})


class LabelKind(StrEnum):
    """Kind of label: of a field, of other data (``NO_FIELD``), of the site's maker, or unknown."""

    FIELD = "field"
    OTHER = "other"
    NO_FIELD = "no field"
    MAKER = "maker"


class Label(NamedTuple):
    """A label with its offsets; ``fields`` are those that it labels.

    ``is_open``: it is recognised by its word only, without a colon or a separate line.
    """

    start: int
    end: int
    kind: LabelKind
    fields: tuple[str, ...] = ()
    is_open: bool = False


class _Word(NamedTuple):
    start: int
    end: int
    name: str  # of the field; empty for other kinds
    kind: LabelKind


class Labels:
    """Finder of the labels of a template's fields, and of labels of other data."""

    def __init__(self, fields: Mapping[str, ExtractionField]) -> None:
        self._fields = dict(fields)
        own = {_plain(word) for field in fields.values() for word in field.keywords}
        self._patterns = [
            (name, LabelKind.FIELD, keyword_pattern(field.keywords))
            for name, field in fields.items()
        ]
        no_field = [word for word in _NO_FIELD if _plain(word) not in own]
        makers = [word for word in (*_MAKERS, *_MAKER_LATIN) if _plain(word) not in own]
        self._patterns.append(("", LabelKind.NO_FIELD, keyword_pattern(no_field)))
        self._patterns.append(("", LabelKind.MAKER, keyword_pattern(makers)))
        own_words = [word for field in fields.values() for word in field.keywords]
        self._at_begin = _label_without_colon(own_words, no_field + makers)
        any_word = keyword_pattern([*own_words, *no_field, *makers, *_OF_NONE]).pattern
        self._own_word = re.compile(
            rf"{_KIND}(?:{any_word}){_SUFFIX}(?:\([^()]{{0,16}}\))?$", re.IGNORECASE
        )
        self._icons = {
            icon: tuple(
                name
                for name, field in fields.items()
                if any(keyword_pattern(field.keywords).fullmatch(word) for word in words)
            )
            for icon, words in ICON_KEYWORDS.items()
        }
        self._meaning = lru_cache(maxsize=4096)(self._read)

    def is_label(self, text: str) -> bool:
        """Return whether a text, such as the ``alt`` of an image, is or contains a label of a field."""
        return any(label.kind is LabelKind.FIELD for label in self.find(fold(text)))

    def find(self, text: str) -> list[Label]:
        """Return the labels of a folded line, in order."""
        found: list[Label] = []
        for label in sorted(
            [*self._with_colon(text), *self._without_colon(text)],
            key=lambda label: (label.start, label.is_open, -label.end),
        ):
            if not found or label.start >= found[-1].end:
                found.append(label)
        return found or self._whole_line(text)

    def _whole_line(self, text: str) -> list[Label]:
        """Return a short line that as a whole is the label of the next: 全国统一服务热线."""
        if not 1 < len(text.strip()) <= _LONGEST_LINE:
            return []
        start, kind, fields = self._meaning(text)
        if kind is not LabelKind.FIELD or text[:start].strip():
            return []
        return [Label(start, len(text), kind, fields)]

    def fields_at(self, name: str, text: str, at: int) -> tuple[str, ...]:
        """Return the fields of a value of the field ``name`` that ends at ``at``.

        Brackets directly after it may name another, 0571-88001235(传真), or add one, (兼传真).
        """
        match = _BEHIND.match(text, at)
        if not match:
            return (name,)
        named = self._of_same_type(name, self._meaning(match[1])[2])
        return (name, *named) if _ADDS.search(match[1]) else named or (name,)

    def field_in_prose(self, name: str, text: str, at: int) -> str:
        """Return the field of an unlabelled value that begins at ``at``: 发传真至0571-88001235."""
        named = self._meaning(_TO.sub("", text[max(0, at - _LONGEST_LINE) : at]))[2]
        same = self._of_same_type(name, named)
        return same[-1] if same and name not in named else name

    def _of_same_type(self, name: str, others: Sequence[str]) -> tuple[str, ...]:
        type_ = self._fields[name].type
        return tuple(o for o in others if o != name and self._fields[o].type is type_)

    def _with_colon(self, text: str) -> Iterator[Label]:
        begin = 0
        for colon in _COLON.finditer(text):
            at = colon.start()
            if colon[0] not in ":】":
                yield self._of_icon(text, at)
                begin = at + 1
                continue
            if colon[0] == "】" and text[at + 1 : at + 2] == ":":
                continue
            if _CLOCK_AFTER.match(text, at) and _CLOCK_BEFORE.search(text[max(0, at - 4) : at]):
                continue
            label = self._before_colon(text, max(begin, at - _LONGEST), at, colon[0])
            if label:
                yield label
                begin = label.end

    def _of_icon(self, text: str, at: int) -> Label:
        fields = self._icons.get(Icon(text[at]), ())
        end = at + 1
        while end < len(text) and text[end] in " :":
            end += 1
        other = LabelKind.NO_FIELD if text[at] == Icon.OTHER else LabelKind.OTHER
        return Label(at, end, LabelKind.FIELD if fields else other, fields)

    def _before_colon(self, text: str, begin: int, at: int, sign: str) -> Label | None:
        before = text[begin:at]
        if sign == "】":
            begin, before = begin + before.rfind("【") + 1, before[before.rfind("【") + 1 :]
        start, kind, fields = self._meaning(before)
        if start < 0:
            return None
        is_cut = start > 0 and bool(_TOKEN.fullmatch(before[start - 1]))
        is_next = not before[:start].strip() and begin > 0 and text[begin - 1] == ":"
        if value := _VALUE_BEFORE.match(before, start):
            start = value.end()
        elif is_cut or is_next:
            start = self._behind_value(before, start)
        return Label(begin + start, at + 1, kind, fields)

    def _behind_value(self, before: str, start: int) -> int:
        """Return the start of a label that follows the value of the previous one without a space.

        地址:文三路100号电话:; but 办公电话: after 联系方式: is a label as a whole.
        """
        word = self._own_word.search(before.rstrip(_TRAILING))
        return word.start() if word and word.start() - start >= _SHORTEST_VALUE else start

    def _without_colon(self, text: str) -> Iterator[Label]:
        first, last = len(text) - len(text.lstrip()), len(text.rstrip())
        for match in self._at_begin.finditer(text):
            if match.end() - match.start() == 1 and _is_behind_word(text, match.start()):
                continue  # 15F is a floor
            start, kind, fields = self._meaning(match[0])
            # 技术支持 is also a word of menus, but not between the licence and a firm with its number.
            is_menu = kind is LabelKind.MAKER and not match[0].isascii()
            if is_menu and _LICENCE.search(text, 0, match.start()):
                is_menu = not _FIRM_WITH_NUMBER.match(text, match.end())
            if start >= 0 and kind is not LabelKind.OTHER and not is_menu:
                is_alone = match.start() <= first and match.end() >= last
                yield Label(match.start(), match.end(), kind, fields, not is_alone)

    def _read(self, before: str) -> tuple[int, LabelKind, tuple[str, ...]]:
        """Return the start of the label at the end of ``before``, -1 without one, and its meaning."""
        text = before.rstrip(_TRAILING)
        brackets = _BRACKETS.search(text)
        text = _BRACKETS.sub("", text) or text.strip("()")
        words = self._words(text)
        token = _TOKEN.search(text)
        last = _last(words, text, self._fields)
        if last is None:
            if token is None or token[0].isdigit() or "://" in token[0]:
                return -1, LabelKind.OTHER, ()
            return token.start(), LabelKind.OTHER, ()
        group = _joined(words, last, text, self._fields)
        start = group[0].start
        if token and token.start() < start and not any(map(str.isdigit, token[0])):
            start = token.start()
            if (kind := self._of_others(group[0], token[0])) is not LabelKind.FIELD:
                return start, kind, ()
        if brackets and last.kind is LabelKind.FIELD:
            group += [w for w in self._words(brackets[0]) if self._is_like(w, last)]
        names = tuple(dict.fromkeys(word.name for word in group if word.kind is LabelKind.FIELD))
        return start, LabelKind.FIELD if names else last.kind, names

    def _is_like(self, word: _Word, last: _Word) -> bool:
        """Return whether a word in brackets adds a field to a label: 电话(传真)."""
        if word.kind is not LabelKind.FIELD:
            return False
        return self._fields[word.name].type is self._fields[last.name].type

    def _of_others(self, word: _Word, label: str) -> LabelKind:
        """Return the kind of a label with a prefix before its word: 供应商地址 is another firm's."""
        type_ = self._fields[word.name].type if word.kind is LabelKind.FIELD else None
        if type_ in _NAMED and _OF_OTHERS.match(label):
            return LabelKind.NO_FIELD
        if type_ is FieldType.ORGANISATION and word.end - word.start < _WHOLE_NAME:
            return LabelKind.OTHER
        return LabelKind.FIELD

    def _words(self, text: str) -> list[_Word]:
        found = [
            _Word(match.start(), match.end(), name, kind)
            for name, kind, pattern in self._patterns
            for match in pattern.finditer(text)
            if not _is_part(text, *match.span())
        ]
        # The longer word wins: 公司地址 must not match as 公司.
        chosen: list[_Word] = []
        for word in sorted(found, key=lambda word: (word.start - word.end, word.start)):
            if all(word.end <= other.start or word.start >= other.end for other in chosen):
                chosen.append(word)
        return sorted(chosen)


def _label_without_colon(own: Sequence[str], others: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of a word at the start of a part of a line, directly before its value.

    ``own`` words may have a prefix: 咨询电话. A single letter needs a space or sign after it to be
    a label.
    """
    letters = keyword_pattern([word for word in own if len(word) == 1]).pattern
    word = keyword_pattern([word for word in own if len(word) > 1]).pattern
    other = keyword_pattern(others).pattern
    label = (
        rf"(?:[\u4e00-\u9fff]{{0,6}}?(?:{word})|{other})(?:\s*[/、&]\s*(?:{word}|{other})){{0,6}}"
    )
    label = rf"{label}{_SUFFIX}(?:\((?!0\d)[^()]{{0,12}}\))?"
    value = r"(?:(?=\s|$|[\d+(\ue900-\ue907])|\s*[-→=|/>~]+\s?(?=[\d+(]))"
    letter = rf"(?:{letters})(?:[./]\s?(?=[\d+(A-Za-z])|(?=\s|$))"
    return re.compile(
        rf"(?:^|(?<={_BOUNDARY})(?!{_UNIT})|(?<=\d{_UNIT}))(?:{letter}|{label}{value})",
        re.IGNORECASE,
    )


def _is_part(text: str, start: int, end: int) -> bool:
    """Return whether a word is a part of a floor (15F), or of an e-mail or web address (sales@qq.com)."""
    if end - start == 1 and _is_behind_word(text, start):
        return True
    return text[start - 1 : start] == "@" or bool(_DOMAIN.match(text, end))


def _is_behind_word(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isalnum()


def _plain(word: str) -> str:
    return "".join(filter(str.isalnum, word)).casefold()


_ENDS = re.compile(rf"{_SUFFIX}$", re.IGNORECASE)
# 电话2 is also a label.
_ENDS_NUMBER = re.compile(r"[^\d,;。!?|<>]{0,6}[1-9]?\s?$")


def _last(words: list[_Word], text: str, fields: Mapping[str, ExtractionField]) -> _Word | None:
    """Return the word that determines the meaning of a label: the last one, if little follows it."""
    if not words:
        return None
    last = words[-1]
    is_number = last.kind is not LabelKind.FIELD or fields[last.name].type in _NUMBERS
    ends = _ENDS_NUMBER if is_number else _ENDS
    return last if ends.match(text, last.end) else None


def _ends_name(word: _Word, text: str, fields: Mapping[str, ExtractionField]) -> bool:
    """Return whether a word is the end of a firm's name and not a label: 某某公司 | 电话:."""
    is_name = word.kind is LabelKind.FIELD and fields[word.name].type is FieldType.ORGANISATION
    return is_name and _is_behind_word(text, word.start)


def _joined(
    words: list[_Word], last: _Word, text: str, fields: Mapping[str, ExtractionField]
) -> list[_Word]:
    """Return the words of a label that names several fields: 电话/传真."""
    group = [last]
    for word in reversed(words[:-1]):
        between = text[word.end : group[0].start]
        if not _JOINT.fullmatch(between) or _ends_name(word, text, fields):
            break
        if word.kind is LabelKind.FIELD and last.kind is LabelKind.FIELD:
            types = fields[word.name].type, fields[last.name].type
            if types == (FieldType.QQ, FieldType.PHONE) and not between.strip():
                return [word]  # QQ咨询
            if types[1] is FieldType.ADDRESS and types[0] in _ELECTRONIC and not between.strip():
                return [word]  # 邮箱地址
            # 邮编地址 labels both.
            is_one = types[0] is not types[1] and FieldType.POSTCODE not in types
            if not _EXPLICIT_JOINT.search(between) and (is_one or ")" in between):
                break
        elif not _EXPLICIT_JOINT.search(between):
            break
        group.insert(0, word)
    return group
