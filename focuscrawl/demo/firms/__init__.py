"""Firms' sites of the demo web, and the search pages that find them."""
