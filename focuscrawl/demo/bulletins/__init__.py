"""The bulletin site of the demo web: list pages and price articles, day by day."""
