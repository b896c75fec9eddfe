"""The numbered site of the demo web: articles that are found only by their numbers."""
