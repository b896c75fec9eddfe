"""Records in MongoDB."""
