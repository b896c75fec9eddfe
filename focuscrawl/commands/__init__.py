"""Scrapy sub-commands."""

from focuscrawl.command_support import exception_hook as excepthook

# Scrapy loads this package when it looks for commands, also in projects with settings of their own.
excepthook.install()
