"""Trained classifiers on disk: reading, writing, installing and choosing them."""
