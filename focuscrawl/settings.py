"""Settings of the focuscrawl project; the add-on adds all components."""

from focuscrawl.command_support import exception_hook as excepthook

# Scrapy reads this module before it loads anything else of the project.
excepthook.install()

BOT_NAME = "focuscrawl"
SPIDER_MODULES = ["focuscrawl.spiders"]
NEWSPIDER_MODULE = "focuscrawl.spiders"
ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}
