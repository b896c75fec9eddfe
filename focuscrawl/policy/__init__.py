"""Crawl policy: which links are followed, in what order, and which lead into traps."""
