"""Confidence of quotes: signs of a right or wrong reading, weighed by a learned model."""
