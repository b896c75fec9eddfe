"""Runs of crawls: their history, one run live, the frontier, start, stop and schedules."""
