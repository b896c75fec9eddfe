"""Workbooks for analysts, and the marks of those that are outdated."""
