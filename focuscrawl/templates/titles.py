"""The name of a site in the title of one of its pages."""

from __future__ import annotations

import re

from .spans import readable

_SEPARATOR = re.compile(
    r"\s*[|｜_»>＞<《》【】\[\]\n，。;；:：!！]+\s*|\s*,\s*(?!(?:Ltd|Inc|LLC|Limited|Co)(?![a-z]))|\s+[-–—－·]+\s*|[-–—－]+\s+|(?<=[\u4e00-\u9fff])[-–—－·]+|[–—－]+|-+(?=[\u4e00-\u9fff])|--+|\s{2,}"
)
_MENU_WORD = (
    r"(?:网站|公司|本站|官方)?(?:首页|主页|主頁|首頁)|联系(?:我们|方式|我|客服)?|联络(?:我们|方式)?|聯[繫絡系]我們|关于(?:我们|本站)?|關於我們|走进我们"
    r"|(?:公司|企业|学校|网站|单位|医院|本站|中心)?(?:简介|介绍|概况|新闻|动态|文化|荣誉|地址|网站|官网|公告)|新闻(?:中心|资讯|动态)?|产品(?:中心|展示)?|在线(?:留言|咨询)|欢迎您?|您好"
    r"|(?:home|index|contacts?|contact us|about|about us|welcome|untitled(?: document)?|无标题文档|网站名称|标题|title|default|new page \d*|document)"
    r"|(?:官方)?网站|官网|手机(?:版|站)|网页|招商(?:加盟|热线)|人才招聘|售后服务|更多|详情|列表|(?:网站)?备案(?:号|登记)?|登记|注册|登录|[\u4e00-\u9fff]?ICP备.*|发展历程|招生方案|常见问题"
    r"|(?:公司|企业|产品|关于|新闻|团队|办公|项目|工程|成功|服务|荣誉|招生|行业|技术|员工|组织)[\u4e00-\u9fff]{2}(?:详情)?"
    r"|(?:your |company |full |first |last |contact )?(?:name|phone|email|message|us|products?|news|services?|solutions?)\*?"
    r"|(?:公司|企业|单位|您的|你的|联系人)?(?:名称|名字|姓名|全称|留言|内容|标题)\*?|(?:公司|企业|某|模板|示例|测试|演示)+网?站?"
    r"|(?:织梦|dedecms|帝国cms|phpcms|z-?blog|wordpress|discuz|模板之家|网页模板).*"
)
_NAVIGATION = re.compile(rf"(?:{_MENU_WORD})(?:[ /&·|-]+(?:{_MENU_WORD}))*", re.I)
_HEAD = re.compile(
    r"^(?:热烈)?(?:欢迎|歡迎)(?:您|大家|各位)?(?:来到|光临|访问|进入|莅临|浏览|關注|关注)?|^(?:welcome to|about|contact) ",
    re.I,
)
_TAIL = re.compile(
    r"(?:[-_ ]*(?:官方网站|官方首页|官方主页|官网|网站首页|首页|欢迎您|网站|主页)|[-_ ]+(?:home(?: ?page)?|official (?:web)?site))+$",
    re.I,
)
_LONGEST = 30


def title_names(title: str) -> list[str]:
    """Return the parts of a title that may be the site's name: no navigation words.

    >>> title_names("首页-链实训网"), title_names("Acme Glass | Contact Us")
    (['链实训网'], ['Acme Glass'])
    """
    parts = (_trimmed(part) for part in _SEPARATOR.split(readable(title)))
    return [part for part in parts if 2 <= len(part) <= _LONGEST and re.search(r"[^\W\d_]", part)]


def is_navigation(text: str) -> bool:
    """Whether the text is a word of menus and forms, and no name."""
    return bool(_NAVIGATION.fullmatch(text.strip(" :：*")))


def _trimmed(part: str) -> str:
    part = part.strip(" -–—.·、/\\\"'“”()（）")
    part = _HEAD.sub("", part).strip()
    if not _NAVIGATION.fullmatch(part):
        part = _TAIL.sub("", part).strip(" -–—.·的")
    return "" if _NAVIGATION.fullmatch(part) else part
