"""Evaluation of the price reader on labelled texts."""
