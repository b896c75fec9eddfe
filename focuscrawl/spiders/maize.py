"""List → detail crawl of price bulletins (Li Qiaoyu et al. 2018)."""

from __future__ import annotations

from typing import ClassVar

from focuscrawl.spider_arguments import MaizeArguments
from focuscrawl.spiders.list_detail import ListSpider


class MaizeSpider(ListSpider):
    """Walks the list pages of a site, as ``list`` does, and reads the prices in its articles.

    Prices are read whatever the site profile says. Arguments: see :class:`~focuscrawl.spider_arguments.MaizeArguments`.
    """

    name = "maize"
    argument_model: ClassVar[type[MaizeArguments]] = MaizeArguments
    always_reads_prices = True
