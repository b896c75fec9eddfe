"""Tests of the price reader."""
