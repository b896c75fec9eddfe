"""Scrapy's scheduler over a frontier: leases, eagerness, requests as JSON, acks."""
