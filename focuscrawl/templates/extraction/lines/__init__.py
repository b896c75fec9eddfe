"""Lines of a rendered page: blocks, neighbours, weights."""
