"""Articles: front page, search, single articles, what readers keep, and what editors correct."""
