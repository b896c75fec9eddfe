"""Icons in place of labels, such as a telephone before a number."""

from __future__ import annotations

import re
from enum import StrEnum

from selectolax.lexbor import LexborNode


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
