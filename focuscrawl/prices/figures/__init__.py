"""Interpretation of the figures of a line: prices, changes, moistures, conditions."""
