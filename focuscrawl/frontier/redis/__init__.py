"""Frontier on Valkey or Redis, shared by the workers of a crawl on any number of machines."""
