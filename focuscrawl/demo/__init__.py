"""A small web of our own writing, served on 127.0.0.1.

Nothing is stored: every page is computed from a seed and a date, so a web of any size costs no disk
and the same seed gives the same bytes. :class:`DemoWeb` holds the sites by host name,
:class:`DemoServer` serves them all through one port.
"""

from focuscrawl.demo.article_truth import ArticleTruth, TruthQuote
from focuscrawl.demo.demo_server import DemoServer
from focuscrawl.demo.demo_web import DemoWeb, Response, Site

__all__ = ["ArticleTruth", "DemoServer", "DemoWeb", "Response", "Site", "TruthQuote"]
