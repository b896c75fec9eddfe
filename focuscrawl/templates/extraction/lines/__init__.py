"""Lines of a page as a reader sees them: blocks, neighbours, weights."""
