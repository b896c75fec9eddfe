"""Tests of the confidence of quotes."""
