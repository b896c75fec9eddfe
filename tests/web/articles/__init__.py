"""Tests of the pages of articles."""
