"""Topical communities of the demo web: many small sites behind irrelevant ones."""
