"""Experiments with link classifiers: contenders, held-out contests, tables and pictures."""
