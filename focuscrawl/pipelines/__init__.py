"""Scrapy item pipelines."""
