"""Demo web: generated sites, served on 127.0.0.1.

Every page is computed from a random seed and a date, so that a web of any size takes no disk space
and the same seed gives the same bytes. :class:`DemoWeb` has the sites by host name,
:class:`DemoServer` serves all of them through one port.
"""

from focuscrawl.demo.demo_server import DemoServer
from focuscrawl.demo.demo_web import DemoWeb, Response, Site
from focuscrawl.demo.site_protocol import ArticleTruth, TruthQuote

__all__ = ["ArticleTruth", "DemoServer", "DemoWeb", "Response", "Site", "TruthQuote"]
