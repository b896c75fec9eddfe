"""The numbered site of the demo web: articles that only their numbers lead to."""
