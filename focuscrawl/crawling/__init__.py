"""Coroutines of the template spider that fetch searches, sites and pages one after another."""
