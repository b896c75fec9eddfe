"""Extraction of a template's fields from pages: blocks and their weights, labels and values."""

from focuscrawl.templates.extraction.page_extraction import (
    PageValues,
    Value,
    combine,
    found_values,
    names_firm,
    read_page,
)

__all__ = ["PageValues", "Value", "combine", "found_values", "names_firm", "read_page"]
