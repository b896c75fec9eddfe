"""Search over numbered articles: terms that every database can index, queries, ranking, snippets."""
