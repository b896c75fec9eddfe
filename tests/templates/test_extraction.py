"""Layouts of contact data, each in a few lines of HTML written for these tests."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.template_model import ExtractionField, load_template

CONTACTS = load_template("contacts").fields
STREET = "浙江省杭州市西湖区文三路100号"
OTHER_STREET = "上海市浦东新区张江路88号3楼"


def read(html: str, fields: dict[str, ExtractionField] = CONTACTS) -> dict[str, list[str]]:
    record = combine(read_page(html, "http://www.firm.test/lianxi.html", fields), [], fields)
    return {name: [value.value for value in values] for name, values in record.items()}


LAYOUTS: dict[str, tuple[str, dict[str, list[str]]]] = {
    "lines": (
        f"<div>电话：0571-88001234<br>传真：0571-88001235<br>邮箱：info@firm.cn<br>地址：{STREET}<br>邮编：310012<br>QQ：23456789<br>网址：www.firm.cn</div>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "email": ["info@firm.cn"],
            "address": [STREET],
            "postcode": ["310012"],
            "qq": ["23456789"],
            "homepage": ["www.firm.cn"],
        },
    ),
    "one line": (
        f"<p>地址：{STREET} 邮编：310012 电话：0571-88001234 传真：0571-88001235 E-mail：info@firm.cn</p>",
        {
            "address": [STREET],
            "postcode": ["310012"],
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "email": ["info@firm.cn"],
        },
    ),
    "one line without blanks": (
        f"<p>地址:{STREET}邮编:310012电话:0571-88001234传真:0571-88001235邮箱:info@firm.cn</p>",
        {
            "address": [STREET],
            "postcode": ["310012"],
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "email": ["info@firm.cn"],
        },
    ),
    "one line with bars": (
        f"<p>电话：0571-88001234 | 传真：0571-88001235 | 地址：{STREET} | 浙ICP备12345678号-1</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "address": [STREET]},
    ),
    "blanks within labels": (
        f"<p>地　　址：{STREET}</p><p>电&nbsp;&nbsp;&nbsp;&nbsp;话：0571-88001234</p><p>传 真：0571-88001235</p><p>邮　编：310012</p>",
        {
            "address": [STREET],
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "postcode": ["310012"],
        },
    ),
    "labels in elements of their own": (
        f"<ul><li><span>电话</span><em>0571-88001234</em></li><li><b>地址</b><span>{STREET}</span></li><li><strong>邮箱</strong><a href='mailto:info@firm.cn'>info@firm.cn</a></li></ul>",
        {"phone": ["0571-88001234"], "address": [STREET], "email": ["info@firm.cn"]},
    ),
    "label above value": (
        f"<div><h4>联系电话</h4><p>0571-88001234</p></div><div><h4>公司地址</h4><p>{STREET}</p></div><div><h4>传真</h4><p>0571-88001235</p></div><div><h4>电子邮箱</h4><p>info@firm.cn</p></div>",
        {
            "phone": ["0571-88001234"],
            "address": [STREET],
            "fax": ["0571-88001235"],
            "email": ["info@firm.cn"],
        },
    ),
    "value above label": (
        f"<div><p>0571-88001234</p><h4>联系电话</h4></div><div><p>0571-88001235</p><h4>传真</h4></div><div><p>{STREET}</p><h4>公司地址</h4></div>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "address": [STREET]},
    ),
    "value above label, flat": (
        "<div><p>0571-88001234</p><p>联系电话</p><p>0571-88001235</p><p>传真</p></div>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "label above value, flat": (
        "<div><p>联系电话</p><p>0571-88001234</p><p>传真</p><p>0571-88001235</p></div>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "definition list": (
        f"<dl><dt>电话：</dt><dd>0571-88001234</dd><dd>13800571234</dd><dt>传真：</dt><dd>0571-88001235</dd><dt>地址：</dt><dd>{STREET}</dd></dl>",
        {
            "phone": ["0571-88001234", "13800571234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
        },
    ),
    "labels in the first column": (
        f"<table><tr><td>电话</td><td>0571-88001234</td></tr><tr><td>传真</td><td>0571-88001235</td></tr><tr><td>地址</td><td>{STREET}</td></tr><tr><td>邮编</td><td>310012</td></tr></table>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
            "postcode": ["310012"],
        },
    ),
    "two pairs a row": (
        f"<table><tr><td>电话：</td><td>0571-88001234</td><td>传真：</td><td>0571-88001235</td></tr><tr><td>地址：</td><td>{STREET}</td><td>邮编：</td><td>310012</td></tr></table>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
            "postcode": ["310012"],
        },
    ),
    "labels in the first row": (
        f"<table><tr><th>部门</th><th>电话</th><th>传真</th><th>地址</th></tr><tr><td>销售部</td><td>0571-88001234</td><td>0571-88001235</td><td>{STREET}</td></tr><tr><td>服务部</td><td>021-58001234</td><td>021-58001235</td><td>{OTHER_STREET}</td></tr></table>",
        {
            "phone": ["0571-88001234", "021-58001234"],
            "fax": ["0571-88001235", "021-58001235"],
            "address": [STREET, OTHER_STREET],
        },
    ),
    "nothing but labels in the first row": (
        "<table><tr><td>电话</td><td>传真</td></tr><tr><td>0571-88001234</td><td>0571-88001235</td></tr>"
        "<tr><td>021-58001234</td><td>021-58001235</td></tr></table>",
        {
            "phone": ["0571-88001234", "021-58001234"],
            "fax": ["0571-88001235", "021-58001235"],
        },
    ),
    "labels above, values below": (
        "<div><p>电话：</p><p>传真：</p></div><div><p>0571-88001234</p><p>0571-88001235</p></div>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "telephones of departments": (
        "<p>办公室：88001234 教务处：88001235</p><p>校长室 0571-88001236</p>",
        {"phone": ["88001234", "88001235", "0571-88001236"]},
    ),
    "fax is also the telephone": (
        "<p>电话：0571-88001234（兼传真）</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001234"]},
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
        {"phone": ["0571-88001234"], "homepage": ["http://www.firm.cn"]},
    ),
    "telephone of who made the site": (
        "<p>电话：0571-88001234 传真：0571-88001235 技术支持：某某网络 电话：0571-99998888</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "menu": (
        "<p>技术支持 联系我们 电话：0571-88001234</p>",
        {"phone": ["0571-88001234"]},
    ),
    "procurement": (
        "<p>供应商地址：上海市浦东新区张江路88号</p><p>公司地址：浙江省杭州市西湖区文三路100号</p>",
        {"address": [STREET]},
    ),
    "label behind the value in a line": (
        "<ul><li><em>0571-88001234</em><i>咨询电话</i></li><li><em>0571-88001235</em><i>公司传真</i></li>"
        "<li><em>310012</em><i>邮政编码</i></li><li><em>2850001234</em><i>客服QQ</i></li></ul>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "postcode": ["310012"],
            "qq": ["2850001234"],
        },
    ),
    "label below a number that only it explains": (
        "<div><p>310012</p><span>邮政编码</span></div><div><p>2850001234</p><span>客服QQ</span></div>",
        {"postcode": ["310012"], "qq": ["2850001234"]},
    ),
    "number with a remark before the next label": (
        "<p>电话：0571-88001234（总机） 传真：0571-88001235</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
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
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "news": (
        "<p>2021年3月5日，公司在杭州市文三路100号举行新品发布会，共有1200人参加，销售额达13800万元。</p>"
        "<p>商品编号：0571886600 价格：￥13800.00 库存：88001234</p><p>ISBN 978-7-302-12345-6 订单号 20210305123456</p>",
        {},
    ),
    "icons of a style sheet": (
        "<ul><li class='tel'>0571-88001234</li><li class='fax'>0571-88001235</li><li class='qq'>2850001234</li></ul>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "qq": ["2850001234"]},
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
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
            "email": ["info@firm.cn"],
        },
    ),
    "labels in brackets": (
        f"<p>【电话】0571-88001234</p><p>【传真】：0571-88001235</p><p>【地址】{STREET}</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "address": [STREET]},
    ),
    "phone and fax are one": (
        "<p>电话/传真：0571-88001234</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001234"]},
    ),
    "labels of letters": (
        "<p>T：0571-88001234</p><p>F：0571-88001235</p><p>E：info@firm.cn</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "email": ["info@firm.cn"]},
    ),
    "icons of a font": (
        f'<p><i class="fa fa-phone"></i> 0571-88001234</p><p><i class="fa fa-fax"></i> 0571-88001235</p><p><i class="fa fa-map-marker"></i>{STREET}</p>',
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "address": [STREET]},
    ),
    "pictures as labels": (
        f'<p><img src="/images/tel.png"> 0571-88001234</p><p><img src="a.gif" alt="传真">0571-88001235</p><p><img src="/i/dizhi.png">{STREET}</p><p><img src="qq.png"> 23456789</p>',
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
            "qq": ["23456789"],
        },
    ),
    "emoji": (
        f"<p>📞 0571-88001234</p><p>📠 0571-88001235</p><p>📍 {STREET}</p><p>✉️ info@firm.cn</p>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
            "email": ["info@firm.cn"],
        },
    ),
    "no labels": (
        f"<footer><p>{STREET}</p><p>0571-88001234</p><p>info@firm.cn</p></footer>",
        {"address": [STREET], "phone": ["0571-88001234"], "email": ["info@firm.cn"]},
    ),
    "several offices": (
        f"<div><h3>杭州总部</h3><p>{STREET}</p><p>电话：0571-88001234</p><h3>上海分公司</h3><p>{OTHER_STREET}</p><p>电话：021-58001234</p></div>",
        {"address": [STREET, OTHER_STREET], "phone": ["0571-88001234", "021-58001234"]},
    ),
    "numbers that share an area code": (
        "<p>电话：0571-88001234、88001235/88001236</p>",
        {"phone": ["0571-88001234", "0571-88001235", "0571-88001236"]},
    ),
    "numbers that share all but the end": (
        "<p>电话：0571-88001234/35</p>",
        {"phone": ["0571-88001234", "0571-88001235"]},
    ),
    "extensions": (
        "<p>电话：0571-88001234-801/802</p><p>总机：021-58001234转8</p>",
        {"phone": ["0571-88001234-801", "0571-88001234-802", "021-58001234-8"]},
    ),
    "without area code": ("<p>电话：88001234</p>", {"phone": ["88001234"]}),
    "country codes": (
        "<p>Tel: +86-571-88001234</p><p>Mobile: 0086 138 0057 1234</p><p>Tel: +1 604 555 0123</p>",
        {"phone": ["+86-571-88001234", "+86-13800571234", "+16045550123"]},
    ),
    "service numbers": (
        "<p>全国服务热线：400-800-1234</p><p>免费电话：8008001234</p>",
        {"phone": ["400-800-1234", "800-800-1234"]},
    ),
    "numbers with blanks": (
        "<p>手机：138 0057 1234</p><p>电话：0571 - 8800 1234</p>",
        {"phone": ["13800571234", "0571-88001234"]},
    ),
    "next line goes on": (
        "<div>手机：13800571234<br>13900571234<br>传真：0571-88001235<br>0571-88001236</div>",
        {"phone": ["13800571234", "13900571234"], "fax": ["0571-88001235", "0571-88001236"]},
    ),
    "name of a person": (
        "<p>王经理：13800571234（微信同号）</p><p>联系人：李小姐 13900571234</p>",
        {"phone": ["13800571234", "13900571234"]},
    ),
    "misleading label": (
        f"<p>联系方式：{STREET}</p><p>联系方式：0571-88001234</p>",
        {"address": [STREET], "phone": ["0571-88001234"]},
    ),
    "label without value": (
        f"<p>邮箱：&nbsp; 地址：{STREET} 电话： QQ：23456789</p>",
        {"address": [STREET], "qq": ["23456789"]},
    ),
    "e-mail that robots should not see": (
        "<p>邮箱：info#at#firm.cn</p><p>sales(at)firm.cn</p><p>hr [at] firm [dot] cn</p><p>boss＠firm．cn</p>",
        {"email": ["info@firm.cn", "sales@firm.cn", "hr@firm.cn", "boss@firm.cn"]},
    ),
    "e-mail protected by Cloudflare": (
        '<p>邮箱：<a class="__cf_email__" data-cfemail="2a43444c456a4c435847044944">[email&#160;protected]</a></p>',
        {"email": ["info@firm.cn"]},
    ),
    "links": (
        '<p><a href="tel:057188001234">立即拨打</a> <a href="mailto:info@firm.cn?subject=x">写信给我们</a></p>',
        {"phone": ["0571-88001234"], "email": ["info@firm.cn"]},
    ),
    "links that disagree with the text": (
        '<p>电话：<a href="tel:021-11112222">0571-88001234</a></p><p>邮箱：<a href="mailto:demo@demo.cn">info@firm.cn</a></p>',
        {"phone": ["0571-88001234"], "email": ["info@firm.cn"]},
    ),
    "talk by QQ": (
        '<p>在线客服：<a href="http://wpa.qq.com/msgrd?v=3&uin=23456789&site=qq&menu=yes"><img src="button.gif"></a></p>',
        {"qq": ["23456789"]},
    ),
    "QQ with e-mail": (
        "<p>QQ邮箱：23456789@qq.com</p><p>客服QQ：34567890 / 45678901</p>",
        {"email": ["23456789@qq.com"], "qq": ["34567890", "45678901"]},
    ),
    "numbers that are none": (
        "<p>电话：0571-88001234</p><p>浙ICP备05034109号-1 浙公网安备33010802000011号</p><p>发布时间：2021-08-08 10:20</p><p>税号：91330100MA28012345</p><p>账号：1202020209900012345</p><p>价格：13800元</p><p>微信号：13900000001</p><p>传真：0571-88001235</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "form to fill in": (
        '<form><p>电话：<input type="text" name="tel"></p><p>地址：<input name="add"></p><p>邮箱 <input name="mail"></p></form><p>电话：0571-88001234</p>',
        {"phone": ["0571-88001234"]},
    ),
    "who made the site": (
        "<div class='footer'><p>电话：0571-88001234 邮箱：info@firm.cn</p><p>技术支持：某某网络公司 www.maker.test admin@maker.cn</p></div>",
        {"phone": ["0571-88001234"], "email": ["info@firm.cn"]},
    ),
    "postcode in brackets": (
        f"<p>{STREET}（310012）</p><p>电话：0571-88001234</p>",
        {"address": [STREET], "postcode": ["310012"], "phone": ["0571-88001234"]},
    ),
    "address on two lines": (
        "<p>电话：0571-88001234</p><p>地址：<br>浙江省杭州市西湖区文三路100号</p>",
        {"phone": ["0571-88001234"], "address": [STREET]},
    ),
    "traditional characters": (
        "<p>電話：0571-88001234</p><p>傳真：0571-88001235</p><p>郵箱：info@firm.cn</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "email": ["info@firm.cn"]},
    ),
    "full width": (
        "<p>ＴＥＬ：０５７１－８８００１２３４</p><p>ＦＡＸ：０５７１－８８００１２３５</p><p>网址：ｗｗｗ．ｆｉｒｍ．ｃｎ</p>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "homepage": ["www.firm.cn"],
        },
    ),
    "e-mail address is no address": (
        "<p>Email Address: info@firm.cn</p><p>邮箱地址：sales@firm.cn</p><p>网站地址：www.firm.cn</p>",
        {"email": ["info@firm.cn", "sales@firm.cn"], "homepage": ["www.firm.cn"]},
    ),
    "values without colons": (
        f"<p>电话 0571-88001234</p><p>传真 0571-88001235</p><p>地址 {STREET}</p><p>邮编 310012</p>",
        {
            "phone": ["0571-88001234"],
            "fax": ["0571-88001235"],
            "address": [STREET],
            "postcode": ["310012"],
        },
    ),
    "English": (
        "<p>Address: No. 100, Wensan Road, Xihu District, Hangzhou, Zhejiang, China</p><p>Tel: 86-571-88001234</p><p>Fax: 86-571-88001235</p><p>Zip Code: 310012</p><p>Website: www.firm.cn</p>",
        {
            "address": ["No. 100, Wensan Road, Xihu District, Hangzhou, Zhejiang, China"],
            "phone": ["+86-571-88001234"],
            "fax": ["+86-571-88001235"],
            "postcode": ["310012"],
            "homepage": ["www.firm.cn"],
        },
    ),
    "label behind the value": (
        "<p>0571-88001234（电话） 0571-88001235（传真）</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "colon in a cell of its own": (
        f"<table><tr><td>传真</td><td>：</td><td>0571-88001235</td></tr><tr><td>地址</td><td>：</td><td>{STREET}</td></tr></table>",
        {"fax": ["0571-88001235"], "address": [STREET]},
    ),
    "address broken in two": (
        "<p>电话：0571-88001234<br>地址：浙江省杭州市西湖区<br>文三路100号<br>传真：0571-88001235</p>",
        {"address": [STREET], "phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "English address on three lines": (
        "<p>Address: 100 Main Street<br>Toronto, ON M1H 3H3<br>Canada<br>Tel: +1 416 555 0123</p>",
        {
            "address": ["100 Main Street, Toronto, ON M1H 3H3, Canada"],
            "postcode": ["M1H 3H3"],
            "phone": ["+14165550123"],
        },
    ),
    "postcode behind the address": (
        f"<p>地址：{STREET} 310012</p><p>电话：0571-88001234</p>",
        {"address": [STREET], "postcode": ["310012"], "phone": ["0571-88001234"]},
    ),
    "elements side by side": (
        "<div><span>电话</span><span>0571-88001234</span><span>传真</span><span>0571-88001235</span><span>地址</span><span>文三路100号</span></div>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "address": ["文三路100号"]},
    ),
    "preformatted": (
        "<pre>电话：0571-88001234\n传真：0571-88001235\n邮编：310012</pre>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"], "postcode": ["310012"]},
    ),
    "one as a dash": ("<p>电话：0571一88001234</p>", {"phone": ["0571-88001234"]}),
    "departments as labels": (
        "<p>销售部：0571-88001234</p><p>人事部：hr@firm.cn</p><p>北京：010-58001234　上海：021-58001234</p>",
        {"phone": ["0571-88001234", "010-58001234", "021-58001234"], "email": ["hr@firm.cn"]},
    ),
    "card with icon, label, value": (
        f"<div><i class='icon-phone'></i><h5>联系电话</h5><p>0571-88001234</p></div><div><i class='icon-mail'></i><h5>电子邮箱</h5><p>info@firm.cn</p></div><div><i class='icon-location'></i><h5>公司地址</h5><p>{STREET}</p></div>",
        {"phone": ["0571-88001234"], "email": ["info@firm.cn"], "address": [STREET]},
    ),
    "two languages, label above value": (
        f"<div><div>公司地址</div><div>Address</div><p>{STREET}</p></div><div><div>传真</div><div>Fax</div><p>0571-88001235</p></div>",
        {"address": [STREET], "fax": ["0571-88001235"]},
    ),
    "label and value in lists side by side": (
        "<table><tr><td>电话<br>传真</td><td>0571-88001234<br>0571-88001235</td></tr></table>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "heading before values": (
        "<h3>联系方式</h3><p>2021-08-08</p><p>王经理 13800571234</p>",
        {"phone": ["13800571234"]},
    ),
    "footer of one line": (
        f"<div class='footer'>版权所有 杭州某厂 地址：{STREET} 电话：0571-88001234 浙ICP备12345678号 技术支持：某某科技</div>",
        {"address": [STREET], "phone": ["0571-88001234"]},
    ),
    "placeholders": (
        "<p>电话：0571-00000000</p><p>邮箱：your@email.com</p><p>地址：XX省XX市XX路</p><p>QQ：123456789</p><p>手机：13800000000</p>",
        {},
    ),
    "map and bus": (
        f"<p>公交路线：乘28路、103路到文三路口下</p><p>地址：{STREET}（查看地图）</p>",
        {"address": [STREET]},
    ),
    "breadcrumb": (
        f"<p>当前位置：首页 &gt; 关于我们 &gt; 联系我们</p><p>地址：{STREET}</p>",
        {"address": [STREET]},
    ),
    "spam that is hidden": (
        "<div style='display:none'>代开发票请找 13900009999</div><p>电话：0571-88001234</p><p>传真：0571-88001235</p>",
        {"phone": ["0571-88001234"], "fax": ["0571-88001235"]},
    ),
    "running text": (
        f"<p>欢迎来到我们公司参观，公司位于{STREET}，联系电话：0571-88001234，期待您的光临。</p>",
        {"address": [STREET], "phone": ["0571-88001234"]},
    ),
}


@pytest.mark.parametrize(("html", "expected"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layouts(html: str, expected: dict[str, list[str]]) -> None:
    found = {name: sorted(values) for name, values in read(html).items() if name != "name"}
    assert found == {name: sorted(values) for name, values in expected.items()}
