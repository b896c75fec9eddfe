"""Scrapy scheduler on top of a frontier: leases, eagerness, requests as JSON, acks."""
