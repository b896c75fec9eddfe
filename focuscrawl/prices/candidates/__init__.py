"""Figures that the rules leave out, with every possible subject, for a learned choice."""
