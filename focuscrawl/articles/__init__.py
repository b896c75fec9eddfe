"""Numbered articles: URL patterns, which number to ask for next, what an answer says."""
