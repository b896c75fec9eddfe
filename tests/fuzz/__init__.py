"""Mutations of recorded pages, and the readers that must stand them."""
