"""Tests of the evaluation of the price reader."""
