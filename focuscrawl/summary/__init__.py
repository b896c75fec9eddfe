"""Report of a run: as text, as one line of JSON, by mail, and to a webhook."""
