"""Where articles and quotes are kept."""
