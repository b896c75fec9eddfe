"""Induction of site profiles from example pages (wrapper induction, Kushmerick 1997)."""
