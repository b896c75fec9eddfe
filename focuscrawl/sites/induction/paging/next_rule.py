"""Rule for the link to the next page of a list or of an article."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from lxml.etree import _Element

from focuscrawl.sites.induction.paging.next_link import (
    BARE_NUMBER,
    CHINESE_NEXT,
    LINK_TAGS,
    NEXT_NAME,
    QUOTED,
    OnwardLink,
    icon_condition,
    image_text,
    is_disabled,
    next_likelihood,
    page_number,
    pagers,
    says_next,
    shown_text,
    squeezed,
)
from focuscrawl.sites.induction.selector_search import Example, find_rule, valid_rules
from focuscrawl.sites.induction.stable_names import class_condition, is_generated
from focuscrawl.sites.page_forms import next_form, pressed
from focuscrawl.sites.page_reading import absolute_url, base_url, next_url
from focuscrawl.sites.site_profile import PAGE, FormPager, Rule

_NAMED = ("rel", "aria-label", "title")
_BOX_DEPTH = 4
# The text of the number alone, without brackets.
_BARE = 'translate(normalize-space(), "[]()（）【】第页頁 ", "")'


def next_rule(link: OnwardLink, page: _Element, url: str = "") -> Rule | None:
    """Return a rule that selects the address of a link by its text, its name, its icon or the number before it.

    No rule is made from its place alone: on the second page, that would have the link back. With the
    ``url`` of the page, it may select the links to all pages but the first.
    """
    script = {"re": QUOTED} if link.is_quoted else {}
    paths = ({"xpath": f"{path}/@{link.attribute}", **script} for path in _paths(link.element))

    def fits(rule: Rule) -> bool:
        return set(rule.all(page)) == {link.address}

    found = next((rule for rule in valid_rules(paths) if fits(rule)), None)
    return found or (_numbers_rule(link, page, url) if url and not link.is_quoted else None)


def _numbers_rule(link: OnwardLink, page: _Element, url: str) -> Rule | None:
    """Return a rule for the numbers of the further pages, where the own number is a link like the others."""
    element, series = link.element, re.sub(r"\d+", "", link.address)
    if page_number(shown_text(element)) is None:
        return None
    target = absolute_url(base_url(page, url), link.address)
    paths = (
        {"xpath": f"{box}//{element.tag}[number({_BARE}) > 1]/@{link.attribute}"}
        for node in itertools.islice((element, *element.iterancestors()), 2)
        for box in _boxes(node)
    )
    return next(
        (
            rule
            for rule in valid_rules(paths)
            if next_url(rule, page, url) == target
            and all(re.sub(r"\d+", "", value) == series for value in rule.all(page))
        ),
        None,
    )


def _paths(element: _Element) -> Iterator[str]:
    text = shown_text(element)
    if page_number(text) is not None:
        yield from _after_current(element)
        return
    tag = element.tag
    conditions = list(_conditions(element, text))
    yield from (f"//{tag}[{condition}]" for condition in conditions)
    # The same words may stand at a slider, too.
    boxes = list(_boxes(element))
    yield from (f"{box}//{tag}[{condition}]" for condition in conditions for box in boxes)


def _conditions(element: _Element, text: str) -> Iterator[str]:
    """Yield what tells a link from others, on each list page."""
    shown = "@value" if element.tag == "input" else "normalize-space()"
    if text == image_text(element):
        shown = ".//img/@alt"
    if says_next(text) and '"' not in text and not re.search(r"\d", text):
        yield f'{shown}="{text}"'
    elif found := CHINESE_NEXT.search(text):
        yield f'contains({shown}, "{found[0]}")'
    for name in _NAMED:
        if NEXT_NAME.search(element.get(name) or "") and '"' not in (element.get(name) or ""):
            yield f'@{name}="{element.get(name)}"'
    for node in (element, *element.iterdescendants("*")):
        for name in (node.get("class") or "").split():
            if NEXT_NAME.search(name) and (condition := class_condition(name)):
                yield condition if node is element else f".//{node.tag}[{condition}]"
    if condition := icon_condition(element):
        yield condition


def _after_current(element: _Element) -> Iterator[str]:
    """Yield paths to the number behind that of the page, which its pager marks."""
    following = page_number(shown_text(element))
    item, inner = element, ""
    while not _has_before(item) and (parent := item.getparent()) is not None:
        item, inner = parent, f"/{item.tag}{inner}"
    current, pager = item.getprevious(), item.getparent()
    if pager is None or following is None:
        return
    boxes = list(_boxes(item))
    behind = f"/following-sibling::{item.tag}[1]{inner}"
    before = (current.tail if current is not None else pager.text) or ""
    if re.search(BARE_NUMBER, before):
        yield from (f'{box}/text()[re:test(., "{BARE_NUMBER}")]{behind}' for box in boxes)
    elif current is not None and page_number(shown_text(current)) == following - 1:
        for mark in _marks(current, item):
            yield from (f"{box}/{current.tag}{mark}{behind}" for box in boxes)


def _has_before(item: _Element) -> bool:
    parent = item.getparent()
    text = parent.text if parent is not None and item.getprevious() is None else ""
    return item.getprevious() is not None or bool(re.search(r"\d", text or ""))


def _marks(current: _Element, other: _Element) -> Iterator[str]:
    """Yield conditions that tell the number of the page from the other numbers."""
    for name in ("aria-current", "selected"):
        if current.get(name) and not other.get(name):
            yield f"[@{name}]"
    others = set((other.get("class") or "").split())
    for name in (current.get("class") or "").split():
        if name not in others and (condition := class_condition(name)):
            yield f"[{condition}]"
    number = f"[number({_BARE}) > 0]"
    if current.tag != other.tag:
        yield number
        return
    for path in ("", "a") if current.tag != "a" else ("",):
        yield from (number + mark for mark in _link_marks(current, other, path))
    if current.find(".//a") is None and other.find(".//a") is not None:
        yield f"{number}[not(.//a)]"
    inner = {node.tag for node in current.iterdescendants("*")}
    for tag in sorted(inner - {node.tag for node in other.iterdescendants("*")}):
        yield f"{number}[.//{tag}]"
    if current.get("style") and not other.get("style"):
        yield f"{number}[@style]"


def _link_marks(current: _Element, other: _Element, path: str) -> Iterator[str]:
    """Yield conditions for links that lead nowhere: the item itself, or the link at ``path`` in it."""
    one, two = (node.find(path) if path else node for node in (current, other))
    if one is None or two is None or two.get("href") is None:
        return
    href, prefix = one.get("href"), f"{path}/" if path else ""
    if href is None:
        yield f"[{path}[not(@href)]]" if path else "[not(@href)]"
    elif href.strip() in ("", "#"):
        yield f'[{prefix}@href="{href}"]'
    elif href.strip().lower().startswith("javascript") and "javascript" not in two.get("href", ""):
        yield f'[starts-with({prefix}@href, "javascript")]'


def _boxes(element: _Element) -> Iterator[str]:
    """Yield paths to the parent of an element, from the nearest elements with a name to go by."""
    steps: list[str] = []
    for node in itertools.islice(element.iterancestors(), _BOX_DEPTH):
        if node.tag in ("body", "html"):
            break
        for condition in _names(node):
            yield "//" + "/".join([f"{node.tag}[{condition}]", *steps])
        steps.insert(0, str(node.tag))
    parent = element.getparent()
    yield f"//{parent.tag}" if parent is not None else "/"


def _names(node: _Element) -> Iterator[str]:
    identifier = node.get("id") or ""
    if identifier and '"' not in identifier and not is_generated(identifier):
        yield f'@id="{identifier}"'
    yield from filter(None, map(class_condition, (node.get("class") or "").split()))


# Form that leads to the next list page: a button of it, ``__doPostBack``, or a field for the number.

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
    only = Rule(xpath="//form")
    if only.select(page) == [form]:
        return only
    return find_rule([Example(page, [form])], lambda rule, root: rule.select(root) == [form])


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
