"""Site profiles: YAML with extraction rules for the lists, entries and articles of a site."""

from __future__ import annotations

import re as regex
from functools import cached_property
from importlib import resources
from typing import Annotated, Any, Literal

import jmespath
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel.csstranslator import HTMLTranslator
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from focuscrawl.errors import ProfileError
from focuscrawl.network.address_rules import reference
from focuscrawl.spider_arguments import Address
from focuscrawl.system.yaml_files import Model, parse_yaml, read_text
from focuscrawl.text.seen_text import as_seen, text_under

_PACKAGE = "focuscrawl.sites"
# The ends of the names of attributes that hold addresses, such as data-url.
ADDRESSES = ("href", "src", "url", "link")
_REGEX_NAMESPACE = {"re": "http://exslt.org/regular-expressions"}
_FILLED_IN = regex.compile(r"\{([^{}]*)\}")
# Stands for the number of a list page.
PAGE = "{page}"


def _checked_pattern(pattern: str) -> str:
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression ({error})") from None
    return pattern


class Rule(BaseModel):
    """An XPath or CSS selector, and a regular expression that extracts the value from its text.

    In YAML, a plain string is an XPath; ``{css: …}``, ``{xpath: …, re: …}`` are the long forms.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    xpath: str = ""
    css: str = ""
    re: str = ""

    @model_validator(mode="after")
    def _compiles(self) -> Rule:
        if bool(self.xpath) == bool(self.css):
            raise ValueError("give either xpath or css")
        try:
            _ = self._select
        except etree.XPathError as error:
            raise ValueError(f"{self.xpath!r} is not an XPath ({error})") from None
        _checked_pattern(self.re)
        return self

    @cached_property
    def path(self) -> str:
        """The selector as an XPath."""
        if self.xpath:
            return self.xpath
        try:
            return str(HTMLTranslator().css_to_xpath(self.css))
        except Exception as error:
            raise ValueError(f"{self.css!r} is not a CSS selector ({error})") from None

    @cached_property
    def _select(self) -> etree.XPath:
        # Compiled once and applied to elements: several times as fast as one Selector per node.
        return etree.XPath(self.path, namespaces=_REGEX_NAMESPACE)

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        return regex.compile(self.re, regex.DOTALL)

    def select(self, node: etree._Element) -> list[Any]:
        """Return the matches under ``node``: elements, or strings that know their parent element."""
        found = self._select(node)
        return found if isinstance(found, list) else [str(found)]

    def first(self, node: etree._Element, *, is_spaced: bool = False) -> str:
        """Return the first value (the whole text of an element), ``""`` without a match.

        If it ``is_spaced``, there is a space between the texts of two elements.
        """
        joint = " " if is_spaced else ""
        for found in self.select(node):
            value = self._cut(_seen(found, joint))
            if value:
                return value
        return ""

    def all(self, node: etree._Element) -> list[str]:
        """Return the distinct nonempty values in order."""
        texts = map(_seen, self.select(node))
        return list(dict.fromkeys(value for text in texts if (value := self._cut(text))))

    def _cut(self, text: str) -> str:
        is_address = (getattr(text, "attrname", None) or "").endswith(ADDRESSES)
        if self.re:
            match = self._pattern.search(text)
            text = (match[1] if match.re.groups else match[0]) if match else ""
        return reference(text) if is_address else " ".join(text.split())


def _seen(found: Any, joint: str = "") -> str:
    """Return the text of an element or a text as it is seen; an attribute, such as an address, as it is."""
    if isinstance(found, str):
        return found if getattr(found, "is_attribute", False) else as_seen(found)
    return text_under(found, joint)


def _as_rule(value: object) -> object:
    return {"xpath": value} if isinstance(value, str) else value


RuleField = Annotated[Rule, BeforeValidator(_as_rule)]


class FormPager(BaseModel):
    """The form that leads to the next list page; its other fields are sent as they are.

    ``button`` selects a button of the form, or a link, or an attribute, that calls ``__doPostBack``.
    ``fields`` are values to set: texts, in which ``{page}`` is counted on from 2, or rules for the page.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    form: RuleField
    button: RuleField | None = None
    fields: dict[str, str | Rule] = {}

    @model_validator(mode="after")
    def _leads_on(self) -> FormPager:
        if bool(self.button) == bool(self.fields):
            raise ValueError("give either button or fields")
        return self

    @property
    def counts_pages(self) -> bool:
        """Whether a field is the number of the page, counted on."""
        return any(isinstance(value, str) and PAGE in value for value in self.fields.values())


def _kind_of_next(rule: object) -> str:
    is_form = isinstance(rule, FormPager) or (isinstance(rule, dict) and "form" in rule)
    return "<form>" if is_form else "<link>"


NextField = Annotated[
    Annotated[RuleField, Tag("<link>")] | Annotated[FormPager, Tag("<form>")],
    Discriminator(_kind_of_next),
]


class ListRules(BaseModel):
    """Extraction rules of a list page; all but ``entry`` and ``next`` are relative to one entry.

    ``year`` is for dates without a year below a heading with one: ``{xpath: preceding::h2[1], re: ...}``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    entry: RuleField
    link: RuleField
    title: RuleField
    date: RuleField | None = None
    year: RuleField | None = None
    stamp: RuleField | None = None
    next: NextField | None = None


def _checked_path(path: str) -> str:
    try:
        jmespath.compile(path)
    except JMESPathError as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path!r} is not a JMESPath expression ({reason})") from None
    return path


def checked_link(link: str) -> str:
    """Return an expression, or a URL with expressions in braces; raises ValueError if it is neither."""
    if "{" not in link and "}" not in link:
        return _checked_path(link)
    if set("{}") & set(_FILLED_IN.sub("", link)):
        raise ValueError(f"a brace of {link} has no counterpart; write {{id}} for the value of id")
    for path in filled_in(link):
        _checked_path(path)
    return link


def filled_in(template: str) -> list[str]:
    """Return what a URL has in braces."""
    return _FILLED_IN.findall(template)


JsonPath = Annotated[str, Field(min_length=1), AfterValidator(_checked_path)]


class JsonRules(BaseModel):
    """JMESPath expressions for a list of JSON objects; all but ``entries`` and ``next`` are for one object.

    ``link`` may be a URL with expressions in braces. ``next`` is an expression for a URL, a URL with
    expressions in braces, which ends where one gives nothing, or a URL with ``{page}`` or ``{offset}``,
    which is counted on until a page has no new entry.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    entries: JsonPath
    link: Annotated[str, Field(min_length=1), AfterValidator(checked_link)]
    title: JsonPath
    date: JsonPath | None = None
    stamp: JsonPath | None = None
    next: str = ""

    @model_validator(mode="after")
    def _leads_on(self) -> JsonRules:
        checked_link(self.next or "@")
        inside = filled_in(self.next)
        if len(inside) > 1 and set(inside) & {"page", "offset"}:
            raise ValueError("next needs {page} or {offset} once, and nothing else in braces")
        return self

    @property
    def counts_pages(self) -> bool:
        """Whether ``next`` is a URL with ``{page}`` or ``{offset}``."""
        return filled_in(self.next) in (["page"], ["offset"])


class JsonListRules(BaseModel):
    """Extraction rules of a list that the site sends as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    # BaseModel has a method of the name.
    rules: JsonRules = Field(alias="json")


class FeedListRules(BaseModel):
    """A list that is a feed (RSS, Atom, JSON Feed) or a sitemap; ``list: feed`` in YAML.

    ``feed`` is a regular expression for the links of articles, where not all links are such.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    feed: Annotated[str, AfterValidator(_checked_pattern)]

    @model_validator(mode="before")
    @classmethod
    def _alone(cls, value: object) -> object:
        if isinstance(value, str) and value != "feed":
            raise ValueError(f"{value!r} is no kind of list; write list: feed, or rules")
        return {"feed": ""} if value == "feed" else value


def _kind_of_list(rules: object) -> str:
    for kind, model in (("json", JsonListRules), ("feed", FeedListRules)):
        if isinstance(rules, model) or (isinstance(rules, dict) and kind in rules):
            return f"<{kind}>"
    return "<feed>" if isinstance(rules, str) else "<html>"


AnyListRules = Annotated[
    Annotated[ListRules, Tag("<html>")]
    | Annotated[JsonListRules, Tag("<json>")]
    | Annotated[FeedListRules, Tag("<feed>")],
    Discriminator(_kind_of_list),
]


class ArticleRules(BaseModel):
    """Extraction rules of an article page; ``remove`` is removed from the body before it is read.

    Without ``body``, the text is found by :func:`focuscrawl.text.main_text.main_text`. With ``feed``
    (``article: feed`` in YAML), the text of a feed is that of the article where it is whole; the other
    rules are for the pages of the rest.
    Of the files that the body links to, ``attachments`` appends the text, and with ``keep`` stores the
    file as well.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    feed: bool = False
    body: RuleField | None = None
    title: RuleField | None = None
    date: RuleField | None = None
    next: RuleField | None = None
    remove: list[RuleField] = []
    max_pages: Annotated[int, Field(ge=1)] = 50
    attachments: Literal["read", "keep", "ignore"] = "ignore"

    @model_validator(mode="before")
    @classmethod
    def _from_feed(cls, value: object) -> object:
        return {"feed": True} if value == "feed" else value


def _secret_name(value: object) -> str:
    # The value may be a password: it must not be shown.
    if not (isinstance(value, str) and regex.fullmatch(r"\$[A-Za-z_]\w*", value)):
        raise ValueError(
            "write $NAME, the name of an environment variable; a profile has no passwords"
        )
    return value.removeprefix("$")


def _kind_of_check(value: object) -> str:
    is_path = isinstance(value, str) and value.startswith(("/", "./", "("))
    return "<rule>" if is_path or isinstance(value, dict | Rule) else "<text>"


class Login(BaseModel):
    """The form that opens a session; ``fields`` has the names of environment variables by field.

    ``check`` is a selector or a text for what pages show as long as the session lasts, and the login page
    does not. Without ``form``, it is the one with a password.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, hide_input_in_errors=True
    )

    url: Address
    form: RuleField = Rule(xpath="//form[.//input[@type='password']]")
    fields: dict[str, Annotated[str, BeforeValidator(_secret_name)]] = Field(min_length=1)
    check: Annotated[
        Annotated[RuleField, Tag("<rule>")] | Annotated[str, Field(min_length=1), Tag("<text>")],
        Discriminator(_kind_of_check),
    ]


class SiteProfile(BaseModel):
    """One site. ``start_urls`` are the first pages of lists, with the newest entries first.

    ``reader`` says what a crawl reads from the texts of articles besides the text itself.
    ``ignore_parameters`` are parameters of the links that change from run to run. ``price_confidence``
    is the least confidence of a price to trust, where the setting FOCUSCRAWL_PRICE_CONFIDENCE has none.
    ``render`` names the pages that a browser draws, ``wait_for`` what they have once they are drawn, and
    ``click`` the button for more entries, which is clicked until it is gone, ``max_clicks`` times at most.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(pattern=r"^[\w-]+$")]
    description: str = ""
    start_urls: list[Address] = Field(min_length=1)
    reader: Literal["prices", "none"] = "none"
    price_confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    ignore_parameters: list[Annotated[str, Field(min_length=1)]] = []
    cookies: bool = False
    login: Login | None = None
    render: Literal["list", "article", "both"] | None = None
    wait_for: RuleField | None = None
    click: RuleField | None = None
    max_clicks: Annotated[int, Field(ge=1)] = 20
    list: AnyListRules
    article: ArticleRules = ArticleRules()

    @model_validator(mode="after")
    def _has_feed(self) -> SiteProfile:
        if self.article.feed and not isinstance(self.list, FeedListRules):
            raise ValueError("article: feed needs list: feed")
        return self

    @model_validator(mode="after")
    def _is_drawn(self) -> SiteProfile:
        if self.renders("list") and not isinstance(self.list, ListRules):
            what = "a feed" if isinstance(self.list, FeedListRules) else "a list of JSON"
            raise ValueError(f"{what} is not drawn; write render: article, or leave it out")
        if self.wait_for and not self.render:
            raise ValueError("wait_for needs render: list, article or both")
        if self.click and not self.renders("list"):
            raise ValueError("click needs render: list or both")
        if any(rule and rule.re for rule in (self.wait_for, self.click)):
            raise ValueError("wait_for and click are selectors without re")
        return self

    def renders(self, part: str) -> bool:
        """Return whether a browser draws the pages of a part, ``list`` or ``article``."""
        return self.render in (part, "both")


def profile_names(package: str = _PACKAGE) -> list[str]:
    """Return the names of the profiles shipped with a package."""
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in resources.files(package).iterdir()
        if entry.name.endswith(".yaml")
    )


def load_profile(name: str) -> SiteProfile:
    """Return the shipped profile of that name, or the one in the YAML file of that path.

    Raises :class:`ProfileError` with one sentence.
    """
    return read_profile(name, SiteProfile, _PACKAGE)


def read_profile(name: str, model: type[Model], package: str) -> Model:
    """Return a profile of any model: one shipped with ``package``, or the one in the file of a path.

    Raises :class:`ProfileError` with one sentence.
    """
    known = ", ".join(profile_names(package))
    return parse_yaml(
        _text_of(name, package, known), model, f"site profile {name}", ProfileError, known
    )


def _text_of(name: str, package: str, known: str) -> str:
    if regex.fullmatch(r"[\w-]+", name):
        shipped = resources.files(package) / f"{name}.yaml"
        if not shipped.is_file():
            raise ProfileError(f"there is no site profile {name!r}; known: {known}, or give a path")
        return shipped.read_text(encoding="utf-8")
    return read_text(name, f"site profile {name}", ProfileError)
