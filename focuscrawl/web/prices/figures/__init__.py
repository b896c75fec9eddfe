"""Table of all prices in memory, and the figures that are worked out from it, without pages."""
