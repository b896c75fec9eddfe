"""Settings of the Scrapy project that a command runs in: whether and how it uses the add-on."""

from __future__ import annotations

import os

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.project import ENVVAR, inside_project

from focuscrawl.errors import ArgumentError

# By its path: the add-on stands above the commands.
ADD_ON = "focuscrawl.addon.FocuscrawlAddon"
OWN_SETTINGS = "focuscrawl.settings"


def add_defaults(settings: BaseSettings) -> None:
    """Add the defaults of the add-on for a command without a crawler, which Scrapy does not."""
    load_object(ADD_ON)().update_settings(settings)


def uses_add_on(settings: BaseSettings) -> bool:
    """Tell whether the project has the add-on, or a class derived from it, in ``ADDONS``."""
    ours = load_object(ADD_ON)
    return any(
        isinstance(add_on, type) and issubclass(add_on, ours)
        for add_on in map(load_object, settings.getdict("ADDONS"))
    )


def uses_focuscrawl(settings: BaseSettings) -> bool:
    """Tell whether the project has the add-on, or at least our scheduler."""
    return uses_add_on(settings) or str(settings["SCHEDULER"]).startswith("focuscrawl.")


def provide_spiders(settings: BaseSettings) -> None:
    """Let the crawls that a command starts find our spiders, also outside any project.

    Raises ArgumentError in a project without the add-on.
    """
    if not inside_project():
        os.environ[ENVVAR] = OWN_SETTINGS
    elif not uses_add_on(settings):
        raise ArgumentError(
            f'this project does not use focuscrawl; add to its settings: ADDONS = {{"{ADD_ON}": 500}}'
        )


def check_inside_project(command: str) -> None:
    """Raise ArgumentError where there is no project: Scrapy itself does not check our commands."""
    if not inside_project():
        raise ArgumentError(
            f"there is no Scrapy project here; change to the folder of one, or use the settings of"
            f" focuscrawl: {ENVVAR}={OWN_SETTINGS} scrapy {command}"
        )
