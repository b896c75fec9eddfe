"""Texts that name organisations, all invented for these tests, with the names to be found in them."""

from __future__ import annotations

from typing import get_args

from focuscrawl.templates.names.name_clues import Source
from focuscrawl.templates.names.organisations import NameEvidence

SOURCES: tuple[Source, ...] = get_args(Source)
Example = tuple[str, list[str]]

FIRMS: list[Example] = [
    ("欢迎来到宜宾青禾软件有限公司！", ["宜宾青禾软件有限公司"]),
    ("欢迎光临德阳市云岭机械制造有限责任公司网站", ["德阳市云岭机械制造有限责任公司"]),
    ("版权所有 绵阳蓝溪电子股份有限公司 技术支持：", ["绵阳蓝溪电子股份有限公司"]),
    ("Copyright © 2015-2020 泸州星火包装有限公司 All Rights Reserved.", ["泸州星火包装有限公司"]),
    ("Copyright©2019四川百合家具有限公司版权所有", ["四川百合家具有限公司"]),
    ("© 2021年南充瑞丰种业有限公司", ["南充瑞丰种业有限公司"]),
    ("联系我们_雅安明达石材有限公司", ["雅安明达石材有限公司"]),
    ("首页 - 遂宁金桥物流有限公司", ["遂宁金桥物流有限公司"]),
    ("关于内江天和食品有限公司", ["内江天和食品有限公司"]),
    ("安全阀选择自贡三力阀门有限公司，质量可靠", ["自贡三力阀门有限公司"]),
    ("买茶叶就来峨眉山市竹叶香茶业有限公司", ["峨眉山市竹叶香茶业有限公司"]),
    ("远帆（成都）信息技术有限公司", ["远帆（成都）信息技术有限公司"]),
    ("华信精工(苏州)有限公司成立于2003年", ["华信精工(苏州)有限公司"]),
    ("凯利阀门有限公司（天津）", ["凯利阀门有限公司（天津）"]),
    ("主办单位：广元市利州文化传媒有限公司", ["广元市利州文化传媒有限公司"]),
    ("收款单位户名:达州宏远建材有限公司 账号", ["达州宏远建材有限公司"]),
    ("四川天宇建设集团有限公司巴中分公司", ["四川天宇建设集团有限公司巴中分公司"]),
    ("攀枝花新城商贸有限公司第二营业部", ["攀枝花新城商贸有限公司第二营业部"]),
    ("安 岳 县 红 旗 柠 檬 有 限 公 司", ["安岳县红旗柠檬有限公司"]),
    ("成都ＡＢＣ科技有限公司", ["成都ABC科技有限公司"]),
    ("臺灣欣榮實業股份有限公司", ["臺灣欣榮實業股份有限公司"]),
    ("深圳市前海3D打印有限公司", ["深圳市前海3D打印有限公司"]),
    ("版权所有 云上（天津） 茶业有限公司", ["云上（天津）茶业有限公司"]),
    ("成都青禾科技\n有限公司", ["成都青禾科技有限公司"]),
    ("由重庆渝北汽车零部件有限公司承建", ["重庆渝北汽车零部件有限公司"]),
    (
        "资阳一禾农业有限公司、眉山二禾农业有限公司和乐山三禾农业有限公司",
        ["资阳一禾农业有限公司", "眉山二禾农业有限公司", "乐山三禾农业有限公司"],
    ),
    ("我公司委托广安诚信招标代理有限公司进行招标", ["广安诚信招标代理有限公司"]),
    ("浙江新安化学研究所有限公司", ["浙江新安化学研究所有限公司"]),
    ("美的集团", ["美的集团"]),
    ("中国青川茶业集团", ["中国青川茶业集团"]),
    ("四川明理律师事务所", ["四川明理律师事务所"]),
    ("蜀南园林工作室", ["蜀南园林工作室"]),
]
OTHERS: list[Example] = [
    ("©成都市第九十九中学版权所有", ["成都市第九十九中学"]),
    ("受眉山市东坡区第三小学校的委托", ["眉山市东坡区第三小学校"]),
    ("2023年度四川省眉山市彭山区眉山市第八中学招生计划", ["眉山市第八中学"]),
    ("西南青山职业技术学院", ["西南青山职业技术学院"]),
    ("北川大学附属医院", ["北川大学附属医院"]),
    ("毕业于江川大学计算机学院", ["江川大学计算机学院"]),
    ("主管单位：宁远县人民政府办公室", ["宁远县人民政府办公室"]),
    ("泸州市教育局关于开展检查的通知", ["泸州市教育局"]),
    ("云南省竹业厅、云南省农业厅版权所有", ["云南省农业厅"]),
    ("2月6日河北邢台粮食局发布", ["河北邢台粮食局"]),
    ("中共宁远县委宣传部", ["中共宁远县委宣传部"]),
    ("宁远县公安局交通警察大队", ["宁远县公安局交通警察大队"]),
    ("四川省竹产业协会", ["四川省竹产业协会"]),
    ("中国沼气学会成立三十周年", ["中国沼气学会"]),
    ("洪雅县青衣江水稻专业合作社", ["洪雅县青衣江水稻专业合作社"]),
    ("蒲江县大塘镇红心猕猴桃种植基地", ["蒲江县大塘镇红心猕猴桃种植基地"]),
    ("版权所有：崇州市怀远镇永兴花木场", ["崇州市怀远镇永兴花木场"]),
    ("德阳市旌阳区老张五金经营部", ["德阳市旌阳区老张五金经营部"]),
    ("都江堰青城酒店欢迎您", ["都江堰青城酒店"]),
    ("四川名人网运维中心", ["四川名人网运维中心"]),
    ("宜宾江安铸造厂是专业生产厂家", ["宜宾江安铸造厂"]),
    ("第三届西部沼气技术大会", ["第三届西部沼气技术大会"]),
    ("2022年中国竹材研讨会", ["2022年中国竹材研讨会"]),
    ("中国邮政储蓄银行", ["中国邮政储蓄银行"]),
]
ENGLISH: list[Example] = [
    (
        "Copyright 2020 Chengdu Blue River Software Co., Ltd. All Rights Reserved",
        ["Chengdu Blue River Software Co., Ltd."],
    ),
    ("Welcome to Ningbo Sunhill Pump Co.,Ltd", ["Ningbo Sunhill Pump Co.,Ltd"]),
    ("Acme Tools Inc. makes tools", ["Acme Tools Inc."]),
    (
        "ask Nordwind Optik GmbH or Harbour Trading LLC",
        ["Nordwind Optik GmbH", "Harbour Trading LLC"],
    ),
    ("Department of Physics, Green Valley University", ["Green Valley University"]),
    (
        "青禾软件有限公司（Qinghe Software Co., Ltd）",
        ["青禾软件有限公司", "Qinghe Software Co., Ltd"],
    ),
]
NONE = [
    "新闻中心",
    "产品中心 服务中心",
    "本公司",
    "该公司",
    "我们公司是一家专业公司",
    "有限公司",
    "科技有限公司",
    "成都市***实业有限公司",
    "某某某有限公司",
    "××科技有限公司",
    "北京分公司",
    "客户服务中心",
    "因为学校放假",
    "这道小学数学题",
    "很多银行都是这样",
    "双飞翼布局",
    "要学会思考",
    "刚上大学的时候",
    "所有的会议",
    "",
    "   ",
    "联系我们",
    "Home | Contact",
    "2020-01-01",
    "线下门店",
]
TITLES = [
    ("首页-链实训网", ["链实训网"]),
    ("云上茶 | 联系我们", ["云上茶"]),
    ("联系我们_云上茶官网", ["云上茶"]),
    ("云上茶-首页", ["云上茶"]),
    ("欢迎光临云上茶网站", ["云上茶"]),
    ("云上茶·联系我们", ["云上茶"]),
    ("Acme Glass | Contact Us", ["Acme Glass"]),
    ("Welcome to Acme Glass - Home", ["Acme Glass"]),
    ("联系我们 - 云上茶 - Powered by x", ["云上茶", "Powered by x"]),
    ("公司网站", []),
    ("首页", []),
    ("关于我们 > 公司简介", []),
    ("Untitled Document", []),
    ("", []),
]


def _evidence(**texts: str | list[str]) -> list[NameEvidence]:
    """Return the evidence of a site: a text, or several, for each source."""
    lists = {source: [text] if isinstance(text, str) else text for source, text in texts.items()}
    return [NameEvidence(text, source) for source in SOURCES for text in lists.get(source, [])]


SITES: list[tuple[list[NameEvidence], list[str]]] = [
    (
        _evidence(
            title="联系我们_绵阳蓝溪电子有限公司",
            copyright="© 绵阳蓝溪电子有限公司 技术支持：成都快速建站有限公司",
        ),
        ["绵阳蓝溪电子有限公司"],
    ),
    (
        _evidence(
            title=["蓝溪电子", "联系我们-蓝溪电子"], copyright="版权所有：绵阳蓝溪电子有限公司"
        ),
        ["绵阳蓝溪电子有限公司"],
    ),
    (
        _evidence(title=["云上茶", "云上茶 | 联系我们"], text=["合作伙伴：雅安大通茶业有限公司"]),
        ["云上茶"],
    ),
    (
        _evidence(title="首页-川南竹网", copyright="Copyright 2019 川南竹网 All Rights Reserved"),
        ["川南竹网"],
    ),
    (
        _evidence(
            label=["川南竹网运维中心", "宜宾竹海文化传播有限公司"],
            title="川南竹网",
            copyright="川南竹网 版权所有 运营机构：宜宾竹海文化传播有限公司 / 川南竹网运维中心",
        ),
        ["宜宾竹海文化传播有限公司", "川南竹网运维中心"],
    ),
    (
        _evidence(
            title="联系我们",
            contact="泸州星火包装有限公司",
            text=["泸州老客户食品有限公司", "泸州星火包装有限公司成立于2001年"],
        ),
        ["泸州星火包装有限公司"],
    ),
    (_evidence(title="公司网站", text="主办单位：宁远县人民政府办公室"), ["宁远县人民政府办公室"]),
    (
        _evidence(
            title="产品中心",
            copyright="Copyright © 2012-2021 DEDECMS. 版权所有",
            logo="泸州星火包装有限公司",
        ),
        ["泸州星火包装有限公司"],
    ),
    (
        _evidence(title="蓝溪电子", label="蓝溪电子", meta="绵阳蓝溪电子有限公司，是一家电子厂家"),
        ["绵阳蓝溪电子有限公司"],
    ),
    (
        _evidence(
            title="Acme Glass - Contact", copyright="© 2026 Acme Glass. All rights reserved."
        ),
        ["Acme Glass"],
    ),
    (
        _evidence(
            title="成都市第九十九中学",
            text=["成都市第九十九中学关于采购的公告", "供应商：成都光明家具有限公司"],
        ),
        ["成都市第九十九中学"],
    ),
    (
        _evidence(
            title="蓝溪电子有限公司",
            contact="绵阳市蓝溪电子有限公司",
            copyright="© 绵阳市蓝溪电子有限公司",
        ),
        ["绵阳市蓝溪电子有限公司"],
    ),
    (_evidence(title="联系我们", copyright="Powered by DedeCMS", label="公司名称"), []),
    (_evidence(title="成功案例-成都云端网站建设有限公司"), ["成都云端网站建设有限公司"]),
    (_evidence(copyright="某某小店 网站建设 成都云端网络有限公司"), ["某某小店"]),
    (
        _evidence(title="蓝溪装饰-绵阳装修公司_绵阳装饰公司哪家好", copyright="© 蓝溪装饰 2019"),
        ["蓝溪装饰"],
    ),
    (_evidence(copyright="版权所有：归云上茶所有"), ["云上茶"]),
    (
        _evidence(
            title="绵阳蓝溪电子有限公司",
            contact=["绵阳蓝溪电子有限公司销售部", "绵阳蓝溪电子有限公司销售部 张经理"],
        ),
        ["绵阳蓝溪电子有限公司"],
    ),
    (
        _evidence(
            title="绵阳蓝溪电子有限公司业务部",
            copyright="绵阳蓝溪电子有限公司业务部",
            text="绵阳蓝溪电子有限公司",
        ),
        ["绵阳蓝溪电子有限公司业务部"],
    ),
    (
        _evidence(
            title="联系我们",
            contact=["合作单位：绵阳蓝溪电子有限公司", "供应商名称：宜宾青禾软件有限公司"],
        ),
        [],
    ),
    (
        _evidence(
            title="第三届竹材大会",
            text=["第三届竹材大会", "承办单位：绵阳蓝溪电子有限公司", "协办单位：四川明理竹业协会"],
        ),
        ["第三届竹材大会"],
    ),
    ([], []),
]
