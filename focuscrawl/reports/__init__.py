"""Workbooks for analysts."""
