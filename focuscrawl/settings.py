"""Settings of the focuscrawl project; the add-on adds all components."""

from importlib.util import find_spec

from focuscrawl.command_support import exception_hook as excepthook

# Scrapy reads this module before it loads anything else of the project.
excepthook.install()

BOT_NAME = "focuscrawl"
SPIDER_MODULES = ["focuscrawl.spiders"]
NEWSPIDER_MODULE = "focuscrawl.spiders"
ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}
# Of `scrapy shell` and `scrapy fetch` as well.
FOCUSCRAWL_MANNERS = True

# A crawl takes a twentieth less time; uvloop exists for neither Windows nor PyPy.
if find_spec("uvloop"):
    ASYNCIO_EVENT_LOOP = "uvloop.Loop"
