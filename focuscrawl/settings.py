"""Settings of the focuscrawl project. Every component is wired by the add-on."""

from focuscrawl.command_support import exception_hook as excepthook

# Scrapy reads this module before it loads anything else of the project.
excepthook.install()

BOT_NAME = "focuscrawl"
SPIDER_MODULES = ["focuscrawl.spiders"]
NEWSPIDER_MODULE = "focuscrawl.spiders"
COMMANDS_MODULE = "focuscrawl.commands"
ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}
# Quiet: progress and summary say what a user needs; -L INFO shows the log.
LOG_LEVEL = "WARNING"
