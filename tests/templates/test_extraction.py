"""Layouts of contact data, each in a few lines of HTML written for these tests."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.template_model import ExtractionField, load_template

CONTACTS = load_template("contacts").fields
STREET = "浙江省杭州市西湖区文三路100号"
OTHER_STREET = "上海市浦东新区张江路88号3楼"

Values = dict[str, list[str]]
# What most layouts say of one firm.
PHONE: Values = {"phone": ["0571-88001234"]}
FAX: Values = {"fax": ["0571-88001235"]}
EMAIL: Values = {"email": ["info@firm.cn"]}
ADDRESS: Values = {"address": [STREET]}
POSTCODE: Values = {"postcode": ["310012"]}
QQ: Values = {"qq": ["23456789"]}
HOMEPAGE: Values = {"homepage": ["www.firm.cn"]}


def read(html: str, fields: dict[str, ExtractionField] = CONTACTS) -> Values:
    record = combine(read_page(html, "http://www.firm.test/lianxi.html", fields), [], fields)
    return {name: [value.value for value in values] for name, values in record.items()}


LAYOUTS: dict[str, tuple[str, Values]] = {
    "lines": (
        f"<div>电话：0571-88001234<br>传真：0571-88001235<br>邮箱：info@firm.cn<br>地址：{STREET}<br>邮编：310012<br>QQ：23456789<br>网址：www.firm.cn</div>",
        PHONE | FAX | EMAIL | ADDRESS | POSTCODE | QQ | HOMEPAGE,
    ),
    "labels in elements of their own": (
        f"<ul><li><span>电话</span><em>0571-88001234</em></li><li><b>地址</b><span>{STREET}</span></li><li><strong>邮箱</strong><a href='mailto:info@firm.cn'>info@firm.cn</a></li></ul>",
        PHONE | ADDRESS | EMAIL,
    ),
    "value above label": (
        f"<div><p>0571-88001234</p><h4>联系电话</h4></div><div><p>0571-88001235</p><h4>传真</h4></div><div><p>{STREET}</p><h4>公司地址</h4></div>",
        PHONE | FAX | ADDRESS,
    ),
    "value above label, flat": (
        "<div><p>0571-88001234</p><p>联系电话</p><p>0571-88001235</p><p>传真</p></div>",
        PHONE | FAX,
    ),
    "definition list": (
        f"<dl><dt>电话：</dt><dd>0571-88001234</dd><dd>13800571234</dd><dt>传真：</dt><dd>0571-88001235</dd><dt>地址：</dt><dd>{STREET}</dd></dl>",
        FAX | ADDRESS | {"phone": ["0571-88001234", "13800571234"]},
    ),
    "labels in the first column": (
        f"<table><tr><td>电话</td><td>0571-88001234</td></tr><tr><td>传真</td><td>0571-88001235</td></tr><tr><td>地址</td><td>{STREET}</td></tr><tr><td>邮编</td><td>310012</td></tr></table>",
        PHONE | FAX | ADDRESS | POSTCODE,
    ),
    "two pairs a row": (
        f"<table><tr><td>电话：</td><td>0571-88001234</td><td>传真：</td><td>0571-88001235</td></tr><tr><td>地址：</td><td>{STREET}</td><td>邮编：</td><td>310012</td></tr></table>",
        PHONE | FAX | ADDRESS | POSTCODE,
    ),
    "labels in the first row": (
        f"<table><tr><th>部门</th><th>电话</th><th>传真</th><th>地址</th></tr><tr><td>销售部</td><td>0571-88001234</td><td>0571-88001235</td><td>{STREET}</td></tr><tr><td>服务部</td><td>021-58001234</td><td>021-58001235</td><td>{OTHER_STREET}</td></tr></table>",
        {
            "phone": ["0571-88001234", "021-58001234"],
            "fax": ["0571-88001235", "021-58001235"],
            "address": [STREET, OTHER_STREET],
        },
    ),
    "labels above, values below": (
        "<div><p>电话：</p><p>传真：</p></div><div><p>0571-88001234</p><p>0571-88001235</p></div>",
        PHONE | FAX,
    ),
    "signs instead of colons": (
        "<p>T/0571-88001234 F/0571-88001235</p><p>电话→021-58001234</p><p>传真-021-58001235</p>",
        {
            "phone": ["0571-88001234", "021-58001234"],
            "fax": ["0571-88001235", "021-58001235"],
        },
    ),
    "link to the site": (
        "<p>电话：0571-88001234</p><p>网址：<a href='http://www.firm.cn'>点击访问</a></p>",
        PHONE | {"homepage": ["http://www.firm.cn"]},
    ),
    "telephone of who made the site": (
        "<p>电话：0571-88001234 传真：0571-88001235 技术支持：某某网络 电话：0571-99998888</p>",
        PHONE | FAX,
    ),
    "menu": ("<p>技术支持 联系我们 电话：0571-88001234</p>", PHONE),
    "procurement": (
        "<p>供应商地址：上海市浦东新区张江路88号</p><p>公司地址：浙江省杭州市西湖区文三路100号</p>",
        ADDRESS,
    ),
    "label behind the value in a line": (
        "<ul><li><em>0571-88001234</em><i>咨询电话</i></li><li><em>0571-88001235</em><i>公司传真</i></li>"
        "<li><em>310012</em><i>邮政编码</i></li><li><em>2850001234</em><i>客服QQ</i></li></ul>",
        PHONE | FAX | POSTCODE | {"qq": ["2850001234"]},
    ),
    "label below a number that only it explains": (
        "<div><p>310012</p><span>邮政编码</span></div><div><p>2850001234</p><span>客服QQ</span></div>",
        POSTCODE | {"qq": ["2850001234"]},
    ),
    "number with a remark before the next label": (
        "<p>电话：0571-88001234（总机） 传真：0571-88001235</p>",
        PHONE | FAX,
    ),
    "departments in a table": (
        "<table><tr><td>部门</td><td>办公地点</td><td>联系电话</td><td>电子邮箱</td></tr>"
        "<tr><td>办公室</td><td>信息楼301</td><td>88206001</td><td>cs@firm.cn</td></tr>"
        "<tr><td>教务办</td><td>信息楼305</td><td>88206002、88206003</td><td>jwb@firm.cn</td></tr></table>",
        {
            "phone": ["88206001", "88206002", "88206003"],
            "email": ["cs@firm.cn", "jwb@firm.cn"],
        },
    ),
    "icons of a footer": (
        "<footer><ul><li><span class='iconfont icon-dianhua'></span>0571-88001234</li>"
        "<li><span class='iconfont icon-weixin'></span>13800571234</li>"
        "<li><span class='iconfont icon-chuanzhen'></span>0571-88001235</li></ul></footer>",
        PHONE | FAX,
    ),
    "news": (
        "<p>2021年3月5日，公司在杭州市文三路100号举行新品发布会，共有1200人参加，销售额达13800万元。</p>"
        "<p>商品编号：0571886600 价格：￥13800.00 库存：88001234</p><p>ISBN 978-7-302-12345-6 订单号 20210305123456</p>",
        {},
    ),
    "icons of a style sheet": (
        "<ul><li class='tel'>0571-88001234</li><li class='fax'>0571-88001235</li><li class='qq'>2850001234</li></ul>",
        PHONE | FAX | {"qq": ["2850001234"]},
    ),
    "English address without label": (
        "<footer><p>100 Wensan Street, Suite 200<br>Markham, ON L3R 5G2<br>Canada</p><p>Tel: (905) 555-0123</p></footer>",
        {
            "address": ["100 Wensan Street, Suite 200, Markham, ON L3R 5G2, Canada"],
            "postcode": ["L3R 5G2"],
            "phone": ["9055550123"],
        },
    ),
    "two languages in a label": (
        f"<p>电话 Tel：0571-88001234</p><p>传真/Fax：0571-88001235</p><p>地址(Add)：{STREET}</p><p>邮箱 E-mail: info@firm.cn</p>",
        PHONE | FAX | ADDRESS | EMAIL,
    ),
    "labels in brackets": (
        f"<p>【电话】0571-88001234</p><p>【传真】：0571-88001235</p><p>【地址】{STREET}</p>",
        PHONE | FAX | ADDRESS,
    ),
    "labels of letters": (
        "<p>T：0571-88001234</p><p>F：0571-88001235</p><p>E：info@firm.cn</p>",
        PHONE | FAX | EMAIL,
    ),
    "pictures as labels": (
        f'<p><img src="/images/tel.png"> 0571-88001234</p><p><img src="a.gif" alt="传真">0571-88001235</p><p><img src="/i/dizhi.png">{STREET}</p><p><img src="qq.png"> 23456789</p>',
        PHONE | FAX | ADDRESS | QQ,
    ),
    "emoji": (
        f"<p>📞 0571-88001234</p><p>📠 0571-88001235</p><p>📍 {STREET}</p><p>✉️ info@firm.cn</p>",
        PHONE | FAX | ADDRESS | EMAIL,
    ),
    "several offices": (
        f"<div><h3>杭州总部</h3><p>{STREET}</p><p>电话：0571-88001234</p><h3>上海分公司</h3><p>{OTHER_STREET}</p><p>电话：021-58001234</p></div>",
        {"address": [STREET, OTHER_STREET], "phone": ["0571-88001234", "021-58001234"]},
    ),
    "without area code": ("<p>电话：88001234</p>", {"phone": ["88001234"]}),
    "next line goes on": (
        "<div>手机：13800571234<br>13900571234<br>传真：0571-88001235<br>0571-88001236</div>",
        {"phone": ["13800571234", "13900571234"], "fax": ["0571-88001235", "0571-88001236"]},
    ),
    "label without value": (
        f"<p>邮箱：&nbsp; 地址：{STREET} 电话： QQ：23456789</p>",
        ADDRESS | QQ,
    ),
    "e-mail protected by Cloudflare": (
        '<p>邮箱：<a class="__cf_email__" data-cfemail="2a43444c456a4c435847044944">[email&#160;protected]</a></p>',
        EMAIL,
    ),
    "links": (
        '<p><a href="tel:057188001234">立即拨打</a> <a href="mailto:info@firm.cn?subject=x">写信给我们</a></p>',
        PHONE | EMAIL,
    ),
    "links that disagree with the text": (
        '<p>电话：<a href="tel:021-11112222">0571-88001234</a></p><p>邮箱：<a href="mailto:demo@demo.cn">info@firm.cn</a></p>',
        PHONE | EMAIL,
    ),
    "talk by QQ": (
        '<p>在线客服：<a href="http://wpa.qq.com/msgrd?v=3&uin=23456789&site=qq&menu=yes"><img src="button.gif"></a></p>',
        QQ,
    ),
    "QQ with e-mail": (
        "<p>QQ邮箱：23456789@qq.com</p><p>客服QQ：34567890 / 45678901</p>",
        {"email": ["23456789@qq.com"], "qq": ["34567890", "45678901"]},
    ),
    "numbers that are none": (
        "<p>电话：0571-88001234</p><p>浙ICP备05034109号-1 浙公网安备33010802000011号</p><p>发布时间：2021-08-08 10:20</p><p>税号：91330100MA28012345</p><p>账号：1202020209900012345</p><p>价格：13800元</p><p>微信号：13900000001</p><p>传真：0571-88001235</p>",
        PHONE | FAX,
    ),
    "form to fill in": (
        '<form><p>电话：<input type="text" name="tel"></p><p>地址：<input name="add"></p><p>邮箱 <input name="mail"></p></form><p>电话：0571-88001234</p>',
        PHONE,
    ),
    "who made the site": (
        "<div class='footer'><p>电话：0571-88001234 邮箱：info@firm.cn</p><p>技术支持：某某网络公司 www.maker.test admin@maker.cn</p></div>",
        PHONE | EMAIL,
    ),
    "traditional characters": (
        "<p>電話：0571-88001234</p><p>傳真：0571-88001235</p><p>郵箱：info@firm.cn</p>",
        PHONE | FAX | EMAIL,
    ),
    "full width": (
        "<p>ＴＥＬ：０５７１－８８００１２３４</p><p>ＦＡＸ：０５７１－８８００１２３５</p><p>网址：ｗｗｗ．ｆｉｒｍ．ｃｎ</p>",
        PHONE | FAX | HOMEPAGE,
    ),
    "e-mail address is no address": (
        "<p>Email Address: info@firm.cn</p><p>邮箱地址：sales@firm.cn</p><p>网站地址：www.firm.cn</p>",
        HOMEPAGE | {"email": ["info@firm.cn", "sales@firm.cn"]},
    ),
    "English": (
        "<p>Address: No. 100, Wensan Road, Xihu District, Hangzhou, Zhejiang, China</p><p>Tel: 86-571-88001234</p><p>Fax: 86-571-88001235</p><p>Zip Code: 310012</p><p>Website: www.firm.cn</p>",
        POSTCODE
        | HOMEPAGE
        | {
            "address": ["No. 100, Wensan Road, Xihu District, Hangzhou, Zhejiang, China"],
            "phone": ["+86-571-88001234"],
            "fax": ["+86-571-88001235"],
        },
    ),
    "label behind the value": ("<p>0571-88001234（电话） 0571-88001235（传真）</p>", PHONE | FAX),
    "colon in a cell of its own": (
        f"<table><tr><td>传真</td><td>：</td><td>0571-88001235</td></tr><tr><td>地址</td><td>：</td><td>{STREET}</td></tr></table>",
        FAX | ADDRESS,
    ),
    "address broken in two": (
        "<p>电话：0571-88001234<br>地址：浙江省杭州市西湖区<br>文三路100号<br>传真：0571-88001235</p>",
        ADDRESS | PHONE | FAX,
    ),
    "English address on three lines": (
        "<p>Address: 100 Main Street<br>Toronto, ON M1H 3H3<br>Canada<br>Tel: +1 416 555 0123</p>",
        {
            "address": ["100 Main Street, Toronto, ON M1H 3H3, Canada"],
            "postcode": ["M1H 3H3"],
            "phone": ["+14165550123"],
        },
    ),
    "preformatted": (
        "<pre>电话：0571-88001234\n传真：0571-88001235\n邮编：310012</pre>",
        PHONE | FAX | POSTCODE,
    ),
    "card with icon, label, value": (
        f"<div><i class='icon-phone'></i><h5>联系电话</h5><p>0571-88001234</p></div><div><i class='icon-mail'></i><h5>电子邮箱</h5><p>info@firm.cn</p></div><div><i class='icon-location'></i><h5>公司地址</h5><p>{STREET}</p></div>",
        PHONE | EMAIL | ADDRESS,
    ),
    "two languages, label above value": (
        f"<div><div>公司地址</div><div>Address</div><p>{STREET}</p></div><div><div>传真</div><div>Fax</div><p>0571-88001235</p></div>",
        ADDRESS | FAX,
    ),
    "heading before values": (
        "<h3>联系方式</h3><p>2021-08-08</p><p>王经理 13800571234</p>",
        {"phone": ["13800571234"]},
    ),
    "footer of one line": (
        f"<div class='footer'>版权所有 杭州某厂 地址：{STREET} 电话：0571-88001234 浙ICP备12345678号 技术支持：某某科技</div>",
        ADDRESS | PHONE,
    ),
    "placeholders": (
        "<p>电话：0571-00000000</p><p>邮箱：your@email.com</p><p>地址：XX省XX市XX路</p><p>QQ：123456789</p><p>手机：13800000000</p>",
        {},
    ),
    "spam that is hidden": (
        "<div style='display:none'>代开发票请找 13900009999</div><p>电话：0571-88001234</p><p>传真：0571-88001235</p>",
        PHONE | FAX,
    ),
    # Contact data without a separator from the text next to it, or with two labels.
    "e-mail before the next label": (
        "<p>邮箱：info@firm.cn网址：www.firm.cn</p>",
        EMAIL | HOMEPAGE,
    ),
    "label of a label": ("<p>联系方式：销售热线：0571-88001234</p>", PHONE),
    "second meaning in brackets": (
        "<p>办公室电话（传真）：0571-88001234</p>",
        PHONE | {"fax": ["0571-88001234"]},
    ),
    "what prose says": ("<p>请致电0571-88001234，或发传真至0571-88001235</p>", PHONE | FAX),
    "a floor is no label": (
        "<p>地址：杭州市西湖区文三路100号新时代大厦15F 电话：0571-88001234</p>",
        PHONE | {"address": ["杭州市西湖区文三路100号新时代大厦15F"]},
    ),
    "numbers side by side": (
        "<p>手机：<span>13800012345</span><span>13900012346</span></p>",
        {"phone": ["13800012345", "13900012346"]},
    ),
    "postcode behind its sign": (
        "<p>地址：〒310012 浙江省杭州市西湖区文三路100号</p>",
        ADDRESS | POSTCODE,
    ),
    "further number behind a country code": (
        "<p>Tel: 0086-571-88001234, 88001236</p>",
        {"phone": ["+86-571-88001234", "0571-88001236"]},
    ),
    "values of all kinds before other words": (
        "<p>手机：+86 13800012345工作时间：8:00-17:30网址：www.firm.cn联系人：王先生电话：0571-88001234</p>",
        HOMEPAGE | {"phone": ["+86-13800012345", "0571-88001234"]},
    ),
    "an e-mail address is no label": (
        "<table><tr><td>邮箱</td><td>sales@qq.com</td></tr><tr><td>电话</td><td>0571-88001234</td></tr></table>",
        PHONE | {"email": ["sales@qq.com"]},
    ),
    "the end of a firm's name is no label": (
        "<p>公司：杭州某某机械有限公司 | 电话：0571-88001234 | 联系人：王先生</p>",
        PHONE,
    ),
    "all labels, then all values": (
        "<div><p>厂名：</p><p>24小时热线：</p><p>联系人：</p><p>传真：</p><p>邮编：</p><p>客服QQ：</p></div>"
        "<div><p>杭州江天机械厂</p><p>13800012345</p><p>王先生</p><p>0571-88001235</p><p>310012</p><p>12233445</p></div>",
        FAX | POSTCODE | {"phone": ["13800012345"], "qq": ["12233445"]},
    ),
    "a column with a gap": (
        "<table><tr><th>网点</th><th>电话</th><th>传真</th></tr><tr><td>一部</td><td>0571-88001234</td><td></td></tr>"
        "<tr><td>二部</td><td>0571-88001236</td><td>0571-88001235</td></tr></table>",
        FAX | {"phone": ["0571-88001234", "0571-88001236"]},
    ),
    "departments and their local numbers in cells": (
        "<table><tr><td>校长室</td><td>8800123</td><td>教务处</td><td>8800124、8800125</td></tr>"
        "<tr><td>学校代码</td><td>8800126</td></tr></table>",
        {"phone": ["8800123", "8800124", "8800125"]},
    ),
    "who made the site, in prose": (
        "<p>电话：0571-88001234</p><p>网站由 杭州江天网络 设计制作 TEL:0571-88001299 QQ:7788990</p>",
        PHONE,
    ),
    "a number that is for messages, too": (
        "<dl><dt>电话/微信</dt><dd>13800012345</dd><dt>传真</dt><dd>0571-88001235</dd></dl>"
        "<p>微信/手机 13800012346</p><p>微信 jiangtian88</p>",
        FAX | {"phone": ["13800012345", "13800012346"]},
    ),
    "local numbers beside mobile ones": (
        "<p>电话：8800123（白天）13800012345（夜间）</p><p>热线：400-123-4567 / 88001234</p><p>手机：13800012346、88001235</p>",
        {
            "phone": [
                "8800123",
                "13800012345",
                "400-123-4567",
                "88001234",
                "13800012346",
                "88001235",
            ]
        },
    ),
    "lines that are addresses": (
        "<p>胶州市胶莱镇马店工业园</p><p>江苏省无锡市新吴区菱湖大道200号传感网国际创新园E2-501</p><p>杭州市西湖区文三路改造工程开工</p>",
        {
            "address": [
                "胶州市胶莱镇马店工业园",
                "江苏省无锡市新吴区菱湖大道200号传感网国际创新园E2-501",
            ]
        },
    ),
    "local number to order at": ("<p>订座：88001234</p>", {"phone": ["88001234"]}),
}


@pytest.mark.parametrize(("html", "expected"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layouts(html: str, expected: Values) -> None:
    found = {name: sorted(values) for name, values in read(html).items() if name != "name"}
    assert found == {name: sorted(values) for name, values in expected.items()}
