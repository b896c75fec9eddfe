"""Labelled links and pages for evaluation, and their splits by host."""
