"""Site profiles: extraction rules for the lists, entries and articles of a site."""
