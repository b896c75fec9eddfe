"""SQLite frontier: its file, rows, batches of links and read-only queries."""
