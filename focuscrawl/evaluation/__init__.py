"""Evaluation of link classifiers: recorded data, splits, metrics, baselines, tables and plots."""
