"""Loading and validation of templates, and the initial template."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from focuscrawl.addon import DEFAULTS
from focuscrawl.errors import TemplateError
from focuscrawl.templates.template_model import (
    DEFAULT_FOLDER,
    FieldType,
    Template,
    load_template,
    new_template,
    template_names,
)

PLAIN: dict[str, Any] = {
    "name": "tea",
    "search": {"entities": ["茶厂"]},
    "screening": {"layers": [["联系我们"]]},
    "fields": {"phone": {"type": "phone", "keywords": ["电话"]}},
}


def written(folder: Path, **changes: Any) -> Path:
    (folder / "tea.yaml").write_text(yaml.safe_dump(PLAIN | changes, allow_unicode=True))
    return folder


def test_shipped_templates_load() -> None:
    assert template_names(Path("nowhere")) == ["contacts", "maize-buyers"]
    contacts = load_template("contacts")
    assert contacts.fields["name"].type is FieldType.ORGANISATION
    assert load_template("maize-buyers").records == "page"


def test_a_new_template_loads_and_documents_every_setting() -> None:
    text = new_template("茶")
    template = Template.model_validate(yaml.safe_load(text))
    assert template.name == "茶"
    for model in (template, template.search, template.screening):
        left_out = {"topic"}
        assert all(f"{name}:" in text for name in type(model).model_fields.keys() - left_out)


def test_the_users_own_template_takes_precedence(tmp_path: Path) -> None:
    text = new_template("contacts").replace("contacts", "contacts")
    (tmp_path / "contacts.yaml").write_text(text, encoding="utf-8")
    assert load_template("contacts", tmp_path).search.entities == ("茶叶公司", "茶厂")
    assert load_template(str(tmp_path / "contacts.yaml")).name == "contacts"
    assert DEFAULTS["FOCUSCRAWL_TEMPLATES"] == DEFAULT_FOLDER


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"fields": {}}, "fields: "),
        ({"fields": {"Telefon": {"keywords": ["电话"]}}}, "fields.Telefon"),
        ({"fields": {"phone": {"keywords": ["电话"], "type": "fone"}}}, "fields.phone.type: "),
        (
            {"fields": {"a": {"keywords": ["电 话"]}, "b": {"keywords": ["电话"]}}},
            "'电话' labels both a and b; remove one",
        ),
        ({"search": {"entities": ["a"], "query": "{region}"}}, "the query has no {entity}"),
        (
            {"search": {"entities": ["a"], "query": "{entity}{town}"}},
            "may contain {region} and {entity} only",
        ),
        (
            {"search": {"entities": ["a"], "query": "{entity}}"}},
            "may contain {region} and {entity} only",
        ),
        ({"search": {"entities": ["a"], "pages": 77}}, "search.pages"),
        ({"screening": {"layers": []}}, "screening.layers"),
        ({"screening": {"layers": [["、"]]}}, "screening.layers"),
        ({"seeds": []}, "seeds: "),
        ({"name": "coffee"}, "has name: 'coffee'; write name: tea"),
    ],
)
def test_an_invalid_template_is_reported_in_one_sentence(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TemplateError) as caught:
        load_template("tea", written(tmp_path, **changes))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../tea", "-a", "a b", ""])
def test_an_invalid_name_is_reported(name: str) -> None:
    with pytest.raises(TemplateError, match="cannot be the name of a template"):
        new_template(name)


def test_newtemplate_writes_a_file_to_edit(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scrapy", "newtemplate", "tea"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.stdout.startswith(str(Path("templates/tea.yaml")))
    assert load_template("tea", tmp_path / "templates").name == "tea"
