"""Settings of the Scrapy project that a command runs in, and its use of the add-on."""

from __future__ import annotations

import os

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.project import ENVVAR, inside_project

from focuscrawl.errors import ArgumentError
from focuscrawl.known_settings import read_environment

# Paths, since commands may not import the add-on.
ADD_ON = "focuscrawl.addon.FocuscrawlAddon"
_DEFAULTS = "focuscrawl.addon.DEFAULTS"
OWN_SETTINGS = "focuscrawl.settings"


def add_defaults(settings: BaseSettings) -> None:
    """Add the defaults of the add-on, which Scrapy does not do for a command without a crawler."""
    load_object(ADD_ON)().update_settings(settings)


def add_environment(settings: BaseSettings) -> None:
    """Add the environment variables of settings, as the add-on does once there is a crawler.

    Raises ArgumentError as :func:`~focuscrawl.known_settings.read_environment` does.
    """
    read_environment(settings, load_object(_DEFAULTS))


def uses_add_on(settings: BaseSettings) -> bool:
    """Return whether the project has the add-on, or a subclass of it, in ``ADDONS``."""
    ours = load_object(ADD_ON)
    return any(
        isinstance(add_on, type) and issubclass(add_on, ours)
        for add_on in map(load_object, settings.getdict("ADDONS"))
    )


def uses_focuscrawl(settings: BaseSettings) -> bool:
    """Return whether the project has the add-on, or at least the scheduler of focuscrawl."""
    return uses_add_on(settings) or str(settings["SCHEDULER"]).startswith("focuscrawl.")


def provide_spiders(settings: BaseSettings) -> None:
    """Let the crawls that a command starts use the spiders and settings of focuscrawl outside a project.

    Scrapy's own settings read no robots.txt, wait for no site, and let other programs run code.
    Raises ArgumentError in a project without the add-on.
    """
    if not inside_project():
        os.environ[ENVVAR] = OWN_SETTINGS
        settings.setmodule(OWN_SETTINGS, priority="project")
    elif not uses_add_on(settings):
        raise ArgumentError(
            f'this project does not use focuscrawl; add to its settings: ADDONS = {{"{ADD_ON}": 500}}'
        )


def check_inside_project(command: str) -> None:
    """Raise ArgumentError outside a project, which Scrapy checks only for its own commands."""
    if not inside_project():
        raise ArgumentError(
            f"there is no Scrapy project here; change to the folder of one, or use the settings of"
            f" focuscrawl: {ENVVAR}={OWN_SETTINGS} scrapy {command}"
        )
