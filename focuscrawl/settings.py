"""Settings of the focuscrawl project. Every component is wired by the add-on."""

from focuscrawl.command_support import exception_hook as excepthook

# Scrapy reads this module before it loads anything else of the project.
excepthook.install()

BOT_NAME = "focuscrawl"
SPIDER_MODULES = ["focuscrawl.spiders"]
NEWSPIDER_MODULE = "focuscrawl.spiders"
ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}
