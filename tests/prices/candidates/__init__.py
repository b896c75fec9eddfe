"""Tests of the figures that the rules leave out."""
