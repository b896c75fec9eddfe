"""Scores of links and pages: features, Naive Bayes, linear models, calibration."""
