"""Forms of pages as requests: the one that leads to the next list page, and the one that opens a session."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urldefrag, urlencode, urlsplit

from lxml.etree import _Element

from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.sites.site_profile import PAGE, FormPager, Rule
from focuscrawl.text.seen_text import text_under

_POSTBACK = re.compile(
    r"""(?:__doPostBack|WebForm_PostBackOptions)\(\s*(["'])(.*?)\1\s*,\s*(["'])(.*?)\3"""
)
_DIGEST, _DIGITS = "#", 8
_CAPTCHA = re.compile(
    r"captcha|verif(?:y|ication)_?-?(?:code|img)|vali(?:date)?_?-?code|check_?-?code|auth_?-?code|vcode|yzm|seccode"
    r"|验证码|驗證碼|校验码|图形码|滑块",
    re.IGNORECASE,
)
_NAMES = ("name", "id", "class", "placeholder", "alt", "src", "title")


class FilledForm(NamedTuple):
    """A form that is filled in; ``changed`` are the fields that tell one of its pages from another."""

    url: str
    method: str
    fields: list[tuple[str, str]]
    encoding: str
    changed: dict[str, str]

    @property
    def sent(self) -> str:
        """The fields as they are sent."""
        return urlencode(self.fields, encoding=self.encoding, errors="replace")

    @property
    def address(self) -> str:
        """What names the page: its URL, and of a POST what is sent, behind a ``#``.

        That are the changed fields, and a digest of all: 下一页 may send the same on each page but for
        the state of the page.
        """
        if self.method != "POST":
            return f"{self.url.partition('?')[0]}?{self.sent}" if self.fields else self.url
        digest = hashlib.sha256(self.sent.encode()).hexdigest()[:_DIGITS]
        return f"{self.url}#{urlencode(self.changed)}{_DIGEST}{digest}"


def is_posted(address: str) -> bool:
    """Return whether an address is that of a page that a POST gives."""
    return address.count("#") > 1


def changed_fields(address: str) -> dict[str, str]:
    """Return the changed fields of the address of a page; without a POST, those of its query."""
    posted = urldefrag(address).fragment.rpartition(_DIGEST)[0]
    sent = posted if is_posted(address) else urlsplit(address).query
    return dict(parse_qsl(sent, keep_blank_values=True))


def form_of(rule: Rule, page: _Element) -> _Element | None:
    """Return the first form that a rule selects, or that is around what it selects."""
    nodes = (node for node in rule.select(page) if isinstance(node, _Element))
    forms = (form for node in nodes for form in (node, *node.iterancestors()))
    return next((form for form in forms if form.tag == "form" and hasattr(form, "fields")), None)


def filled_in(
    form: Any, url: str, encoding: str, changed: Mapping[str, str], action: str | None = None
) -> FilledForm | None:
    """Return a form of the page of ``url`` as a browser sends it, None if it leads to no page."""
    base = base_url(form.getroottree().getroot(), url)
    target = absolute_url(base, action or form.get("action") or url, encoding)
    # A browser sends the first option of a list in which none is chosen, and no buttons.
    first = [(one.name, one.value_options[0]) for one in form.iter("select")
             if one.name and not one.multiple and one.value is None and one.value_options]  # fmt: skip
    buttons = {node.get("name") for node in form.iter("input") if node.get("type") == "button"}
    kept = [
        field for field in (*form.form_values(), *first) if field[0] not in {*changed, *buttons}
    ]
    method = "POST" if (form.get("method") or "").strip().upper() == "POST" else "GET"
    fields, charset = [*kept, *changed.items()], _charset(form, encoding)
    return FilledForm(target, method, fields, charset, dict(changed)) if target else None


def next_form(
    pager: FormPager, page: _Element, url: str, encoding: str, asked: str = ""
) -> FilledForm | None:
    """Return the form that leads to the next list page, None if nothing does.

    ``url`` is that of the page, ``asked`` its address.
    """
    form = form_of(pager.form, page)
    action, sent = None, {}
    if pager.button:
        button = next(iter(pager.button.select(page)), None)
        pressing = None if button is None else pressed(button)
        if form is None or pressing is None:
            return None
        action = button.get("formaction") if isinstance(button, _Element) else None
        return filled_in(form, url, encoding, pressing, action)
    number = counted_number(pager, asked) + 1
    for name, value in pager.fields.items():
        if isinstance(value, str):
            sent[name] = value.replace(PAGE, str(number))
        elif not (found := value.first(page)):
            return None
        else:
            sent[name] = found
    return None if form is None else filled_in(form, url, encoding, sent)


def filled_again(
    pager: FormPager, page: _Element, url: str, encoding: str, address: str
) -> FilledForm | None:
    """Return the request for the page at an address of an earlier run, by the form of the first page."""
    form = form_of(pager.form, page)
    return None if form is None else filled_in(form, url, encoding, changed_fields(address))


def counted_number(pager: FormPager, address: str) -> int:
    """Return the number of the page at an address by the field that is counted; 1 for the first page."""
    before = changed_fields(address)
    for name, text in pager.fields.items():
        if isinstance(text, str) and PAGE in text:
            start, _, end = text.partition(PAGE)
            number = before.get(name, "").removeprefix(start).removesuffix(end)
            return int(number) if number.isdecimal() else 1
    return 1


def pressed(button: Any) -> dict[str, str] | None:
    """Return the fields that a button adds to its form, None if it does not send it.

    It may be an element, or an attribute with the script of one.
    """
    if not isinstance(button, _Element):
        return _postback(str(button))
    if button.get("disabled") is not None:
        return None
    if sent := _postback(f"{button.get('onclick')} {button.get('href')}"):
        return sent
    name, kind = button.get("name") or "", (button.get("type") or "").lower()
    if button.tag == "input" and kind == "image":
        dot = f"{name}." if name else ""
        return {f"{dot}x": "1", f"{dot}y": "1"}
    if (button.tag, kind) in (("input", "submit"), ("button", "submit"), ("button", "")):
        return {name: button.get("value") or ""} if name else {}
    return None


def _postback(script: str) -> dict[str, str] | None:
    """Return what a call of ``__doPostBack`` sends, None if a script has none."""
    found = _POSTBACK.search(script)
    return {"__EVENTTARGET": found[2], "__EVENTARGUMENT": found[4]} if found else None


def asks_captcha(form: _Element) -> bool:
    """Return whether a form asks for the characters in a picture, or the like."""
    nodes = list(form.iter("input", "img", "div", "canvas", "iframe"))
    seen = (node for node in nodes if (node.get("type") or "").lower() != "hidden")
    if any(_CAPTCHA.search(" ".join(node.get(name) or "" for name in _NAMES)) for node in seen):
        return True
    # Without a picture, it is a link to another kind of login.
    has_picture = any(node.tag in ("img", "canvas") for node in nodes)
    return has_picture and bool(_CAPTCHA.search(text_under(form)))


def _charset(form: _Element, encoding: str) -> str:
    given = (form.get("accept-charset") or "").replace(",", " ").split()
    try:
        return codecs.lookup(given[0]).name if given else encoding
    except LookupError:
        return encoding
