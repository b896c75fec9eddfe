"""Scrapy sub-commands."""

from focuscrawl import excepthook

# Scrapy loads this package when it looks for commands, also in projects with settings of their own.
excepthook.install()
