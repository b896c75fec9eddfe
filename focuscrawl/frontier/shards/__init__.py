"""Shards of a frontier that several workers share: the hosts in each, and the worker that owns it."""
