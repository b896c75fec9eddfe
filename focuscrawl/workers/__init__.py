"""Crawls of several processes or machines: the shared frontier on a server, and all that belongs to it."""
