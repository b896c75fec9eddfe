"""Simulated workers of one crawl, each with its own hosts, on the pages of a recorded web."""
