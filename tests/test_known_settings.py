"""Settings: known names only, also from the environment."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from focuscrawl.addon import DEFAULTS, FocuscrawlAddon
from focuscrawl.errors import ArgumentError
from focuscrawl.known_settings import read_environment

KNOWN = {"FOCUSCRAWL_DATA": "data", "FOCUSCRAWL_WARC": None, "FOCUSCRAWL_OPEN": False}


def test_the_command_line_comes_before_the_environment_and_that_before_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings()
    settings.set("FOCUSCRAWL_DATA", "project", priority="project")
    monkeypatch.setenv("FOCUSCRAWL_DATA", "environment")
    read_environment(settings, KNOWN)
    assert settings["FOCUSCRAWL_DATA"] == "environment"
    settings.set("FOCUSCRAWL_DATA", "command line", priority="cmdline")
    read_environment(settings, KNOWN)
    assert settings["FOCUSCRAWL_DATA"] == "command line"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOCUSCRAWL_DATA", "")
    settings = Settings()
    FocuscrawlAddon().update_settings(settings)
    assert settings["FOCUSCRAWL_DATA"] == "data"


@pytest.mark.parametrize(
    ("text", "value"), [("False", False), ("0", False), ("true", True), ("1", True)]
)
def test_a_text_for_a_boolean_becomes_one(
    monkeypatch: pytest.MonkeyPatch, text: str, value: bool
) -> None:
    monkeypatch.setenv("FOCUSCRAWL_OPEN", text)
    settings = Settings()
    read_environment(settings, KNOWN)
    assert settings["FOCUSCRAWL_OPEN"] is value


def test_a_text_for_none_becomes_none_on_the_command_line_too() -> None:
    settings = Settings()
    settings.set("FOCUSCRAWL_WARC", "None", priority="cmdline")
    settings.set("FOCUSCRAWL_DATA", "None", priority="cmdline")
    read_environment(settings, KNOWN)
    assert settings["FOCUSCRAWL_WARC"] is None
    assert settings["FOCUSCRAWL_DATA"] == "None"


def test_what_is_no_boolean_is_refused() -> None:
    settings = Settings({"FOCUSCRAWL_OPEN": "perhaps"})
    with pytest.raises(ArgumentError, match="neither True nor False"):
        read_environment(settings, KNOWN)


def test_bytes_of_another_encoding_are_refused() -> None:
    with pytest.raises(ArgumentError, match="FOCUSCRAWL_DATA is not UTF-8"):
        read_environment(Settings({"FOCUSCRAWL_DATA": "d\udcc9"}), DEFAULTS)


def test_unknown_names_are_refused_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match=r"'FOCUSCRAWL_STORE'.*FOCUSCRAWL_STORES\?"):
        read_environment(Settings({"FOCUSCRAWL_STORE": "x"}), DEFAULTS)
    monkeypatch.setenv("FOCUSCRAWL_TEST_ANY", "x")
    read_environment(Settings(), DEFAULTS)
    monkeypatch.setenv("FOCUSCRAWL_RETRYPAUSE", "1")
    with pytest.raises(ArgumentError, match=r"environment variable.*FOCUSCRAWL_RETRY_PAUSE\?"):
        read_environment(Settings(), DEFAULTS)


@pytest.mark.parametrize("name", ["FOCUSCRAWL_MAIL_PASSWORD", "FOCUSCRAWL_WEBHOOK_TOKEN"])
def test_secrets_are_variables_and_never_settings(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "geheim")
    settings = Settings()
    read_environment(settings, DEFAULTS)
    assert "geheim" not in str(settings.copy_to_dict())
    settings.set(name, "geheim", priority="cmdline")
    with pytest.raises(ArgumentError, match="set the environment variable") as caught:
        read_environment(settings, DEFAULTS)
    assert "geheim" not in str(caught.value)
