"""The documentation names all that a user can type, by the exact name."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml
from mkdocs.structure.pages import Page
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from focuscrawl import addon
from focuscrawl.articles.article_profile import load_profile as load_article_profile
from focuscrawl.setting_descriptions import DESCRIPTIONS
from focuscrawl.sites.site_profile import load_profile as load_site_profile
from focuscrawl.templates.search_engines.search_engine import SearchEngine
from focuscrawl.templates.template_model import Template
from focuscrawl.topics.topic_model import Topic
from tests.documentation.console_sessions import PAGES, ROOT
from tools.documentation_hook import argument_models, command_names, on_page_markdown

SPIDERS = set(get_spider_loader(Settings({"SPIDER_MODULES": ["focuscrawl.spiders"]})).list())
COMMANDS = {path.stem for path in (ROOT / "focuscrawl/commands").glob("[a-z]*.py")}
SETTINGS = {name for name in addon.DEFAULTS if name.startswith("FOCUSCRAWL_")}
_CELL = re.compile(r"^\| `([^`]+)`", re.MULTILINE)


class _File:
    def __init__(self, path: str) -> None:
        self.src_uri = path


class _Page:
    def __init__(self, path: str) -> None:
        self.file = _File(path)


def content(path: str) -> str:
    """Return a page with its generated parts."""
    page: Page = _Page(path)  # type: ignore[assignment]
    return on_page_markdown((ROOT / "docs" / path).read_text(encoding="utf-8"), page)


def names_in_tables(text: str) -> set[str]:
    """Return what stands in backquotes in the first cell of each row."""
    return set(_CELL.findall(text))


def section(text: str, heading: str) -> str:
    """Return the part of a page below a heading of the second level."""
    return re.split(r"^## ", text.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]


def test_every_spider_has_an_argument_model_and_two_pages() -> None:
    assert set(argument_models()) == SPIDERS
    assert len(SPIDERS) == 6
    for spider in SPIDERS:
        assert (ROOT / f"docs/spiders/{spider}.md").is_file()
        assert (ROOT / f"docs/zh/spiders/{spider}.md").is_file()


@pytest.mark.parametrize("spider", sorted(SPIDERS))
def test_all_arguments_of_a_spider_and_no_others_are_documented(spider: str) -> None:
    known = set(argument_models()[spider].model_fields)
    reference = section(content("reference/spider-arguments.md"), spider)
    english = section(content(f"spiders/{spider}.md"), "Arguments")
    chinese = section(content(f"zh/spiders/{spider}.md"), "参数")
    assert names_in_tables(reference) == known
    assert names_in_tables(english) == known
    assert names_in_tables(chinese) == known
    for argument, field in argument_models()[spider].model_fields.items():
        sentence = field.description or ""
        assert re.fullmatch(r"[A-Z][^\n]*(\n[^\n]+)*\.", sentence), argument


def test_every_setting_and_no_other_is_documented() -> None:
    text = content("reference/settings.md")
    assert names_in_tables(section(text, "Settings of focuscrawl")) == SETTINGS
    assert names_in_tables(text) == set(addon.DEFAULTS)
    assert names_in_tables(content("zh/reference/settings.md")) == SETTINGS
    assert set(DESCRIPTIONS) == set(addon.DEFAULTS)


def test_every_command_is_documented() -> None:
    headings = re.findall(r"^## scrapy (\w+)$", content("reference/commands.md"), re.MULTILINE)
    assert headings == command_names()
    assert set(headings) == COMMANDS


def test_every_option_of_a_command_is_documented() -> None:
    lab = section(content("reference/commands.md"), "scrapy lab")
    assert "| `--replay WARC` |" in lab
    assert "| `--out FOLDER` |" in lab
    assert "--logfile" not in lab


def test_every_table_is_documented() -> None:
    text = content("reference/schema.md")
    for table in ("articles", "quotes", "pages", "numbered_articles", "template_records", "seeds"):
        assert f"\n## {table}\n" in text
    assert "| `url_md5` | CHAR | primary key |" in section(text, "articles")


def test_the_architecture_lists_every_package() -> None:
    listed = names_in_tables(content("reference/architecture.md"))
    packages = {path.parent.name for path in (ROOT / "focuscrawl").glob("*/__init__.py")}
    assert packages <= listed


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_is_short_and_its_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", text):
        assert (ROOT / target).is_file(), target
    assert {f"`{spider}`" for spider in SPIDERS} <= set(re.findall(r"`\w+`", text))
    for picture in re.findall(r"!\[([^\]]*)\]", text):
        assert len(picture) > 20


def _examples(path: str) -> dict[str, str]:
    text = (ROOT / "docs" / path).read_text(encoding="utf-8")
    found = re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    return dict(found)


def test_the_profiles_that_are_shown_load(tmp_path: Path) -> None:
    examples = _examples("extending/site.md")
    for name, text in examples.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert load_site_profile(str(tmp_path / "mysite.yaml")).name == "mysite"
    assert load_article_profile(str(tmp_path / "myportal.yaml")).start == 1000


def test_the_engine_the_template_and_the_topic_that_are_shown_load() -> None:
    engine = _examples("extending/search-engine.md")["engines/mysearch.yaml"]
    assert SearchEngine.model_validate(yaml.safe_load(engine)).most_pages == 10
    template = _examples("spiders/template.md")["templates/tea.yaml"]
    assert set(Template.model_validate(yaml.safe_load(template)).fields) == {"address", "person"}
    topic = _examples("link-scores.md")["topics/tea.yaml"]
    assert Topic.model_validate(yaml.safe_load(topic)).lexicon["龙井"] == 3


_DIALECT = re.compile(
    r"asked for|\banew\b|in vain|parted by|\bmend|taken up|said of|\bleave of\b|is none\b|\bcomes of",
    re.I,
)


def test_the_descriptions_are_plain_english() -> None:
    fields = [
        field for model in argument_models().values() for field in model.model_fields.values()
    ]
    texts = [*DESCRIPTIONS.values(), *(field.description or "" for field in fields)]
    assert not _DIALECT.findall(" ".join(texts))


_PATH = re.compile(r"`((?:focuscrawl|tests|tools|benchmarks)/[\w./*-]*(?:/|\.\w+))`")
_DOTTED = re.compile(r"\bfocuscrawl(?!\.(?:sqlite|xlsx|env|service|timer)\b)(?:\.\w+)+\b")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_is_in_plain_english_and_the_code_that_it_mentions_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    assert not _DIALECT.findall(prose)
    for pattern in _PATH.findall(text):
        if pattern not in ("focuscrawl/a/b.py", "tests/a/test_b.py"):
            assert list(ROOT.glob(pattern)), pattern
    for name in _DOTTED.findall(text):
        assert resolve_name(name), name
