"""Start, stop and schedules of crawls."""
