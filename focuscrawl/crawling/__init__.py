"""Pages, searches and sites fetched step by step, for spiders that are no callbacks."""
