"""Extraction of a template's fields from pages: blocks and their weights, labels and values."""

from focuscrawl.templates.extraction.page_extraction import (
    Reading,
    Value,
    combine,
    found_values,
    names_firm,
    read_page,
)

__all__ = ["Reading", "Value", "combine", "found_values", "names_firm", "read_page"]
