"""Alarms by rule: moves of prices, failed runs, drift; as pages, feed, mail and webhook."""
