"""Several stores as one: batches, a writer for each, and the spill file."""
