"""Focused crawlers for Chinese-language sites, as a Scrapy project."""
