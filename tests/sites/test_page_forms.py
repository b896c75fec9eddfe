"""Forms of pages as the requests that a browser would send."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from lxml import html

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.paging.next_rule import form_pager
from focuscrawl.sites.page_forms import (
    asks_captcha,
    changed_fields,
    filled_again,
    is_posted,
    next_form,
)
from focuscrawl.sites.site_profile import FormPager, SiteProfile
from focuscrawl.system.yaml_files import parse_yaml

URL = "http://a.test/list.aspx?type=1"
STATE = '<input type="hidden" name="__VIEWSTATE" value="/wEP+=">'


def form(inner: str, attributes: str = 'method="post" id="f"') -> html.HtmlElement:
    return html.document_fromstring(f"<html><body><form {attributes}>{inner}</form></body></html>")


def pager(**parts: object) -> FormPager:
    return FormPager.model_validate({"form": "//form"} | parts)


@pytest.mark.parametrize(
    ("button", "sent"),
    [
        ("<a href=\"javascript:__doPostBack('gv$p','Page$2')\">下一页</a>", {"__EVENTTARGET": "gv$p", "__EVENTARGUMENT": "Page$2"}),
        ('<a href=\'javascript:WebForm_DoPostBackWithOptions(new WebForm_PostBackOptions("n", "", true))\'>下一页</a>', {"__EVENTTARGET": "n", "__EVENTARGUMENT": ""}),
        ("<span onclick=\"javascript:__doPostBack('p','2');return false\">下一页</span>", {"__EVENTTARGET": "p", "__EVENTARGUMENT": "2"}),
        ('<input type="submit" name="btnNext" value="下一页">', {"btnNext": "下一页"}),
        ('<button name="p" value="2">下一页</button>', {"p": "2"}),
        ('<input type="image" name="next" alt="下一页">', {"next.x": "1", "next.y": "1"}),
        ('<input type="submit" name="btnNext" value="下一页" disabled>', None),
        ('<a disabled="disabled">下一页</a>', None),
        ('<button type="button">下一页</button>', None),
    ],
)  # fmt: skip
def test_a_button_sends_its_form_with_the_state_of_the_page(
    button: str, sent: dict[str, str] | None
) -> None:
    other = '<input type="submit" name="go" value="x"><input type="checkbox" name="c"><input name="q" value="玉米">'
    page = form(
        f"{STATE}{other}{button}<select name=s><option>1<option selected value=2>二</select>"
    )
    rule = '//form/*[contains(concat(., @value, @alt), "下一页")] | //button[@name="p"]'
    found = next_form(pager(button=rule), page, URL, "gb18030")
    if sent is None:
        assert found is None
        return
    assert found
    assert found.url == URL
    state = {"__VIEWSTATE": "/wEP+=", "q": "玉米", "s": "2"}
    assert dict(parse_qs(found.sent, keep_blank_values=True, encoding="gb18030")) == {
        name: [value] for name, value in (state | sent).items()
    }
    assert found.address.startswith(f"{URL}#")
    assert is_posted(found.address)
    assert changed_fields(found.address) == sent
    again = filled_again(pager(button="//x"), page, URL, "gb18030", found.address)
    assert again
    assert again.sent == found.sent
    # The drafted rule finds the same button.
    drafted = form_pager(page, URL)
    if "image" in button:
        assert drafted is None
        return
    assert drafted
    assert next_form(drafted, page, URL, "gb18030") == found


def test_the_same_button_on_another_page_is_another_address() -> None:
    link = "<a href=\"javascript:__doPostBack('p','Next')\">下一页</a>"
    pages = [form(f'<input type=hidden name=__VIEWSTATE value="{n}">{link}') for n in (1, 2)]
    found = [next_form(pager(button="//a"), page, URL, "utf-8") for page in pages]
    assert len({one.address for one in found if one}) == 2


@pytest.mark.parametrize("number", [1, 2, 9])
def test_a_field_is_counted_on_by_the_address_of_the_page(number: int) -> None:
    rules = pager(fields={"p": "{page}", "size": "20"})
    page = form('<input type=hidden name=p value=1><input name=k value="&quot;">')
    address = URL
    for _ in range(number):
        found = next_form(rules, page, URL, "utf-8", address)
        assert found
        address = found.address
    assert changed_fields(address) == {"p": str(number + 1), "size": "20"}
    by_get = form("<input type=hidden name=p value=1>", "action=/s")
    found = next_form(rules, by_get, URL, "utf-8", f"http://a.test/s?p={number}&size=20")
    assert found
    assert found.address == f"http://a.test/s?p={number + 1}&size=20"


NUMBERS = "<span>1</span> <a href=\"javascript:__doPostBack('g','Page$2')\">2</a> <a href=\"javascript:__doPostBack('g','Page$3')\">3</a>"


@pytest.mark.parametrize(
    ("inner", "sent"),
    [
        (f'{STATE}<div class="pager">{NUMBERS}</div>', {"__EVENTTARGET": "g", "__EVENTARGUMENT": "Page$2"}),
        ("<input type=hidden name=pageNo value=1><a href='javascript:go(2)'>下一页</a>", {"pageNo": "2"}),
        ("<input type=hidden name=page.currentPage value=1><a href='#' onclick=\"turn('2')\">下页</a>", {"page.currentPage": "2"}),
        ("<input name=word><input type=submit value=搜索>", None),
        ("<input name=user><input type=password name=p><button>登录</button>", None),
        ("<a href='javascript:go(2)'>下一页</a>", None),
    ],
)  # fmt: skip
def test_newsite_drafts_the_form_that_leads_on(inner: str, sent: dict[str, str] | None) -> None:
    page = form(inner)
    found = form_pager(page, URL)
    assert (found is None) == (sent is None), found
    if found:
        filled = next_form(found, page, URL, "utf-8")
        assert filled
        assert filled.changed == sent


@pytest.mark.parametrize(
    ("inner", "asks"),
    [
        ('<input name="yzm">', True),
        ('<input name="c" placeholder="请输入验证码">', True),
        ('<input name="c"><img src="/a.aspx"> 驗證碼', True),
        ('<div class="geetest_captcha"></div>', True),
        ('<input type="hidden" name="__RequestVerificationToken">', False),
        ('<input name="user"> <a href="/sms">短信验证码登录</a>', False),
    ],
)
def test_a_captcha_in_a_login_form_is_recognised(inner: str, asks: bool) -> None:
    assert asks_captcha(next(form(inner).iter("form"))) is asks


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("list: {next: {form: //form}}", "list.next: give either button or fields"),
        ("list: {next: {form: //form, button: //a, fields: {p: '2'}}}", "either button or fields"),
        ("list: {next: {form: '//form['}}", "list.next.form: '//form[' is not an XPath"),
        ("list: {next: {form: //form, buton: //a}}", "list.next.buton"),
        ("login: {url: 'http://a.test/', fields: {p: geheim}, check: x}", r"login.fields.p: write $NAME"),
        ("login: {url: 'http://a.test/', fields: {p: 123456}, check: x}", r"login.fields.p: write $NAME"),
        ("login: {url: 'http://a.test/', password: geheim, fields: {p: $P}, check: x}", "login.password"),
        ("login: {url: 'http://a.test/', fields: {p: $P}, check: {css: '['}}", "login.check"),
        ("login: {url: 'http://a.test/', fields: {p: $P}}", "login.check"),
    ],
)  # fmt: skip
def test_mistakes_in_a_profile_are_one_sentence_without_the_password(part: str, said: str) -> None:
    rules = "{entry: //li, link: ./a/@href, title: ./a}"
    given = part.replace("list: {", "list: {entry: //li, link: ./a/@href, title: ./a, ")
    text = f"name: a\nstart_urls: ['http://a.test/']\n{given}\n"
    text += "" if part.startswith("list") else f"list: {rules}\n"
    with pytest.raises(ProfileError) as caught:
        parse_yaml(text, SiteProfile, "site profile a", ProfileError, "")
    assert said in str(caught.value)
    assert not {"geheim", "123456"} & set(str(caught.value).split())
    assert "geheim" not in str(caught.value)
