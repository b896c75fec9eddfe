"""The version of a profile or template."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from focuscrawl.articles.article_profile import load_profile as load_article_profile
from focuscrawl.sites.site_profile import load_profile
from focuscrawl.summary.rule_version import rules_of
from focuscrawl.templates.template_model import load_template


def version(profile: object) -> str:
    rules = rules_of(SimpleNamespace(profile=profile))
    assert rules
    return rules.version


def test_the_version_changes_with_the_rules_and_with_nothing_else() -> None:
    profile = load_profile("demo")
    assert version(profile) == version(load_profile("demo"))
    same = profile.model_copy(update={"description": "other"})
    assert version(same) == version(profile)
    rules = profile.list.model_copy(update={"title": profile.list.link})
    assert version(profile.model_copy(update={"list": rules})) != version(profile)


@pytest.mark.parametrize(
    ("attribute", "rules"),
    [
        ("profile", load_profile("yz88")),
        ("profile", load_article_profile("demo")),
        ("template", load_template("contacts")),
    ],
)
def test_every_kind_of_rules_has_name_and_version(attribute: str, rules: object) -> None:
    found = rules_of(SimpleNamespace(**{attribute: rules}))
    assert found
    assert found[:2] == (attribute, rules.name)  # type: ignore[attr-defined]
    assert len(found.version) == 8


def test_other_spiders_have_none() -> None:
    assert rules_of(SimpleNamespace(profile="chrome")) is None
    assert rules_of(None) is None
