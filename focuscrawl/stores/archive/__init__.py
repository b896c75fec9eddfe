"""The stores of a crawl as one: batches, retries and spill files."""
