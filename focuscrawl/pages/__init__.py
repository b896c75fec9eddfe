"""HTML pages as links with context: one parse, canonical URLs, hosts and registered domains."""
