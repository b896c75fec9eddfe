"""Scrapy sub-commands."""
