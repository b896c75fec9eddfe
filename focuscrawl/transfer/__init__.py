"""Copies of all records from one database to another, compared row by row."""
