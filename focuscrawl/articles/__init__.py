"""Numbered articles: URL patterns, the order of numbers, and the meaning of responses."""
