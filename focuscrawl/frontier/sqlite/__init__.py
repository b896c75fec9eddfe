"""The frontier in one SQLite file: the default."""
