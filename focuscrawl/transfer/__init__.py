"""Moves all records from one database to another, and proves that they are the same."""
