"""Site profiles: where a site keeps its lists, entries and articles."""
