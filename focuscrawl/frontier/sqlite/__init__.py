"""Frontier in one SQLite file: the default."""
