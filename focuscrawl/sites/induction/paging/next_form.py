"""Draft of the form that leads to the next list page: a button of it, ``__doPostBack``, or a field for the number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.etree import _Element

from focuscrawl.sites.induction.paging.next_link import (
    LINK_TAGS,
    OnwardLink,
    is_disabled,
    next_likelihood,
    pagers,
    squeezed,
)
from focuscrawl.sites.induction.paging.next_rule import next_rule
from focuscrawl.sites.induction.stable_names import is_generated
from focuscrawl.sites.page_forms import next_form, pressed
from focuscrawl.sites.site_profile import PAGE, FormPager, Rule

_LIKELY = 3.0
_SCRIPTS = ("href", "onclick")
_HELD = (*_SCRIPTS, "value", "name", "type", "class", "id")
_PAGE_FIELD = re.compile(
    r"(?:.*[._])?(?:p|pn|pg|(?:cur(?:rent)?_?)?page_?(?:no|num|number|index)?)", re.IGNORECASE
)
_SECOND = re.compile(r"\(\s*['\"]?2['\"]?\s*[),]")


def form_pager(page: _Element, url: str) -> FormPager | None:
    """Return the form that leads to the next list page, None if the page has none that a rule can select."""
    for element in _onward(page, url):
        found = _by_button(element, page) if pressed(element) is not None else None
        found = found or _by_field(element, page)
        if found and next_form(found, page, url, "utf-8"):
            return found
    return None


def _by_button(element: _Element, page: _Element) -> FormPager | None:
    form = next(element.iterancestors("form"), None)
    button = _element_rule(element, page)
    rule = _form_rule(form, page) if form is not None else None
    return FormPager(form=rule, button=button) if rule and button else None


def _onward(page: _Element, url: str) -> Iterator[_Element]:
    """Yield the elements that may lead on, 下一页 and the like first, then the number of the next page."""
    named = [
        (likelihood, element)
        for element in page.iter(*LINK_TAGS)
        if not is_disabled(element) and (likelihood := next_likelihood(element)) > _LIKELY
    ]
    yield from (element for _, element in sorted(named, key=lambda one: -one[0]))
    for pager in pagers(page, url):
        for element in pager.items.get(pager.here + 1, ()):
            yield next(element.iter("a", "input", "button"), element)


def _element_rule(element: _Element, page: _Element) -> Rule | None:
    """Return a rule for an element, by that for one of its attributes."""
    for name in _HELD:
        if value := squeezed(element.get(name)):
            found = next_rule(OnwardLink(element, name, value), page)
            path = found.xpath.rpartition("/@")[0] if found else ""
            rule = Rule(xpath=path) if path else None
            if rule and next(iter(rule.select(page)), None) is element:
                return rule
    return None


def _form_rule(form: _Element, page: _Element) -> Rule | None:
    forms = list(page.iter("form"))
    paths = ["//form"] if len(forms) == 1 else []
    for name in ("id", "name", "action"):
        value = form.get(name) or ""
        if value and '"' not in value and not is_generated(value):
            paths.append(f'//form[@{name}="{value}"]')
    rules = (Rule(xpath=path) for path in [*paths, f"(//form)[{forms.index(form) + 1}]"])
    return next((rule for rule in rules if rule.select(page) == [form]), None)


def _by_field(element: _Element, page: _Element) -> FormPager | None:
    """Return a form with a field for the number of the page, which the script of an element sets to 2."""
    scripts = {name: element.get(name) or "" for name in _SCRIPTS}
    called = next((name for name, script in scripts.items() if _SECOND.search(script)), "")
    if not called:
        return None
    for node in page.iter("input"):
        form = next(node.iterancestors("form"), None)
        name = node.get("name") or ""
        if form is None or not _PAGE_FIELD.fullmatch(name):
            continue
        button = next_rule(OnwardLink(element, called, squeezed(element.get(called))), page)
        value = Rule(xpath=button.xpath, re=r"\(\D*(\d+)") if button else PAGE
        rule = _form_rule(form, page)
        return FormPager(form=rule, fields={name: value}) if rule else None
    return None
