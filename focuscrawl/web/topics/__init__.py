"""Pages of what topical crawls have found, and of why each page was fetched."""
