"""Forms of pages as requests: the one that leads to the next list page, and the one that opens a session."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterator, Mapping
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
    """A form that is filled in. ``changed`` are the fields that tell one of its pages from another."""

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
        sent = self.sent
        if self.method != "POST":
            parts = self.url.partition("?")[0]
            return f"{parts}?{sent}" if sent else self.url
        digest = hashlib.sha256(sent.encode()).hexdigest()[:_DIGITS]
        return f"{self.url}#{urlencode(self.changed)}{_DIGEST}{digest}"


def is_posted(address: str) -> bool:
    """Return whether an address is that of a page that a POST gives."""
    return address.count("#") > 1


def changed_fields(address: str) -> dict[str, str]:
    """Return the changed fields of the address of a page; without a POST, those of its query."""
    sent = urldefrag(address).fragment.rpartition(_DIGEST)[0]
    return dict(
        parse_qsl(sent if is_posted(address) else urlsplit(address).query, keep_blank_values=True)
    )


def filled_in(
    form: _Element,
    url: str,
    encoding: str,
    changed: Mapping[str, str],
    button: _Element | None = None,
) -> FilledForm | None:
    """Return a form of the page of ``url`` as a browser sends it, None if it leads to no page."""
    action = (button.get("formaction") if button is not None else None) or form.get("action")
    target = absolute_url(base_url(form.getroottree().getroot(), url), action or url, encoding)
    if not target:
        return None
    method = (form.get("method") or "").strip().upper()
    kept = [(name, value) for name, value in _values(form) if name not in changed]
    return FilledForm(
        target,
        method if method == "POST" else "GET",
        [*kept, *changed.items()],
        _charset(form, encoding),
        dict(changed),
    )


def form_of(rule: Rule, page: _Element) -> _Element | None:
    """Return the first form that a rule selects, or that is around what it selects."""
    for node in rule.select(page):
        inside = node if isinstance(node, _Element) else node.getparent()
        while inside is not None and inside.tag != "form":
            inside = inside.getparent()
        if inside is not None and hasattr(inside, "fields"):
            return inside
    return None


def next_form(
    pager: FormPager, page: _Element, url: str, encoding: str, asked: str = ""
) -> FilledForm | None:
    """Return the form that leads to the next list page, None if nothing does.

    ``url`` is that of the page, ``asked`` its address.
    """
    form = form_of(pager.form, page)
    if form is None:
        return None
    if pager.button:
        button = next(iter(pager.button.select(page)), None)
        sent = None if button is None else pressed(button)
        is_element = isinstance(button, _Element)
        return (
            None
            if sent is None
            else filled_in(form, url, encoding, sent, button if is_element else None)
        )
    before, sent = changed_fields(asked), {}
    for name, value in pager.fields.items():
        if isinstance(value, Rule):
            sent[name] = value.first(page)
        else:
            number = _number(before.get(name, ""), value)
            sent[name] = value.replace(PAGE, str(number + 1))
        if not sent[name] and isinstance(value, Rule):
            return None
    return filled_in(form, url, encoding, sent)


def counted_number(pager: FormPager, address: str) -> int:
    """Return the number of the page at an address, 0 if the pager does not count."""
    before = changed_fields(address)
    texts = {name: value for name, value in pager.fields.items() if isinstance(value, str)}
    numbers = (_number(before.get(n, ""), text) for n, text in texts.items() if PAGE in text)
    return max(numbers, default=0)


def filled_again(
    pager: FormPager, page: _Element, url: str, encoding: str, address: str
) -> FilledForm | None:
    """Return the request for the page at an address of an earlier run, by the form of the first page."""
    form = form_of(pager.form, page)
    return None if form is None else filled_in(form, url, encoding, changed_fields(address))


def pressed(button: Any) -> dict[str, str] | None:
    """Return the fields that a button adds to its form, None if it does not send it.

    It may be an element, or an attribute with the script of one.
    """
    if not isinstance(button, _Element):
        return _postback(str(button))
    if button.get("disabled") is not None:
        return None
    for name in ("onclick", "href"):
        if sent := _postback(button.get(name) or ""):
            return sent
    kind = (button.get("type") or ("submit" if button.tag == "button" else "")).lower()
    if button.tag not in ("input", "button") or kind not in ("submit", "image"):
        return None
    name = button.get("name") or ""
    if kind == "image":
        return {f"{name}.x" if name else "x": "1", f"{name}.y" if name else "y": "1"}
    return {name: button.get("value") or ""} if name else {}


def _postback(script: str) -> dict[str, str] | None:
    """Return what a call of ``__doPostBack`` sends, None if a script has none."""
    found = _POSTBACK.search(script)
    return {"__EVENTTARGET": found[2], "__EVENTARGUMENT": found[4]} if found else None


def _number(before: str, template: str) -> int:
    """Return the number of the page that was asked for with a field."""
    start, _, end = template.partition(PAGE)
    number = before.removeprefix(start).removesuffix(end)
    return int(number) if number.isdecimal() else 1


def asks_captcha(form: _Element) -> bool:
    """Return whether a form asks for the characters in a picture, or the like."""
    nodes = list(form.iter("input", "img", "div", "canvas", "iframe"))
    seen = (node for node in nodes if (node.get("type") or "").lower() != "hidden")
    names = (" ".join(node.get(name) or "" for name in _NAMES) for node in seen)
    has_picture = any(node.tag in ("img", "canvas") for node in nodes)
    # Beside a picture, or a link to another kind of login.
    return any(map(_CAPTCHA.search, names)) or (
        has_picture and bool(_CAPTCHA.search(text_under(form)))
    )


def _values(form: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields of a form that a browser sends without a button."""
    for node in form.inputs:
        name, kind = node.get("name"), (node.get("type") or "").lower()
        is_box = node.tag == "input" and kind in ("checkbox", "radio")
        if not name or node.get("disabled") is not None or node.tag == "button":
            continue
        if node.tag == "input" and kind in ("submit", "image", "reset", "button", "file"):
            continue
        if is_box:
            if node.get("checked") is not None:
                yield name, node.get("value") or "on"
        elif node.tag == "select":
            yield from ((name, value) for value in _chosen(node))
        else:
            yield name, node.value or ""


def _chosen(select: _Element) -> list[str]:
    """Return the chosen options of a field: without one, the first, unless there may be several."""
    options = list(select.iter("option"))
    chosen = [one for one in options if one.get("selected") is not None]
    if select.get("multiple") is None:
        chosen = chosen[-1:] or options[:1]
    return [one.get("value", text_under(one)) for one in chosen]


def _charset(form: _Element, encoding: str) -> str:
    given = (form.get("accept-charset") or "").replace(",", " ").split()
    try:
        return codecs.lookup(given[0]).name if given else encoding
    except LookupError:
        return encoding
